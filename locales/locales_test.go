package locales_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/channel"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/locales"
)

// message is a text by its plural forms. One that has none is its own "other".
type message map[string]string

func (m *message) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil {
		*m = message{"other": text}
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(m))
}

func messages(t *testing.T, folder, code string) map[string]message {
	t.Helper()
	content, err := locales.Files.ReadFile(folder + "/" + code + ".json")
	require.NoError(t, err)
	var read map[string]message
	require.NoError(t, json.Unmarshal(content, &read), "%s/%s", folder, code)
	return read
}

// gap is what a value is put into: of texts that the server fills, and of those that the browser does.
var gap = regexp.MustCompile(`{{\.[a-z_]+}}|{[a-z]+}`)

// Every language says the same: it has each text, with the same gaps, in all plural forms that it knows.
func TestLanguagesSayTheSame(t *testing.T) {
	for folder := range speakers {
		first := messages(t, folder, locales.Languages[0])
		for _, code := range locales.Languages {
			said := messages(t, folder, code)
			require.Equal(t, slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(said)), "%s/%s", folder, code)
			for key, forms := range said {
				if len(first[key]) > 1 || len(forms) > 1 {
					require.ElementsMatch(t, formsOf(code), slices.Collect(maps.Keys(forms)), "%s/%s: the plural forms of %s", folder, code, key)
				}
				for form, text := range forms {
					require.NotEmpty(t, strings.TrimSpace(text), "%s/%s: %s", folder, code, key)
					gaps := gap.FindAllString(text, -1)
					if form != "other" && !slices.Contains(gaps, "{{.n}}") {
						gaps = append(gaps, "{{.n}}") // "one" may be a word
					}
					require.Subset(t, first[key].gaps(), gaps, "%s/%s: %s", folder, code, key)
					require.Subset(t, gaps, first[key].gaps(), "%s/%s: %s", folder, code, key)
				}
			}
		}
	}
}

// gaps are those of the text.
func (m message) gaps() []string { return gap.FindAllString(m["other"], -1) }

// formsOf are the plural forms of whole numbers, and "other".
func formsOf(code string) []string {
	names := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}
	found := map[string]bool{"other": true}
	for n := range 200 {
		if name := names[plural.Cardinal.MatchPlural(language.MustParse(code), n, 0, 0, 0, 0)]; name != "" {
			found[name] = true
		}
	}
	return slices.Collect(maps.Keys(found))
}

type speaker struct {
	sources []string
	key     *regexp.Regexp
	made    map[string]bool
}

// speakers are, for each folder of texts, the sources that say them, how a key looks in these, and the keys that are put
// together from values. A key that ends with a dot stands for all that begin with it.
var speakers = map[string]speaker{
	"console": {[]string{"backend/console/*/templates/*.html", "backend/console/*.go", "backend/console/*/*.go"}, regexp.MustCompile(`"([a-z]+\.[a-zA-Z]+|waiting|signout)"`), madeByConsole()},
	"panels": {[]string{"snippet/browser/panels/*.ts", "snippet/browser/chat/*.ts"},
		regexp.MustCompile(`'((?:captcha|chat|field|form|invitation|launcher|panel|phone|request)\.[a-z0-9_.]*)'`), nil},
	"preview": {[]string{"snippet/browser/preview.ts", "edge/turn.go"}, regexp.MustCompile(`['"](preview\.[a-z]+)['"]`), nil},
	"mails": {[]string{"backend/notify/*.go", "backend/notify/*.txt", "backend/chat/letter/*.go", "backend/operator/invitation/*.go"},
		regexp.MustCompile(`["\[]((?:answer|label|letter|link|sample|site|transcript|unknown)\.[a-z]+|test|withheld)["\]]`), madeByMails()},
}

// madeByConsole are the keys of the console that are put together from values.
func madeByConsole() map[string]bool {
	names := map[string]bool{
		"role." + string(operator.Admin): true, "role." + string(operator.Agent): true,
		"source.other": true,
	}
	for _, m := range append(report.Metrics, "rate", "visit_cost", "inquiry_cost", "call_cost", "person_cost", "sale_cost", "return") {
		names["figure."+m] = true
	}
	for _, scope := range token.Scopes {
		subject, does := scope.Parts()
		names["subject."+subject], names["scope."+does] = true, true
	}
	for _, d := range report.Dimensions {
		names["by."+string(d)] = true
	}
	for _, platform := range cost.Platforms {
		names["platform."+string(platform)] = true
	}
	for _, reason := range cost.Reasons {
		names["left."+string(reason)] = true
	}
	for _, c := range channel.Channels {
		names["channel."+string(c)] = true
	}
	for _, m := range credit.Models {
		names["credit."+string(m)] = true
	}
	for _, s := range period.Steps {
		names["step."+string(s)] = true
	}
	for _, made := range []string{"devices.bot", "devices.desktop", "devices.phone", "devices.tablet", "beside.before", "beside.year", "beside.none", "weekday."} {
		names[made] = true
	}
	for _, outcome := range check.Failings {
		names["passed."+outcome] = true
	}
	for _, name := range []check.Name{check.Page, check.Code, check.Script, check.Hit, check.Number, check.Form, check.Call} {
		names["check."+string(name)] = true
	}
	for _, state := range []check.State{check.Well, check.Old, check.Missing, check.Unset} {
		names["check."+string(state)] = true
	}
	for _, origin := range lead.Origins {
		names["origin."+origin] = true
	}
	for _, mark := range []string{lead.Trap, lead.Quick, lead.Bot, lead.Repeated} {
		names["mark."+mark] = true
	}
	for _, reason := range call.Reasons {
		names["call.reason."+string(reason)] = true
	}
	for _, confidence := range []call.Confidence{call.High, call.Medium, call.Low} {
		names["call.confidence."+string(confidence)] = true
	}
	for _, state := range []call.State{call.Ringing, call.Talking, call.Redirected, call.Endless, "answered", "missed", "busy", "failed"} {
		names["call.state."+string(state)] = true
	}
	for _, state := range callback.States {
		names["callback.state."+string(state)] = true
	}
	for _, reason := range []string{
		string(telephony.Talked), string(telephony.OperatorBusy), string(telephony.OperatorNoAnswer), string(telephony.VisitorBusy), string(telephony.VisitorNoAnswer),
		string(telephony.OrderFailed), string(telephony.OrderCancelled), callback.Off, callback.NoPlatform, callback.NobodyToCall, callback.CountryNotAllowed,
		callback.TypeNotAllowed, callback.PlatformError, callback.PlatformSilent,
	} {
		names["callback.reason."+reason] = true
	}
	for _, kind := range []string{callback.StepAsked, callback.StepPlaced, callback.StepRefused, callback.StepSilent, callback.StepAgain, callback.StepPostponed,
		callback.StepClosed, string(telephony.OperatorRings), string(telephony.VisitorRings), string(telephony.Talking), string(telephony.Ended)} {
		names["callback.step."+kind] = true
	}
	names["callback.step.made"] = true // asked for by hand
	for _, tab := range []string{"open", "missed", "done", "closed"} {
		names["callbacks."+tab] = true
	}
	for _, state := range lead.States {
		names["state."+state.String()], names["leads."+state.String()] = true, true
	}
	for _, note := range telephony.Notes {
		names["call.note."+note] = true
	}
	for _, kind := range source.Kinds {
		names["source."+kind] = true
	}
	for _, reason := range append(append(attempt.Reasons, attempt.Skips...), "erased") {
		names["delivery.reason."+reason] = true
	}
	for _, event := range []notify.Event{notify.ChatBegun, notify.TakenBack, notify.GivenBack} {
		names["event."+string(event)] = true
	}
	for _, goal := range platform.Goals {
		names["goal."+string(goal)] = true
	}
	for _, kind := range conversion.Kinds {
		names["destination.kind."+string(kind)], names["destination.about."+string(kind)], names["destination.goalsHint."+string(kind)] = true, true, true
		about := []string{"address", "addressHint", "credential", "credentialHint", "testHint"}
		if conversion.IsFetched(kind) {
			about = []string{"filesHint"}
		}
		for _, what := range about {
			names["destination."+what+"."+string(kind)] = true
		}
	}
	for _, code := range []string{"address", "credential", "names", "events", "currency", "site", "test_code"} {
		names["destination.wrong."+code] = true
	}
	for _, state := range notify.States {
		names["delivery.state."+string(state)] = true
	}
	for _, event := range append(notify.Events, notify.Test) {
		names["event."+string(event)] = true
	}
	for _, contentType := range []string{"json", "form", "text"} {
		names["endpoint.type."+contentType] = true
	}
	for _, kind := range limit.Kinds {
		names["limit."+kind.String()] = true
	}
	for _, kind := range incident.Kinds {
		names["incident."+string(kind)], names["incident.over."+string(kind)] = true, true
	}
	for _, as := range []string{"webhook", "mail", "telegram"} {
		names["endpoint.new."+as] = true
	}
	for _, code := range []string{"url", "https", "private", "mailbox", "content_type", "subject", "events", "language", "kind", "template"} { // of [notify.Invalid]
		names["endpoint.wrong."+code] = true
	}
	return names
}

// madeByMails are the keys of mails that are put together from values.
func madeByMails() map[string]bool {
	names := make(map[string]bool)
	for _, event := range append(notify.Events, notify.Test) {
		if event != notify.Begun && event != notify.Over {
			names["event."+string(event)] = true
			continue
		}
		for _, kind := range incident.Kinds {
			names["event."+string(event)+"."+string(kind)] = true
		}
	}
	for _, origin := range []string{lead.Missed, lead.Call} {
		names["event.lead."+origin] = true
	}
	for _, status := range []telephony.Status{telephony.Answered, telephony.Missed, telephony.Busy, telephony.Failed} {
		names["status."+string(status)] = true
	}
	for _, kind := range source.Kinds {
		names["source."+kind] = true
	}
	for _, why := range []string{"invited", "reset", "forgotten"} { // of package invitation
		for _, part := range []string{".subject", ".intro", ".ignore"} {
			names[why+part] = true
		}
	}
	return names
}

// file is what looks like a key and is none.
var file = regexp.MustCompile(`\.(css|js|svg|png|webmanifest|html|example)$`)

// mentions are the keys that the sources say, and those that are put together.
func (s speaker) mentions(t *testing.T) map[string]bool {
	t.Helper()
	found := maps.Clone(s.made)
	if found == nil {
		found = make(map[string]bool)
	}
	for _, pattern := range s.sources {
		sources, err := filepath.Glob(filepath.Join("..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, sources, pattern)
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			content, err := os.ReadFile(source)
			require.NoError(t, err)
			for _, mention := range s.key.FindAllSubmatch(content, -1) {
				if key := string(mention[1]); !file.MatchString(key) {
					found[key] = true
				}
			}
			page, is := strings.CutSuffix(filepath.Base(source), ".html")
			if is && !slices.Contains([]string{"door", "layout", "parts"}, page) { // the door's title says what it is for
				found[page+".title"] = true
			}
		}
	}
	return found
}

// A text that nobody says is taken out, and one that is not there would be seen as its key.
func TestTextsAreThoseThatAreSaid(t *testing.T) {
	panels := messages(t, "panels", locales.Languages[0])
	folders, err := fs.Glob(locales.Files, "*")
	require.NoError(t, err)
	require.ElementsMatch(t, slices.Collect(maps.Keys(speakers)), folders)
	for folder, speaker := range speakers {
		texts := messages(t, folder, locales.Languages[0])
		said := make(map[string]bool)
		for key := range speaker.mentions(t) {
			found := false
			for name := range texts {
				if name == key || strings.HasSuffix(key, ".") && strings.HasPrefix(name, key) {
					said[name], found = true, true
				}
			}
			_, ofPanels := panels[key] // of which the console's page of the widget speaks
			require.True(t, found || folder == "console" && ofPanels, "%s: there is no %s", folder, key)
		}
		for key := range texts {
			require.True(t, said[key], "%s: nobody says %s", folder, key)
		}
	}
}

func TestLanguagesAreFoundByTheirTags(t *testing.T) {
	for tag, code := range map[string]string{
		"": "en", "en": "en", "en-GB": "en", "ru": "ru", "RU-ru": "ru", "ru_RU": "ru", "rue": "en", "de": "en", "../../ru": "en", "-": "en",
	} {
		require.Equal(t, code, locales.Language(tag), tag)
	}
	for read, code := range map[string]string{"de, ru;q=0.8": "ru", "de": "en", "en-GB, ru": "en"} {
		tags, _, err := language.ParseAcceptLanguage(read)
		require.NoError(t, err)
		_, i, _ := locales.Matcher.Match(tags...)
		require.Equal(t, code, locales.Languages[i], read)
	}
}
