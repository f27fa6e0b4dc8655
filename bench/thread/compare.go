package thread

import (
	"context"
	"fmt"
	"slices"
)

// Side is a way to get the same pages.
type Side struct {
	Name, Address string
	// Script is in the addresses of the script that is watched.
	Script string
}

// Visit is the query of the pages' addresses: the visitors of this source see other numbers.
const Visit = "utm_source=news"

// Compare watches the pages on all sides, in turns, and prints what each side takes beside the first one. The pages are clicked on while
// they load.
func Compare(browser context.Context, sides []Side, pages []Page, rounds int, slow float64) error {
	fmt.Printf("Tasks of the main thread while pages load, in ms of CPU time; clicks in ms of the clock; medians of %d rounds in turns\n", rounds)
	fmt.Printf("%-16s %-35s %8s %8s %8s %8s %10s %11s %8s\n",
		"page", "", "longest", "over 50", "script", "at once", "over by it", "early by it", "click")
	for _, p := range pages {
		loads := make([][]Load, len(sides))
		for range rounds {
			for i, s := range sides {
				load, err := Watch(browser, "http://"+s.Address, p.Path()+"?"+Visit, s.Script, slow, true)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", p.Name, s.Name, err)
				}
				loads[i] = append(loads[i], load)
			}
		}
		for i, s := range sides {
			of := func(part func(Load) float64) float64 { return median(loads[i], part) }
			fmt.Printf("%-16s %-35s %8.1f %8.0f %8.1f %8.1f %10.0f %11.0f %8.0f\n", p.Name, s.Name,
				of(func(l Load) float64 { return l.Longest }), of(func(l Load) float64 { return l.Long }),
				of(func(l Load) float64 { return l.Ours }), of(func(l Load) float64 { return l.OursLongest }),
				of(func(l Load) float64 { return l.OursLong }), of(func(l Load) float64 { return l.OursEarly }),
				of(func(l Load) float64 { return l.Slowest }))
		}
	}
	return nil
}

func median(loads []Load, part func(Load) float64) float64 {
	var values []float64
	for _, l := range loads {
		values = append(values, part(l))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
