package widget

import (
	"math"
	"strconv"
)

// enoughContrast is that of what has to be made out without being read (WCAG 2.2, 1.4.11).
const enoughContrast = 3

// contrast is the ratio of two colours, each written as #rrggbb (WCAG 2.2).
func contrast(one, other string) float64 {
	a, b := luminance(one)+0.05, luminance(other)+0.05
	return max(a, b) / min(a, b)
}

// luminance is the relative luminance (WCAG 2.2). It is 0 for what is no colour.
func luminance(color string) (l float64) {
	if len(color) != len("#rrggbb") {
		return 0
	}
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		part, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if linear := float64(part) / 255; linear <= 0.04045 {
			l += weight * linear / 12.92
		} else {
			l += weight * math.Pow((linear+0.055)/1.055, 2.4)
		}
	}
	return l
}
