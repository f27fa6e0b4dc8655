package survey

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Sites that write their numbers only as people at home do tell their country in other ways.
func TestRegionOfAPage(t *testing.T) {
	for _, c := range []struct{ page, ofHost, region, found string }{
		{`<html lang="de"><p>Tel. 030 901820`, "", "DE", "4930901820"},
		{`<html lang="de-AT"><p>Tel. 01 58858`, "", "AT", "43158858"},
		{`<!doctype html><html class=a lang=ru><p>8 800 555-35-35`, "", "RU", "78005553535"},
		{`<html lang="en"><p>Call (415) 555-2671`, "", "US", "14155552671"},
		{`<html lang="en"><p>Call 020 7946 0018`, "", "GB", "442079460018"},
		{`<p>020 7946 0018`, "GB", "GB", "442079460018"},
		{`<html lang="en"><p>030 901820`, "DE", "DE", "4930901820"},
		{`<html lang="ru"><a href="tel:88005553535">Call`, "", "RU", "78005553535"},
		{`<p>8 (495) 123-45-67`, "", "RU", "74951234567"},
		{`<p>(415) 555-2671`, "", "US", "14155552671"},
		{`<p>Order 12345678`, "", "", ""},
		{`<html lang="de"><p>Call +44 20 7946 0018`, "", "", "442079460018"},
		{`<html lang="no such language"><p>text`, "", "", ""},
		{``, "", "", ""},
	} {
		region := Region([]byte(c.page), "text/html; charset=utf-8", c.ofHost)
		require.Equal(t, c.region, region, c.page)
		numbers := Page([]byte(c.page), "text/html; charset=utf-8", region)
		if c.found == "" {
			require.Empty(t, numbers, c.page)
		} else {
			require.Equal(t, c.found, numbers[0].Digits, c.page)
		}
	}
}
