package source

import (
	"slices"
	"strings"
	"unicode"
)

// clickIDs are the parameters by which ad systems recognise their clicks. Some of them also stand in links that nobody
// paid for. Then unpaid is the kind of such a link.
var clickIDs = []struct{ parameter, system, unpaid string }{
	{"gclid", "google", ""}, {"gbraid", "google", ""}, {"wbraid", "google", ""}, {"dclid", "google", ""}, {"gad_source", "google", ""},
	{"yclid", "yandex", ""}, {"ymclid", "yandex market", ""}, {"msclkid", "bing", ""}, {"ttclid", "tiktok", ""}, {"twclid", "x", ""}, {"li_fat_id", "linkedin", ""},
	{"rb_clickid", "vk", ""}, {"vkclid", "vk", ""}, {"ScCid", "snapchat", ""}, {"sccid", "snapchat", ""}, {"scid", "snapchat", ""},
	{"epik", "pinterest", ""}, {"rdt_cid", "reddit", ""}, {"qclid", "quora", ""}, {"obclid", "outbrain", ""}, {"tblci", "taboola", ""},
	{"irclickid", "impact", ""}, {"cjevent", "cj", ""}, {"awc", "awin", ""}, {"admitad_uid", "admitad", ""},
	{"fbclid", "facebook", Social}, {"ysclid", "yandex", Search}, // last, since they say the least
}

// Tagged says whether the address had utm parameters. An ad's click id beside a utm_source that only repeats the name of
// its system is taken for a click id alone.
func (s *Source) Tagged() bool {
	return s.Kind == Campaign || s.Kind == Ad && (s.Medium+s.Campaign+s.Term+s.Content != "" || s.Source != system(s.ClickIDName))
}

// Known says whether the name is that of an ad system, a search engine or a network, and not one that a marketer has
// chosen.
func Known(name string) bool { return names[name] }

// names are those of all systems.
var names = func() map[string]bool {
	names := make(map[string]bool)
	for _, id := range clickIDs {
		names[id.system] = true
	}
	for _, r := range referrers {
		names[r.name] = true
	}
	return names
}()

// system returns the ad system of a click id, or "".
func system(clickIDName string) string {
	for _, id := range clickIDs {
		if id.parameter == clickIDName {
			return id.system
		}
	}
	return ""
}

// unpaid returns the kind of a link with the click id if nobody paid for it. It is empty if somebody always pays.
func unpaid(clickIDName string) string {
	for _, id := range clickIDs {
		if id.parameter == clickIDName {
			return id.unpaid
		}
	}
	return ""
}

// Paid says whether advertising has brought the visitor: by a click id of an ad, or a medium that is paid for. A
// newsletter is a campaign, but not paid.
func (s *Source) Paid() bool {
	return s.ClickID != "" && unpaid(s.ClickIDName) == "" || paidMedium(s.Medium)
}

// paidMedia are words in utm_medium for paid media. Words that begin with "paid" count too.
var paidMedia = map[string]bool{
	"cpc": true, "ppc": true, "cpm": true, "cpv": true, "cpa": true, "cpl": true, "cpo": true, "cpi": true, "cpe": true, "cpt": true, "sem": true,
	"display": true, "banner": true, "banners": true, "interstitial": true, "programmatic": true, "rtb": true,
	"retargeting": true, "remarketing": true, "retarget": true, "target": true, "targeting": true,
	"ad": true, "ads": true, "adv": true, "advert": true, "advertising": true, "реклама": true, "баннер": true, "таргет": true, "контекст": true,
}

// paidMedium says whether one of the medium's words is that of a paid medium, as in "social_cpc".
func paidMedium(medium string) bool {
	words := strings.FieldsFunc(strings.ToLower(medium), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return paidMedia[word] || strings.HasPrefix(word, "paid") })
}

// IsClickID says whether a parameter is known as an ad system's click id. Case does not matter.
func IsClickID(parameter string) bool {
	for _, id := range clickIDs {
		if strings.EqualFold(id.parameter, parameter) {
			return true
		}
	}
	return false
}
