package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
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
	kind := s.Kind
	if sourceIcons[kind] == "" {
		if kind = "other"; s.Kind == "" {
			kind = source.Direct
		}
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

// campaignOf is what a tracking number stands for, by the name of its campaign or by its conditions; nil for neither.
func campaignOf(w *words.Tongue, conditions string) *Source {
	if conditions == "" {
		return nil
	}
	shown := &Source{Icon: "megaphone", Name: conditions}
	fields := strings.Fields(conditions)
	if _, err := number.ParseConditions(fields); err != nil {
		return shown
	}
	var names []string
	for _, condition := range fields {
		field, pattern, _ := strings.Cut(condition, "=")
		name := strings.Trim(pattern, "*.")
		switch {
		case field == "kind" && sourceIcons[name] != "":
			name = w.Text("source." + name)
		case name == "": // any value of the field
			name = field
		case source.Known(name):
			name = brand(name)
		}
		names = append(names, name)
	}
	shown.Name, shown.Details = names[0], words.Parts(names[1:]...)
	return shown
}

// Sources are the kinds of sources.
func Sources(w *words.Tongue) (options []frame.Option) {
	for _, kind := range source.Kinds {
		options = append(options, frame.Option{Value: kind, Name: w.Text("source." + kind)})
	}
	return options
}
