// Package agent tells with what a visitor looks at pages, by the header that browsers send.
package agent

import (
	"slices"
	"strings"

	"github.com/mileusna/useragent"

	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// Agent is a browser on a device. What is not known is empty.
type Agent struct {
	// Device is "desktop", "phone", "tablet" or "bot".
	Device string
	// Browser is the name of a family, such as "Chrome", and System that of an operating system, such as "Android".
	Browser, System string
}

// browsers are the families that are told apart, by what the library calls them. Others are unknown: their names may be anything.
var browsers = map[string]string{
	useragent.Chrome: "Chrome", useragent.HeadlessChrome: "Chrome", useragent.Firefox: "Firefox", useragent.Safari: "Safari", useragent.Edge: "Edge",
	useragent.Opera: "Opera", useragent.OperaMini: "Opera Mini", useragent.OperaTouch: "Opera", useragent.InternetExplorer: "Internet Explorer",
	useragent.Vivaldi: "Vivaldi", useragent.SamsungBrowser: "Samsung Browser", "YaBrowser": "Yandex Browser",
	"Miui Browser": "Mi Browser", useragent.FacebookApp: "Facebook", useragent.InstagramApp: "Instagram",
}

// systems are the operating systems that are told apart.
var systems = []string{useragent.Windows, useragent.Android, useragent.MacOS, useragent.IOS, useragent.Linux, useragent.ChromeOS, useragent.FreeBSD}

// maxHeader bounds what is read of a header: those of browsers are shorter.
const maxHeader = 512

// Of reads a User-Agent header (RFC 9110, section 10.1.5).
func Of(header string) Agent {
	header = clip.Text(header, maxHeader)
	if strings.TrimSpace(header) == "" {
		return Agent{}
	}
	of := useragent.Parse(header)
	a := Agent{Browser: browsers[of.Name]}
	if slices.Contains(systems, of.OS) {
		a.System = of.OS
	}
	switch {
	case of.Bot:
		a.Device = "bot"
	case of.Tablet:
		a.Device = "tablet"
	case of.Mobile:
		a.Device = "phone"
	case of.Desktop:
		a.Device = "desktop"
	}
	return a
}
