package call

import (
	"net/url"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// SourceOrCampaign returns the source. If the visitor is not known, it is what the called number tells: its campaign by
// the name, or else what a visit by its conditions would have.
func (f Finding) SourceOrCampaign() source.Source {
	if f.Visit != 0 || f.Source.Kind != "" {
		return f.Source
	}
	return campaignOf(f.Conditions)
}

// campaignOf reads Conditions. Patterns count without their asterisks, and alternatives stand beside each other.
func campaignOf(conditions string) source.Source {
	if conditions == "" {
		return source.Source{}
	}
	words := strings.Fields(conditions)
	if _, err := number.ParseConditions(words); err != nil { // it is a name
		return source.Source{Kind: source.Campaign, Campaign: clip.Text(conditions, source.MaxText)}
	}
	texts, marks := make(map[string][]string), make(url.Values)
	for _, word := range words {
		field, pattern, _ := strings.Cut(strings.ToLower(word), "=")
		if source.IsClickID(field) {
			marks.Set(field, "1")
		} else if text := strings.Trim(pattern, "*."); !slices.Contains(texts[field], text) {
			texts[field] = append(texts[field], text)
		}
	}
	for field, alternatives := range texts {
		if source.IsMark(field) {
			marks.Set(field, strings.Join(alternatives, ", "))
		}
	}
	s := source.Of("?"+marks.Encode(), hostOf(texts["referrer"]), source.Own{})
	s.ClickID, s.ClickIDName, s.Referrer = "", "", ""
	switch kinds := texts["kind"]; {
	case len(kinds) == 1:
		s.Kind = kinds[0]
	case s.Kind == source.Direct:
		s.Kind = source.Campaign
	}
	if s.Kind == source.Campaign && s.Source+s.Medium+s.Campaign == "" {
		s.Campaign = strings.Join(texts["landing"], ", ")
	}
	return s
}

// hostOf is the address of a page at the host that the condition names; empty if it names none or several.
func hostOf(hosts []string) string {
	if len(hosts) != 1 || hosts[0] == "" {
		return ""
	}
	if !strings.Contains(hosts[0], ".") { // google of *.google.*
		return "https://" + hosts[0] + ".com"
	}
	return "https://" + hosts[0]
}
