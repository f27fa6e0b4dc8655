// Command build fetches what the console takes from npm: htmx with its
// extension for event streams, uPlot for charts, icons, for the panels of pages the masks of phone numbers,
// and for the tests the accessibility rules of axe. The output is committed. It is run in the frame's folder by
// go generate.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// part is a package of npm and the files taken from it, by where they go.
type part struct {
	name, version string
	files         map[string]string
}

// icons are the signs that the templates name.
var icons = []string{
	"arrow-left", "arrow-up", "at-sign", "ban", "bell", "bell-off", "chart-line", "check", "chevron-right", "circle-alert", "copy", "corner-up-left", "external-link", "file-text",
	"globe", "history", "inbox", "key-round", "layout-dashboard", "log-out", "map-pin", "megaphone", "message-circle", "monitor", "mouse-pointer-click", "paperclip", "phone", "phone-incoming", "phone-outgoing", "plus",
	"search", "send-horizontal", "shield", "share-2", "smartphone", "sticky-note", "trash-2", "user", "user-plus", "users", "wifi-off",
}

func parts() []part {
	signs := map[string]string{"dist/LICENSE.lucide": "LICENSE"}
	for _, icon := range icons {
		signs["dist/icons/"+icon+".svg"] = "icons/" + icon + ".svg"
	}
	return []part{
		{"htmx.org", "4.0.1", map[string]string{
			"dist/htmx.js":      "dist/htmx.min.js",
			"dist/hx-sse.js":    "dist/ext/hx-sse.min.js",
			"dist/LICENSE.htmx": "LICENSE",
		}},
		{"uplot", "1.6.32", map[string]string{
			"dist/uplot.js":      "dist/uPlot.iife.min.js",
			"dist/uplot.css":     "dist/uPlot.min.css",
			"dist/LICENSE.uplot": "LICENSE",
		}},
		{"lucide-static", "1.62.0", signs},
		{"axe-core", "4.14.1", map[string]string{
			"../../../e2e/testdata/axe-core/axe.min.js": "axe.min.js",
			"../../../e2e/testdata/axe-core/LICENSE":    "LICENSE",
		}},
	}
}

func main() {
	log.SetFlags(0)
	for _, p := range parts() {
		if err := fetch(p); err != nil {
			log.Fatalf("fetching %s %s: %v", p.name, p.version, err)
		}
	}
}

func fetch(p part) error {
	folder, err := os.MkdirTemp("", "frontdesk-console-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	pack := exec.Command("npm", "pack", "--silent", "--pack-destination", folder, p.name+"@"+p.version)
	pack.Stderr = os.Stderr
	if err := pack.Run(); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return errors.Join(err, fmt.Errorf("npm pack left %d archives", len(archives)))
	}
	contents, err := unpack(archives[0])
	if err != nil {
		return err
	}
	for to, from := range p.files {
		content, found := contents[path.Join("package", from)]
		if !found {
			return fmt.Errorf("there is no %s in the package", from)
		}
		if strings.HasSuffix(to, ".svg") {
			content = plain(content)
		}
		if strings.HasSuffix(to, ".js") {
			content = withoutMap(content)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func unpack(archive string) (map[string][]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	contents := make(map[string][]byte)
	for reader := tar.NewReader(zipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return contents, nil
		}
		if err != nil {
			return nil, err
		}
		if contents[header.Name], err = io.ReadAll(reader); err != nil {
			return nil, err
		}
	}
}

var (
	comment  = regexp.MustCompile(`(?s)<!--.*?-->\s*`)
	space    = regexp.MustCompile(`\s+`)
	opening  = regexp.MustCompile(`^<svg[^>]*>`)
	mapEntry = regexp.MustCompile(`(?m)^//# sourceMappingURL=.*\n?`)
)

// plain leaves the drawing of an icon on one line; how it looks is the
// console's style to say.
func plain(svg []byte) []byte {
	svg = space.ReplaceAll(bytes.TrimSpace(comment.ReplaceAll(svg, nil)), []byte(" "))
	svg = opening.ReplaceAll(svg, []byte(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">`))
	return append(bytes.ReplaceAll(svg, []byte("> <"), []byte("><")), '\n')
}

// withoutMap drops the reference to a source map that is not served.
func withoutMap(script []byte) []byte {
	return mapEntry.ReplaceAll(script, nil)
}
