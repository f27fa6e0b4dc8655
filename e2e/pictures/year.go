package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/console/bulletins"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// past fills the database in the folder with a year of the shop, which ends yesterday.
func past(ctx context.Context, home string) (d day, err error) {
	database, err := made(ctx, home)
	if err != nil {
		return d, err
	}
	defer database.Close()
	if _, err := operator.New(database, time.Now).Create(ctx, operator.Server(),
		operator.Account{Sites: scope.All(), Login: login, Name: "Vera Smirnova", Password: password, Role: operator.Admin}); err != nil {
		return d, err
	}
	if err := demo.Fill(ctx, database, demo.Year(time.Now()), func(time.Time, int64) {}); err != nil {
		return d, err
	}
	d.letter = "file://" + filepath.Join(home, "letter.html")
	written, err := letter(ctx, database)
	if err != nil {
		return d, fmt.Errorf("writing a mail with figures: %w", err)
	}
	return d, os.WriteFile(strings.TrimPrefix(d.letter, "file://"), []byte(written), 0o600)
}

// letter is the mail with the figures of the latest week, as HTML.
func letter(ctx context.Context, database *db.DB) (string, error) {
	keys, err := key.Open(ctx, database, time.Now)
	if err != nil {
		return "", err
	}
	writer := bulletins.NewWriter(bulletins.Sources{
		Reports: report.New(database, keys, time.Now), Incidents: incident.New(database, time.Now), Key: site.New(database, time.Now, zap.NewNop()).Key,
		Console: func() string { return "https://desk.example/" },
	}, time.Now)
	written, err := writer.Write(ctx, bulletin.Issue{
		Subscription: bulletin.Subscription{SiteID: 1, Address: "owner@shop.example", Every: bulletin.Week, Language: "en"}, Covers: bulletin.Week.Latest(time.Now(), time.UTC),
		PersonWindow: 30 * 24 * time.Hour, Stop: "https://shop.example/stop",
	})
	return written.HTML, err
}

const drawn = `document.querySelector(".course-chart canvas")`

// guideOfYear are the pictures of the documentation that need a year behind them.
func guideOfYear(d day) []shot {
	return []shot{
		{name: "overview", path: "/overview", width: 1280, height: 880, until: drawn},
		{name: "overview-on-a-phone", path: "/overview", width: 390, height: 640, dark: true, until: drawn},
		{name: "report", path: "/reports?by=campaign&span=90", width: 1280, height: 1180, until: drawn},
		{name: "report-of-hours", path: "/reports?by=hour&and=weekday&figure=inquiries", width: 1280, height: 620, dark: true, until: drawn,
			prepare: `document.querySelector(".heat").scrollIntoView({block: "end"})`},
		{name: "report-of-paths", path: "/reports/paths", width: 1100, height: 720},
		{name: "inquiries", path: "/inquiries", width: 1100, height: 640},
		{name: "figures-by-mail", path: d.letter, width: 640, height: 1120},
	}
}

func reviewOfYear(day) (shots []shot) {
	pages := map[string]string{"overview": "/overview", "report": "/reports?by=source", "report-of-two": "/reports?by=channel&and=device", "heat": "/reports?by=hour&and=weekday", "paths": "/reports/paths", "rows": "/reports/rows?figure=calls", "saved": "/reports/saved", "links": "/reports/links",
		"bulletins": "/reports/mail", "costs": "/costs/1", "inquiries": "/inquiries"}
	for _, language := range []string{"en", "ru"} {
		for _, width := range []int64{390, 768, 1280, 1920} {
			for look, dark := range map[string]bool{"light": false, "dark": true} {
				for name, path := range pages {
					shots = append(shots, shot{name: fmt.Sprintf("%s-%s-%d-%s", name, language, width, look), path: path, width: width, height: 1500, dark: dark, language: language})
				}
			}
		}
	}
	return shots
}
