package console_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// used are the names of messages that the templates and the code mention, those
// included that are put together from a value.
func used(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{
		"role." + string(operator.Admin): true, "role." + string(operator.Agent): true,
		"origin." + lead.Script: true, "origin." + lead.Server: true, "origin." + lead.Form: true, "origin." + lead.Chat: true, "source.other": true,
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
	for _, state := range []call.State{call.Ringing, call.Talking, call.Endless, "answered", "missed", "busy", "failed"} {
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
	for _, kind := range visit.Kinds {
		names["source."+kind] = true
	}
	for _, reason := range notify.Reasons {
		names["delivery.reason."+reason] = true
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
	for _, as := range []string{"webhook", "mail", "telegram"} {
		names["endpoint.new."+as] = true
	}
	for _, code := range []string{"url", "https", "private", "mailbox", "content_type", "subject", "events", "language", "kind", "template"} { // of [notify.Invalid]
		names["endpoint.wrong."+code] = true
	}
	pages, err := filepath.Glob("*/templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		if name := strings.TrimSuffix(filepath.Base(page), ".html"); !slices.Contains([]string{"door", "layout", "parts"}, name) { // the door's title says what it is for
			names[name+".title"] = true
		}
	}
	mention := regexp.MustCompile(`"([a-z]+\.[a-zA-Z]+|waiting|signout)"`)
	for _, pattern := range []string{"*/templates/*.html", "*.go", "*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, found := range mention.FindAllSubmatch(text, -1) {
				if name := string(found[1]); !regexp.MustCompile(`\.(css|js|svg|png|webmanifest|html|example)$`).MatchString(name) {
					names[name] = true
				}
			}
		}
	}
	return names
}

func TestEveryLanguageHasEveryWord(t *testing.T) {
	wanted := used(t)
	for _, tag := range []string{"en", "ru"} {
		text, err := os.ReadFile("words/locales/" + tag + ".json")
		require.NoError(t, err)
		var messages map[string]any
		require.NoError(t, json.Unmarshal(text, &messages))
		for name := range wanted {
			_, found := messages[name]
			_, ofPanels := snippet.Texts(tag)[name] // of which the page of the widget speaks
			require.True(t, found || ofPanels, "%s: there is no %s", tag, name)
		}
		for _, name := range slices.Sorted(maps.Keys(messages)) {
			require.True(t, wanted[name], "%s: nobody says %s", tag, name)
		}
	}
}

// Templates are read by people, too.
func TestLinesOfTemplatesAreShort(t *testing.T) {
	files, err := filepath.Glob("*/templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			require.LessOrEqual(t, len([]rune(line)), 200, "%s:%d", file, i+1)
		}
	}
}
