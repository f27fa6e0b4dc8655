// Package placeholder knows placeholders in texts of a configuration: which have one, what fills it in, and where a
// Caddyfile has it.
package placeholder

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// In tells whether the text may have a placeholder.
func In(text string) bool { return strings.ContainsRune(text, '{') }

// filePlaceholder is one that stands for what a file holds.
var filePlaceholder = regexp.MustCompile(`\{file\.([^{}]+)\}`)

// Fill gives the text with its placeholders filled in, none of which may be empty. Why a file cannot be
// read, Caddy says in its log alone.
func Fill(text string) (string, error) {
	resolved, err := caddy.NewReplacer().ReplaceOrErr(text, true, true)
	if err == nil {
		return resolved, nil
	}
	for _, name := range filePlaceholder.FindAllStringSubmatch(text, -1) {
		if file, failed := os.Open(name[1]); failed != nil {
			return "", fmt.Errorf("%w: %w", err, failed)
		} else {
			file.Close()
		}
	}
	return "", err
}

// Places tell where a Caddyfile has what holds placeholders, which are resolved only when the configuration is
// loaded, perhaps by another process: FILE:LINE by the text. What they do not tell was not written in a Caddyfile.
type Places map[string]string

// Note remembers the place of the text, which the dispenser has just read.
func (p *Places) Note(d *caddyfile.Dispenser, text string) {
	if In(text) {
		p.Keep(d, text)
	}
}

// Keep is Note for a text that may turn out to be wrong only when the configuration is loaded.
func (p *Places) Keep(d *caddyfile.Dispenser, text string) {
	if *p == nil {
		*p = make(Places)
	}
	if _, known := (*p)[text]; !known {
		(*p)[text] = fmt.Sprintf("%s:%d", d.File(), d.Line())
	}
}

// At puts the place of the text before what is wrong with it.
func (p Places) At(text string, err error) error {
	if place, known := p[text]; known && err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}
