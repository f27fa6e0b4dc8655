package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Source is where a visitor came from, as it is shown.
type Source struct {
	Icon, Name string
	Details    []string
}

var sourceIcons = map[string]string{
	source.Campaign: "megaphone", source.Ad: "megaphone", source.Search: "search", source.Social: "share-2", source.Map: "map-pin",
	source.Mail: "at-sign", source.Referral: "external-link", source.Direct: "globe",
}

func SourceOf(w *words.Tongue, s source.Source) Source {
	if s.Kind == "" { // a caller, or somebody whose visit is no longer stored
		return Source{Icon: "globe", Name: w.Text("source.unknown")}
	}
	kind := s.Kind
	if sourceIcons[kind] == "" {
		kind = "other"
	}
	shown := Source{Icon: sourceIcons[kind], Name: s.Source}
	if shown.Icon == "" {
		shown.Icon = "globe"
	}
	if shown.Name == "" {
		shown.Name = s.Referrer
	}
	if !s.Tagged() || source.Known(shown.Name) { // otherwise it is the marketer's own
		shown.Name = brand(shown.Name)
	}
	details := []string{s.Medium, s.Campaign}
	if shown.Name == "" {
		shown.Name = w.Text("source." + kind)
	} else if s.Medium == "" && s.Campaign == "" {
		details = []string{w.Text("source." + kind)}
	}
	shown.Details = words.Parts(details...)
	return shown
}

// brands are names that a capital letter alone does not make right.
var brands = map[string]string{
	"vk": "VK", "ok": "OK", "aol": "AOL", "youtube": "YouTube", "tiktok": "TikTok", "linkedin": "LinkedIn", "whatsapp": "WhatsApp",
	"duckduckgo": "DuckDuckGo", "chatgpt": "ChatGPT",
}

// brand is the name of a system as it writes itself. Hosts stay as they are.
func brand(name string) string {
	if known := brands[name]; known != "" {
		return known
	}
	if name == "" || strings.Contains(name, ".") {
		return name
	}
	first, size := utf8.DecodeRuneInString(name)
	if first == utf8.RuneError {
		return name
	}
	return string(unicode.ToTitle(first)) + name[size:]
}

// Sources are the kinds of sources.
func Sources(w *words.Tongue) (options []frame.Option) {
	for _, kind := range source.Kinds {
		options = append(options, frame.Option{Value: kind, Name: w.Text("source." + kind)})
	}
	return options
}
