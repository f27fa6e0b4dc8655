package site_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance/appearancetest"
)

// whole are settings in which everything is set.
func whole() site.Settings {
	return site.Settings{
		PhoneMask:            new("+7 (###) ###-##-##"),
		Region:               new("RU"),
		Timezone:             new("Asia/Kathmandu"),
		PersonDays:           new(60),
		Currency:             new("NPR"),
		DynamicalReplacement: new(true),
		Prerender:            new("static"),
		Attribution:          new(attribution.First),
		Consent:              &site.Consent{Cookie: "cookies", Value: "yes*"},
		Origins:              []string{"https://m.shop.example"},
		Numbers:              []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Name: "Spring", Pool: "spring", When: []string{"utm_source=news*"}}}}},
		Pools:                map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650011"}, Hold: time.Minute}},
		Widget:               appearancetest.Whole(),
		Messengers:           new(true),
		Supersede:            new(true),
		Respect:              []string{"dnt"},
		RetentionDays:        new(30),
		Captures:             []capture.Rule{{Path: "/order"}},
		IgnoreForms:          new(true),
		Credentials:          new("form.contact"),
		Callback:             &callback.Settings{Off: new(false), Phone: "74951234567", Countries: []string{"RU"}},
		GuideHidden:          new(true),
	}
}

func TestWholeSettingsAreWhole(t *testing.T) {
	for field, value := range reflect.ValueOf(whole()).Fields() {
		require.False(t, value.IsNil(), field.Name)
	}
	own := site.Settings{Callback: &callback.Settings{Off: new(true), CallerID: "74957654321"}}.Over(whole())
	require.Equal(t, &callback.Settings{Off: new(true), Phone: "74951234567", Countries: []string{"RU"}, CallerID: "74957654321"}, own.Callback, "callbacks are taken field by field")
}

func TestChangeIsInEffectOnAllNodes(t *testing.T) {
	eachTwo(t, func(t *testing.T, d *db.DB, here, there *site.Sites) {
		shop, err := here.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, site.Settings{}, shop.Settings, "nothing is set")
		arrives := func(node *site.Sites, expected site.Site) {
			t.Helper()
			began := time.Now()
			require.Eventually(t, func() bool {
				found, err := node.ByKey(t.Context(), "shop.example")
				return err == nil && assert.ObjectsAreEqual(expected, found)
			}, wait, tick)
			t.Logf("version %d was in effect on the other node after %v", expected.Version, time.Since(began).Round(time.Millisecond))
		}
		arrives(there, shop)

		changed, err := here.Change(t.Context(), "shop.example", 0, whole(), "vera")
		require.NoError(t, err)
		expected := shop
		expected.Version, expected.Settings = 1, whole()
		require.Equal(t, expected, changed)
		found, err := here.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, changed, found, "at once where it was changed")
		arrives(there, changed)

		// What is set to nothing is not what is not set.
		next := site.Settings{PhoneMask: new(""), DynamicalReplacement: new(false), Consent: &site.Consent{}, Origins: []string{}}
		changed, err = there.Change(t.Context(), "shop.example", 1, next, "boris")
		require.NoError(t, err)
		require.Equal(t, next, changed.Settings)
		same, err := there.Change(t.Context(), "shop.example", 2, next, "boris")
		require.NoError(t, err)
		require.Equal(t, changed, same, "no change makes no version")
		arrives(here, changed)
		read, err := newSites(d).ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, changed, read)

		entries := journaltest.Entries(t, d)
		widget, err := json.Marshal(appearancetest.Whole())
		require.NoError(t, err)
		require.Len(t, entries, 3)
		require.Equal(t, site.Changed, entries[1].Kind)
		require.Equal(t, shop.ID, entries[1].SiteID)
		require.Equal(t, shop.ID, entries[1].SubjectID)
		require.JSONEq(t, `{"by": "vera", "from": 0, "to": 1, "settings": {
			"phone_mask": "+7 (###) ###-##-##", "region": "RU", "timezone": "Asia/Kathmandu", "person_days": 60, "currency": "NPR", "dynamical_replacement": true, "prerender": "static", "attribution": "first",
			"consent": {"cookie": "cookies", "value": "yes*"}, "origins": ["https://m.shop.example"], "messengers": true, "supersede": true, "respect": ["dnt"], "retention_days": 30, "captures": [{"path": "/order"}],
			"ignore_forms": true, "credentials": "form.contact", "callback": {"off": false, "phone": "74951234567", "countries": ["RU"]}, "guide_hidden": true,
			"numbers": [{"number": "74951234567", "tracking": [{"name": "Spring", "pool": "spring", "when": ["utm_source=news*"]}]}],
			"pools": {"spring": {"numbers": ["74957650011"], "hold": 60000000000}},
			"widget": `+string(widget)+`},
			"numbers": {"added": ["74951234567"]}, "pools": {"added": ["spring"]}}`, string(entries[1].Data))
		require.JSONEq(t, `{"by": "boris", "from": 1, "to": 2, "settings": {
			"phone_mask": "", "region": null, "timezone": null, "person_days": null, "currency": null, "dynamical_replacement": false, "prerender": null, "attribution": null,
			"consent": {"cookie": ""}, "origins": [], "numbers": null, "pools": null, "widget": null, "messengers": null, "supersede": null, "respect": null, "retention_days": null, "captures": null, "ignore_forms": null,
			"credentials": null, "callback": null, "guide_hidden": null},
			"numbers": {"removed": ["74951234567"]}, "pools": {"removed": ["spring"]}}`, string(entries[2].Data))
	})
}

func TestOfConcurrentChangesOneWins(t *testing.T) {
	eachTwo(t, func(t *testing.T, d *db.DB, here, there *site.Sites) {
		shop, err := here.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		_, err = there.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		const rounds, together = 5, 8
		for version := range int64(rounds) {
			var won []string
			var mu sync.Mutex
			var changing sync.WaitGroup
			for i := range together {
				changing.Go(func() {
					mask := fmt.Sprintf("+7 ### %d-%d", version, i)
					changed, err := []*site.Sites{here, there}[i%2].Change(context.Background(), "shop.example", version, site.Settings{PhoneMask: &mask}, "vera")
					if err != nil {
						assert.ErrorIs(t, err, site.ErrChanged)
						return
					}
					assert.Equal(t, version+1, changed.Version)
					mu.Lock()
					defer mu.Unlock()
					won = append(won, mask)
				})
			}
			changing.Wait()
			require.Len(t, won, 1)
			read, err := newSites(d).ByKey(t.Context(), "shop.example")
			require.NoError(t, err)
			require.Equal(t, version+1, read.Version)
			require.Equal(t, won[0], *read.Settings.PhoneMask)
		}
		require.Len(t, journaltest.Entries(t, d), 1+rounds, "who lost has changed nothing")
		for _, stale := range []int64{-1, 0, rounds - 1, rounds + 1} {
			_, err := here.Change(t.Context(), shop.Key, stale, site.Settings{}, "vera")
			require.ErrorIs(t, err, site.ErrChanged)
		}
	})
}

func TestSettingsThatAreNotAcceptedChangeNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSites(d)
		_, err := s.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		long := strings.Repeat("c", 300)
		for setting, wrong := range map[string][]site.Settings{
			"region":         {{Region: new("ru")}, {Region: new("Russia")}, {Region: new("ZZ")}, {Region: new("001")}},
			"timezone":       {{Timezone: new("Local")}, {Timezone: new("Europe/Bonn")}, {Timezone: new("../UTC")}, {Timezone: new(long)}},
			"person_days":    {{PersonDays: new(0)}, {PersonDays: new(-1)}, {PersonDays: new(366)}},
			"currency":       {{Currency: new("eur")}, {Currency: new("EURO")}, {Currency: new("ZZZ")}, {Currency: new("XXX")}, {Currency: new(long)}},
			"phone_mask":     {{PhoneMask: new("none")}, {PhoneMask: new("#\n")}, {PhoneMask: new("#\xff")}, {PhoneMask: new(strings.Repeat("#", 65))}},
			"prerender":      {{Prerender: new("")}, {Prerender: new("on")}, {Prerender: new("Static")}},
			"attribution":    {{Attribution: new(attribution.Model(""))}, {Attribution: new(attribution.Model("never"))}},
			"consent":        {{Consent: &site.Consent{Value: "yes"}}, {Consent: &site.Consent{Cookie: "a b"}}, {Consent: &site.Consent{Cookie: "c", Value: "a;b"}}, {Consent: &site.Consent{Cookie: long}}},
			"respect":        {{Respect: []string{"cookie"}}, {Respect: []string{"dnt", "dnt"}}},
			"retention_days": {{RetentionDays: new(0)}, {RetentionDays: new(site.MaxRetentionDays + 1)}},
			"credentials":    {{Credentials: new("form[")}, {Credentials: new("фо")}},
			"callback":       {{Callback: &callback.Settings{Phone: "+7"}}, {Callback: &callback.Settings{Platform: "pigeon"}}},
			"origins": {{Origins: []string{"m.shop.example"}}, {Origins: []string{"https://M.shop.example"}}, {Origins: []string{"https://a.example/"}},
				{Origins: []string{"https://" + long}}, {Origins: make([]string, site.MaxOrigins+1)}},
			"numbers": {{Numbers: []number.Number{{Number: "112"}}}, {Numbers: make([]number.Number, number.MaxOwn+1)}},
			"pools":   {{Pools: map[string]number.DeclaredPool{"Spring": {Numbers: []string{"74957650011"}}}}, {Pools: map[string]number.DeclaredPool{"spring": {}}}},
		} {
			for _, settings := range wrong {
				_, err := s.Change(t.Context(), "shop.example", 0, settings, "vera")
				var invalid *site.Invalid
				require.ErrorAs(t, err, &invalid)
				require.Equal(t, setting, invalid.Setting)
			}
		}
		_, err = s.Change(t.Context(), "other.example", 0, whole(), "vera")
		require.ErrorIs(t, err, site.ErrUnknown)
		shop, err := s.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Zero(t, shop.Version)
	})
}

// store writes settings as another program does.
func store(t *testing.T, d *db.DB, key, settings string) {
	t.Helper()
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(site.Topic)
		_, err := tx.Exec(ctx, `UPDATE sites SET settings = $1, version = version + 1 WHERE key = $2`, settings, key)
		return err
	}))
}

func TestSettingsOfANewerProgram(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		core, logged := observer.New(zapcore.WarnLevel)
		s := follow(t, site.New(d, time.Now, zap.New(core)))
		_, err := s.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		at := func(version int64) (found site.Site) {
			t.Helper()
			require.Eventually(t, func() bool {
				found, err = s.ByKey(t.Context(), "shop.example")
				return err == nil && found.Version == version
			}, wait, tick)
			return found
		}
		store(t, d, "shop.example", `{"future": {"a": [1]}, "prerender": "on", "phone_mask": 7, "origins": ["no origin"], "attribution": "first",
			"consent": {"cookie": "cookies", "mode": "strict"}}`)
		known := site.Settings{Attribution: new(attribution.First), Consent: &site.Consent{Cookie: "cookies"}}
		found := at(1)
		require.Equal(t, known, found.Settings, "what cannot be understood is left to the defaults")
		warnings := logged.TakeAll()
		require.Len(t, warnings, 1)
		require.Equal(t, []any{"origins", "phone_mask", "prerender"}, warnings[0].ContextMap()["settings"])
		require.Equal(t, "shop.example", warnings[0].ContextMap()["site"])

		// A change of something else leaves all of it as it is.
		next := found.Settings
		next.Attribution, next.DynamicalReplacement = nil, new(true)
		changed, err := s.Change(t.Context(), "shop.example", 1, next, "vera")
		require.NoError(t, err)
		require.Equal(t, next, changed.Settings)
		require.JSONEq(t, `{"future": {"a": [1]}, "prerender": "on", "phone_mask": 7, "origins": ["no origin"], "dynamical_replacement": true,
			"consent": {"cookie": "cookies", "mode": "strict"}}`, storedOf(t, d))
		for range 3 {
			require.NoError(t, s.Refresh(t.Context()))
		}
		_, err = s.Provision(t.Context(), "another.example") // has all sites read again
		require.NoError(t, err)
		require.NoError(t, s.Refresh(t.Context()))
		require.Equal(t, 1, logged.Len(), "once for each version")
		logged.TakeAll()

		// What is set here takes its place.
		next.Prerender = new("off")
		changed, err = s.Change(t.Context(), "shop.example", 2, next, "vera")
		require.NoError(t, err)
		require.Equal(t, "off", *changed.Settings.Prerender)
		require.Contains(t, storedOf(t, d), `"prerender":"off"`)
		logged.TakeAll()

		for version, unreadable := range []string{`[]`, `"text"`, `{`, ``} {
			store(t, d, "shop.example", unreadable)
			require.Equal(t, site.Settings{}, at(int64(version)+4).Settings)
			require.Len(t, logged.TakeAll(), 1, unreadable)
		}
		store(t, d, "shop.example", `null`)
		require.Equal(t, site.Settings{}, at(8).Settings)
		changed, err = s.Change(t.Context(), "shop.example", 8, whole(), "vera")
		require.NoError(t, err)
		require.Equal(t, whole(), changed.Settings)
	})
}

func storedOf(t *testing.T, d *db.DB) string {
	t.Helper()
	settings, _, err := db.One(t.Context(), d.Read(), db.Only[string], `SELECT settings FROM sites WHERE key = 'shop.example'`)
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(settings)))
	return settings
}

func TestOver(t *testing.T) {
	require.Equal(t, whole(), site.Settings{}.Over(whole()))
	require.Equal(t, whole(), whole().Over(site.Settings{}))
	off := site.Settings{
		PhoneMask: new(""), Region: new(""), Timezone: new(""), PersonDays: new(1), Currency: new(""), DynamicalReplacement: new(false), Prerender: new("off"), Attribution: new(attribution.Last),
		Consent: &site.Consent{}, Origins: []string{}, Numbers: []number.Number{}, Pools: map[string]number.DeclaredPool{},
		Messengers: new(false), Supersede: new(false), Respect: []string{}, RetentionDays: new(1), Captures: []capture.Rule{}, IgnoreForms: new(false), Credentials: new(""), GuideHidden: new(false),
		Callback: &callback.Settings{Off: new(true), Phone: "78005553535", Countries: []string{"KZ"}}, Widget: new(appearance.Widget),
	}
	require.Equal(t, whole(), whole().Over(off))
	off.Widget = appearancetest.Whole() // of which each field is one for itself
	require.Equal(t, off, off.Over(whole()))
}

func TestInvalidNamesTheSetting(t *testing.T) {
	err := site.Settings{Prerender: new("on")}.Check()
	require.EqualError(t, err, site.CheckPrerender("on").Error())
	require.Error(t, errors.Unwrap(err))
}

func TestZone(t *testing.T) {
	require.Equal(t, time.UTC, site.Settings{}.Zone())
	require.Equal(t, time.UTC, site.Settings{Timezone: new("")}.Zone())
	_, seconds := time.Unix(0, 0).In(whole().Zone()).Zone()
	require.Equal(t, 5*60*60+30*60, seconds, "a quarter of an hour was added in 1986")
}
