// Package channel says through which channel a visit came: a word for sources of one nature. docs/reports.md has the table.
package channel

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Channel is one of the constants below.
type Channel string

// The channels.
const (
	Direct      Channel = "direct"
	Search      Channel = "search"
	PaidSearch  Channel = "paid_search"
	Social      Channel = "social"
	PaidSocial  Channel = "paid_social"
	Display     Channel = "display"
	Video       Channel = "video"
	Email       Channel = "email"
	Message     Channel = "message" // SMS, messengers and notifications
	Affiliate   Channel = "affiliate"
	Map         Channel = "map"
	Referral    Channel = "referral"
	Offline     Channel = "offline" // printed codes, television and radio
	Advertising Channel = "advertising"
	Other       Channel = "other" // a campaign whose medium says nothing
)

// Channels are all of them.
var Channels = []Channel{Direct, Search, PaidSearch, Social, PaidSocial, Display, Video, Email, Message, Affiliate, Map, Referral, Offline, Advertising, Other}

// kinds are the channels of visits without a medium, by the kinds of their sources.
var kinds = map[string]Channel{
	source.Direct: Direct, source.Search: Search, source.Social: Social, source.Mail: Email, source.Map: Map, source.Referral: Referral,
	source.Ad: Advertising, source.Campaign: Other,
}

// media are the channels by words of utm_medium.
var media = map[string]Channel{
	"email": Email, "e-mail": Email, "mail": Email, "newsletter": Email,
	"sms": Message, "push": Message, "messenger": Message, "telegram": Message, "whatsapp": Message, "viber": Message, "notification": Message,
	"affiliate": Affiliate, "affiliates": Affiliate, "partner": Affiliate, "cpa": Affiliate,
	"display": Display, "banner": Display, "cpm": Display, "expandable": Display, "interstitial": Display, "rtb": Display,
	"video": Video,
	"qr":    Offline, "print": Offline, "offline": Offline, "tv": Offline, "radio": Offline, "flyer": Offline, "outdoor": Offline,
	"social": Social, "social-network": Social, "social-media": Social, "smm": Social, "sm": Social,
	"organic": Search, "referral": Referral, "link": Referral,
}

// networks are names of sources that are social networks.
var networks = []string{"facebook", "fb", "instagram", "ig", "meta", "vk", "vkontakte", "ok", "tiktok", "twitter", "x", "linkedin", "pinterest", "reddit", "snapchat", "telegram", "mytarget", "youtube"}

// engines are names of sources that are search engines.
var engines = []string{"google", "yandex", "bing", "duckduckgo", "yahoo", "baidu", "ecosia", "seznam", "naver", "adwords", "direct.yandex", "yandex.direct", "microsoft", "adcenter"}

// Of is the channel of a visit's source: its kind, which is one of package source, and what the campaign's address names as source and
// medium.
func Of(kind, name, medium string) Channel {
	name, medium = strings.ToLower(name), strings.ToLower(medium)
	if kind == source.Ad {
		return paid(name, medium)
	}
	if kind != source.Campaign {
		return kinds[kind]
	}
	if c, known := media[medium]; known {
		return c
	}
	switch {
	case is(name, networks):
		return Social
	case is(name, engines):
		return Search
	case media[name] != "":
		return media[name]
	}
	return Other
}

func paid(name, medium string) Channel {
	switch c := media[medium]; c {
	case Display, Video, Affiliate:
		return c
	}
	switch {
	case is(name, networks) || strings.Contains(medium, "social"):
		return PaidSocial
	case is(name, engines) || strings.Contains(medium, "search"):
		return PaidSearch
	}
	return Advertising
}

// is says whether the name is one of the words, or begins with one as a host or a compound does: "google.com", "vk_ads".
func is(name string, words []string) bool {
	for _, word := range words {
		rest, found := strings.CutPrefix(name, word)
		if found && (rest == "" || strings.ContainsAny(rest[:1], "._-/ ")) {
			return true
		}
	}
	return false
}
