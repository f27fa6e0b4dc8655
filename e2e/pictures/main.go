// Command pictures takes the pictures of the console and of the panels that the documentation shows: it runs the program
// with a day of a made-up shop behind it, and then with a year of one, and looks at it in Chromium.
//
//	go run ./e2e/pictures                  writes docs/images
//	go run ./e2e/pictures -review folder   writes every page at four widths, light and dark, in both languages
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// shot is a picture to be taken.
type shot struct {
	name           string
	path           string
	width, height  int64
	dark           bool
	visitor        bool // a page of the shop, as a visitor sees it
	language       string
	prepare, until string // scripts
}

// guide are the pictures of the documentation, each under 80 KB.
func guide(d day) []shot {
	return []shot{
		{name: "visitors", path: "/visitors", width: 1100, height: 500},
		{name: "leads", path: "/leads", width: 1100, height: 440, dark: true},
		{name: "card", path: d.card, width: 1100, height: 640},
		{name: "chat", path: d.chat, width: 1280, height: 680},
		{name: "chat-on-a-phone", path: d.chat, width: 390, height: 640, dark: true},
		{name: "lead-on-a-phone", path: d.lead, width: 390, height: 640},
		{name: "panels", path: "/", width: 1100, height: 680, visitor: true, prepare: openChat, until: hasChat},
		{name: "panels-on-a-phone", path: "/", width: 390, height: 640, dark: true, visitor: true, prepare: openPhone, until: hasPhone},
	}
}

func review(d day) (shots []shot) {
	pages := map[string]string{"visitors": "/visitors", "leads": "/leads", "leads-narrowed": "/leads?q=lamp&owner=me&since=2020-01-01", "leads-none": "/leads?q=chandelier", "forms": "/leads/forms", "lead": d.lead, "card": d.card, "numbers": "/numbers", "number": "/numbers/1/78005550142", "new-number": "/numbers/1/new", "configured-number": "/numbers/1/74951234567", "who": "/numbers/1/who?address=https%3A%2F%2Fdemo-shop%2F%3Fyclid%3D17%26utm_campaign%3Dkitchen",
		"roster": "/numbers/1/roster", "pools": "/numbers/pools", "pool": "/pools/1/moscow?number=74957651001", "new-pool": "/pools/1/new", "calls": "/calls", "callbacks": "/callbacks", "callback": d.callback, "new-callback": "/callbacks/new?visitor=" + path.Base(d.card), "callbacks-none": "/callbacks?state=closed", "chats": "/chats", "chat": d.chat, "groups": "/sites/1/groups", "group": "/sites/1/groups/1", "replies": "/sites/1/replies?reply=1", "account": "/account", "steps": "/account/two-step", "forgotten": "/forgotten", "nowhere": "/nowhere",
		"sites": "/sites", "site": "/sites/1", "check": "/sites/1/check", "settings": "/sites/1/settings", "captures": "/sites/1/captures", "new-capture": "/sites/1/captures/new", "widget": "/sites/1/widget",
		"deliveries": "/sites/1/deliveries", "endpoint": "/sites/1/endpoints/1", "new-mail": "/sites/1/endpoints/new?as=mail", "new-telegram": "/sites/1/endpoints/new?as=telegram", "conversions": "/sites/1/conversions", "new-destination": "/sites/1/conversions/new?as=meta", "operators": "/operators", "operator": "/operators/1", "colleague": "/operators/2", "history": "/history", "tokens": "/tokens", "person": "/person", "lookup": "/lookup?q=an", "waits": "/chats/waits"}
	for _, language := range []string{"en", "ru"} {
		for _, width := range []int64{390, 768, 1280, 1920} {
			for _, dark := range []bool{false, true} {
				look := map[bool]string{false: "light", true: "dark"}[dark]
				shots = append(shots, shot{name: fmt.Sprintf("found-person-%s-%d-%s", language, width, look), path: "/person", width: width, height: 1200, dark: dark, language: language,
					prepare: `document.getElementById("who").value = "+7 495 555-01-44, maria@mail.example"; document.querySelector("main form").requestSubmit()`, until: `document.querySelector(".known")`})
				for name, more := range map[string]string{"look": "", "wrong": `12;a;b;\n74957650025;c;;\n`} {
					shots = append(shots, shot{name: fmt.Sprintf("roster-%s-%s-%d-%s", name, language, width, look), path: "/numbers/1/roster", width: width, height: 1200, dark: dark, language: language,
						prepare: `const all = new DataTransfer(); all.items.add(new File(["number;name;source;pool\n+7 495 765-00-21;Newsletter;letter*;\n+7 495 765-00-22;Radio;radio;\n74957650023;;;Spring\n` + more + `"], "a.csv"));
							document.getElementById("file").files = all.files; document.querySelector("main form:has(#file) button").click()`, until: `document.querySelector("main .ruled")`})
				}
				for _, view := range []string{"page", "chat", "request", "phone"} {
					shots = append(shots, shot{name: fmt.Sprintf("widget-%s-%s-%d-%s", view, language, width, look), path: "/sites/1/widget", width: width, height: 1200, dark: dark, language: language,
						prepare: fmt.Sprintf(`document.querySelector("[name=scheme][value=%s]").click(); document.querySelector("[name=view][value=%s]").click(); setTimeout(() => { window.settled = true }, 1500)`, look, view), until: `window.settled`})
				}
				for view, script := range map[string][2]string{"chat": {openChat, hasChat}, "request": {openForm, `panels.querySelector("[name=message]")?.offsetParent`}, "phone": {openPhone, hasPhone}} {
					shots = append(shots, shot{name: fmt.Sprintf("panels-%s-%s-%d-%s", view, language, width, look), path: map[string]string{"en": "/", "ru": "/ru/"}[language],
						width: width, height: 800, dark: dark, language: language, visitor: true, prepare: script[0], until: script[1]})
				}
				shots = append(shots, shot{name: fmt.Sprintf("widget-rows-%s-%d-%s", language, width, look), path: "/sites/1/widget", width: width, height: 3200, dark: dark, language: language,
					prepare: `for (const name of ["color", "avatar", "fieldsAre", "invitationsAre"]) document.querySelector("[name=" + name + "]").value = "own"; document.querySelector("[name=do][value=invite]").click()`,
					until:   `document.querySelector("[name=invite0after]")`})
				shots = append(shots, shot{name: fmt.Sprintf("chat-visitor-%s-%d-%s", language, width, look), path: d.chat, width: width, height: 844, dark: dark, language: language,
					prepare: `document.querySelector(".conversation-head [data-who]").click()`, until: `document.querySelector(".has-who")`})
				for name, path := range pages {
					shots = append(shots, shot{name: fmt.Sprintf("%s-%s-%d-%s", name, language, width, look),
						path: path, width: width, height: heightOf(name), dark: dark, language: language})
				}
			}
		}
	}
	return shots
}

func main() {
	log.SetFlags(0)
	folder := flag.String("review", "", "the `folder` for pictures of everything")
	only := flag.String("only", "", "a regular `expression`: of the pictures to take, by their names")
	flag.Parse()
	if err := run(*folder, *only); err != nil {
		log.Fatal(err)
	}
}

func run(folder, only string) error {
	if _, err := os.Stat("Caddyfile.example"); err != nil {
		return errors.New("pictures are taken from the root of the repository")
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	format := "webp"
	scenes := []scene{{"a day", live, guide}, {"a year", past, guideOfYear}}
	if folder != "" {
		scenes, format = []scene{{"a day", live, review}, {"a year", past, reviewOfYear}}, "png"
	} else {
		folder = filepath.Join("docs", "images")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, s := range scenes {
		if err := s.take(ctx, folder, format, wanted); err != nil {
			return fmt.Errorf("pictures of %s: %w", s.name, err)
		}
	}
	return nil
}

// scene is a database that pictures are taken of.
type scene struct {
	name  string
	fill  func(ctx context.Context, home string) (day, error)
	shots func(day) []shot
}

// take takes those of the pictures whose names are wanted.
func (s scene) take(ctx context.Context, folder, format string, wanted *regexp.Regexp) error {
	if !slices.ContainsFunc(s.shots(day{}), func(one shot) bool { return wanted.MatchString(one.name) }) {
		return nil
	}
	home, err := os.MkdirTemp("", "frontdesk-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	d, err := s.fill(ctx, home)
	if err != nil {
		return fmt.Errorf("making it: %w", err)
	}
	console, site, stop, err := start(ctx, home)
	if err != nil {
		return fmt.Errorf("starting the program: %w", err)
	}
	defer stop()
	b, err := open(ctx, console, site)
	if err != nil {
		return fmt.Errorf("opening the console: %w", err)
	}
	defer b.close()
	for _, one := range s.shots(d) {
		if !wanted.MatchString(one.name) {
			continue
		}
		picture, err := b.take(one, format)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, one.name+"."+format), picture, 0o644); err != nil {
			return err
		}
		log.Printf("%s.%s: %d KB", one.name, format, (len(picture)+1023)/1024)
	}
	return nil
}

// heightOf is how much of a page is looked at: the forms are long.
func heightOf(name string) int64 {
	if strings.HasPrefix(name, "number") || strings.HasPrefix(name, "pool") || strings.HasPrefix(name, "new-") || name == "widget" || name == "account" {
		return 1700
	}
	return 844
}
