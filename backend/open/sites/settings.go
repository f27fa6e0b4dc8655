package sites

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

// elsewhere are the settings that have operations of their own.
var elsewhere = []string{"numbers", "pools", "captures"}

// Settings are the settings of a site, but for those that have operations of their own.
type Settings site.Settings

// Patch is a change of settings (JSON Merge Patch, RFC 7396).
type Patch map[string]json.RawMessage

// schemaOf describes the settings. In a patch each may be null.
func schemaOf(r huma.Registry, nullable bool) *huma.Schema {
	r.RegisterTypeAlias(reflect.TypeFor[appearance.Wording](), reflect.TypeFor[wording]())
	var described []reflect.StructField
	for field := range reflect.TypeFor[site.Settings]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !slices.Contains(elsewhere, name) {
			described = append(described, field)
		}
	}
	s := huma.SchemaFromType(r, reflect.StructOf(described))
	for name, of := range s.Properties {
		if nullable {
			s.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{of, {Type: "null"}}, Description: settingDocs[name]}
		} else if of.Ref == "" {
			of.Description = settingDocs[name]
		}
	}
	s.PrecomputeMessages()
	return s
}

// Schema implements [huma.SchemaProvider].
func (Settings) Schema(r huma.Registry) *huma.Schema { return schemaOf(r, false) }

// Schema implements [huma.SchemaProvider].
func (Patch) Schema(r huma.Registry) *huma.Schema { return schemaOf(r, true) }

// wording describes [appearance.Wording].
type wording struct{}

func (wording) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A text: for every language, or texts by the codes of languages, with * for all others.",
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString}}},
	}
}

// settingDocs say what the settings are.
var settingDocs = map[string]string{
	"phone_mask":            "The mask of the panels' field for a number, with # for each digit; empty for none.",
	"region":                "The country of numbers without a country code: two letters of ISO 3166-1; empty for that of the site's numbers.",
	"timezone":              "The time zone in which the site's days begin, such as Europe/Moscow; empty for UTC.",
	"person_days":           "How many days after an inquiry another one with the same contact is the same person's in reports.",
	"currency":              "That of the site's sums and costs: ISO 4217; empty for untold.",
	"dynamical_replacement": "Whether numbers are replaced in what a page adds later.",
	"messengers":            "Whether links that write to a number are changed as those that call it.",
	"supersede":             "Whether the code of another service with the same interface is put out of action in pages that get this one's.",
	"prerender":             "Which numbers the server replaces: off, static or dynamic.",
	"attribution":           "Which of a visitor's visits decides which numbers are shown.",
	"consent":               "The cookie without which nothing is set or stored; with an empty name none is required.",
	"respect":               "The signals of browsers that mean no consent: gpc and dnt; an empty list for none.",
	"retention_days":        "For how many days visits are kept after they have ended; a shorter time of the configuration counts.",
	"ignore_forms":          "Whether forms that no rule keeps pass without a look.",
	"credentials":           "The CSS selector of the forms into which the script writes the credentials; empty for none.",
	"origins":               "Further origins of the site.",
	"callback":              "How visitors are called back.",
	"widget":                "How the panels look, and what they say.",
	"guide_hidden":          "Whether the console does not show what may be set up next.",
}

type settingsOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Own       Settings `json:"own" doc:"What is set for the site. The configuration's value holds for what is not."`
		Effective Settings `json:"effective" doc:"What holds, as far as this server's configuration tells."`
	}
}

type patchInput struct {
	frame.SiteInput
	frame.Match
	Body Patch
}

func (r *room) mountSettings() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/settings", ID: "getSettings", Subject: "Sites", Opens: token.ReadSites, Summary: "Get settings",
		Description: "The settings of a site. Numbers, pools and captures have operations of their own.",
	}, func(ctx context.Context, in *frame.SiteInput) (*settingsOutput, error) {
		s, err := r.Site(ctx, in.Site)
		return r.settings(s), err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "PATCH", Path: "sites/{site}/settings", ID: "changeSettings", Subject: "Sites", Opens: token.WriteSites, Summary: "Change settings",
		Description: "A JSON Merge Patch (RFC 7396): what it names is changed, and null takes a setting away, so that the configuration's value holds again. " +
			"The change is in effect within a second on all servers.",
	}, func(ctx context.Context, in *patchInput) (*settingsOutput, error) {
		s, err := r.served(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		if err := in.Holds(frame.VersionTag(s.Version)); err != nil {
			return nil, err
		}
		to, err := patched(s.Settings, in.Body)
		if err != nil {
			return nil, err
		}
		return r.change(ctx, s, to)
	})
}

func (r *room) settings(s site.Site) *settingsOutput {
	out := &settingsOutput{ETag: frame.VersionTag(s.Version)}
	out.Body.Own, out.Body.Effective = without(s.Settings), without(r.Effective(s))
	return out
}

// without are the settings without those that have operations of their own.
func without(s site.Settings) Settings {
	s.Numbers, s.Pools, s.Captures = nil, nil, nil
	return Settings(s)
}

// change stores the settings of the site in place of those of its version.
func (r *room) change(ctx context.Context, s site.Site, to site.Settings) (*settingsOutput, error) {
	s, err := r.Sites.Change(ctx, s.Key, s.Version, to, frame.Actor(ctx).By)
	if err != nil {
		return nil, settingsMistake(err)
	}
	return r.settings(s), nil
}

// settingsMistake is the answer to a change of settings that is not made.
func settingsMistake(err error) error {
	if invalid, is := errors.AsType[*site.Invalid](err); is {
		return frame.Wrong("body."+invalid.Setting, invalid.Err, nil)
	}
	if errors.Is(err, site.ErrChanged) {
		return frame.Changed()
	}
	return err
}

// patched are the settings with the patch.
func patched(s site.Settings, patch Patch) (site.Settings, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return s, err
	}
	for name, value := range patch {
		var to any
		if err := json.Unmarshal(value, &to); err != nil {
			return s, err
		}
		if wrong := misnamed(map[string]any{name: to}); wrong != "" {
			return s, frame.Wrong("body", fmt.Errorf("unknown field %.80q", wrong), nil)
		}
		merge(fields, name, to)
	}
	if text, err = json.Marshal(fields); err != nil {
		return s, err
	}
	var to site.Settings
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&to); err != nil {
		return s, frame.Wrong("body", fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: ")), nil)
	}
	to.Numbers, to.Pools, to.Captures = s.Numbers, s.Pools, s.Captures
	return to, nil
}

// misnamed returns a name in the value that has capital letters or others than Latin ones, or "". No setting has such a
// name, but encoding/json would take it for one: "Region" for "region".
func misnamed(value any) string {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			if wrong := misnamed(one); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		for name, inner := range value {
			if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsUpper(r) }) {
				return name
			}
			if wrong := misnamed(inner); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// merge merges the value into what the fields have under the name, as RFC 7396 says.
func merge(fields map[string]any, name string, value any) {
	patch, isObject := value.(map[string]any)
	switch {
	case value == nil:
		delete(fields, name)
	case !isObject:
		fields[name] = value
	default:
		into, is := fields[name].(map[string]any)
		if !is {
			into = make(map[string]any)
		}
		for inner, value := range patch {
			merge(into, inner, value)
		}
		fields[name] = into
	}
}
