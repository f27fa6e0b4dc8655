package region

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegionOfHost(t *testing.T) {
	for host, region := range map[string]string{
		"shop.ru": "RU", "www.shop.co.uk:8443": "GB", "SHOP.KZ.": "KZ", "магазин.рф": "", "xn--80aaxitdbjk.xn--p1ai": "RU", "shop.su": "RU",
		"shop.io": "", "shop.me": "", "shop.com": "", "shop.eu": "", "shop.xx": "", "ru": "", "localhost:8080": "", "192.0.2.17": "", "[2001:db8::de]:80": "", "": "",
	} {
		require.Equal(t, region, OfHost(host), host)
	}
}

func TestRegionOfMask(t *testing.T) {
	for mask, region := range map[string]string{
		"+7 (###) ###-##-##":  "RU",
		"+1 (###) ###-####":   "US",
		"+49 ### #######":     "DE",
		"+375 (##) ###-##-##": "BY",
		"+44##########":       "GB",
		"8 (###) ###-##-##":   "",
		"(###) ###-####":      "",
		"+800 #### ####":      "", // of no country
		"+999 ###":            "",
		"":                    "",
	} {
		require.Equal(t, region, OfMask(mask), mask)
	}
}
