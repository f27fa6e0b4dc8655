package person

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

const (
	// maxLocal and maxDomain are how many bytes the parts of an address have (RFC 5321, section 4.5.3.1).
	maxLocal, maxDomain = 64, 255
	// inside are signs of an address's first part, and around those that also stand before addresses (RFC 5322, section
	// 3.2.3). A plus sign stands for a blank in an address of the web.
	inside, around = ".-_", "+=/?&'`{}|~#!$*^%"
)

// eachAddress calls do with what may be an address of e-mail, in lower case, and returns false when do does. Where signs
// stand before it that may be its own, it is read in all ways.
func eachAddress(text string, do func(address string) bool) bool {
	if !strings.Contains(text, "@") {
		return true
	}
	text = strings.ToLower(text)
	for {
		local, rest, found := strings.Cut(text, "@")
		if !found {
			return true
		}
		domain := strings.TrimRight(rest[:beginning(rest, maxDomain, ".-")], ".-")
		if local = local[len(local)-ending(local, maxLocal, inside+around):]; domain != "" {
			for local != "" {
				for _, domain := range domainsOf(domain) {
					if !do(local+"@"+domain) || !do(strings.TrimLeft(local, inside)+"@"+domain) {
						return false
					}
				}
				next := strings.IndexAny(local, around)
				if next < 0 {
					break
				}
				local = local[next+1:]
			}
		}
		text = rest
	}
}

// domainsOf are the readings of a domain: whole, and without last parts that are no top-level domains, such as the ending
// of a file, or the sentence behind a full stop without a blank.
func domainsOf(domain string) []string {
	readings := []string{domain}
	for {
		cut := strings.LastIndexByte(domain, '.')
		if cut < 0 {
			return readings
		}
		if _, official := publicsuffix.PublicSuffix(domain); official {
			return readings
		}
		if domain = strings.TrimRight(domain[:cut], ".-"); domain == "" {
			return readings
		}
		readings = append(readings, domain)
	}
}

func isOfAddress(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// beginning is how many bytes at the text's beginning are letters, digits and the signs, most of them at most.
func beginning(text string, most int, signs string) (size int) {
	for size < min(len(text), most) {
		r, n := utf8.DecodeRuneInString(text[size:])
		if !isOfAddress(r) && !strings.ContainsRune(signs, r) {
			break
		}
		size += n
	}
	return size
}

// ending is how many bytes at the text's end are such.
func ending(text string, most int, signs string) (size int) {
	for size < min(len(text), most) {
		r, n := utf8.DecodeLastRuneInString(text[:len(text)-size])
		if !isOfAddress(r) && !strings.ContainsRune(signs, r) {
			break
		}
		size += n
	}
	return size
}
