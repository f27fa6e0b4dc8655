package survey

import (
	"bytes"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/html"
	"golang.org/x/text/language"
)

// guessReadings is how many readings a guess may try for each country. A few numbers tell as much as many.
const guessReadings = 40

// common are countries whose numbers are looked for on pages that tell nothing else. English is the language of many.
var (
	common  = [...]string{"RU", "US", "GB", "DE", "FR", "ES"}
	english = [...]string{"US", "GB", "AU", "IE", "IN"}
)

// Region guesses the country of the numbers that a page writes without a country code (ISO 3166-1 alpha-2): the one that
// most of them are numbers of. ofHost is the country of the page's host, or empty. Of the countries that the page's
// language and its host tell, any number of the country's plan counts; of others only a number that is grouped as the
// country groups it. Region returns "" if the page has no such number, or if two countries are as likely.
func Region(page []byte, contentType, ofHost string) string {
	values := read(decode(page, contentType))
	told := languageRegions(page, ofHost)
	if best, _ := likeliest(values, told, true); best != "" {
		return best
	}
	best, alone := likeliest(values, common[:], false)
	if !alone {
		return ""
	}
	return best
}

// likeliest returns the first of the regions with the most numbers. alone is false if another has as many.
func likeliest(values []value, regions []string, told bool) (best string, alone bool) {
	most := 0
	for _, region := range regions {
		p := newProspect(region, guessReadings)
		p.guessing, p.told = true, told
		p.find(values)
		switch {
		case p.national > most:
			best, alone, most = region, true, p.national
		case p.national == most:
			alone = false
		}
	}
	return best, alone
}

// languageRegions returns the countries that the page's language and its host tell, the likeliest first.
func languageRegions(page []byte, ofHost string) (regions []string) {
	add := func(all ...string) {
		for _, region := range all {
			if region != "" && !slices.Contains(regions, region) {
				regions = append(regions, region)
			}
		}
	}
	tag, err := language.Parse(pageLanguage(page))
	if err != nil {
		tag = language.Und
	}
	likely, confidence := tag.Region()
	if confidence == language.Exact && likely.IsCountry() {
		add(likely.String())
	}
	add(ofHost)
	if tag != language.Und && confidence > language.No && likely.IsCountry() {
		add(likely.String())
	}
	if base, _ := tag.Base(); tag != language.Und && base.String() == "en" {
		add(english[:]...)
	}
	return regions
}

// languageWithin is in how many bytes of a page its language has to stand.
const languageWithin = 4096

// pageLanguage returns the language of the page's <html> element, or "".
func pageLanguage(page []byte) string {
	z := html.NewTokenizer(bytes.NewReader(page[:min(len(page), languageWithin)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, more := z.TagName()
			if string(name) != "html" {
				return ""
			}
			for more {
				var key, content []byte
				if key, content, more = z.TagAttr(); string(key) == "lang" {
					return strings.TrimSpace(string(content))
				}
			}
			return ""
		}
	}
}

// isGrouped says whether a number, as digits in international form, is written in groups as its country groups it. Of a
// number with a trunk prefix, the prefix may be a group of its own.
func (p *prospect) isGrouped(groups []string, digits string) bool {
	own, known := p.groups[digits]
	if !known {
		if n, err := phonenumbers.Parse("+"+digits, ""); err == nil {
			own = group.FindAllString(phonenumbers.Format(n, phonenumbers.NATIONAL), -1)
		}
		p.groups[digits] = own
	}
	return slices.Equal(groups, own)
}
