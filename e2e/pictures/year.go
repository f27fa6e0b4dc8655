package main

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
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
	return d, demo.Fill(ctx, database, demo.Year(time.Now()), func(time.Time, int64) {})
}

const drawn = `document.querySelector(".course-chart canvas")`

// guideOfYear are the pictures of the documentation that need a year behind them.
func guideOfYear(day) []shot {
	return []shot{
		{name: "overview", path: "/overview", width: 1280, height: 880, until: drawn},
		{name: "overview-on-a-phone", path: "/overview", width: 390, height: 640, dark: true, until: drawn},
		{name: "report", path: "/reports?by=campaign&span=90", width: 1280, height: 1180, until: drawn},
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
