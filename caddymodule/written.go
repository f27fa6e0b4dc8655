package caddymodule

import (
	"fmt"
	"os"
	"regexp"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// filePlaceholder is one that stands for what a file holds.
var filePlaceholder = regexp.MustCompile(`\{file\.([^{}]+)\}`)

// resolvePlaceholders gives the text with its placeholders filled in, none of which may be empty. Why a file cannot be
// read, Caddy says in its log alone.
func resolvePlaceholders(text string) (string, error) {
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

// written tells where a Caddyfile has what holds placeholders, which are resolved only when the configuration is
// loaded, perhaps by another process: FILE:LINE by the text. What it does not tell was not written in a Caddyfile.
type written map[string]string

// note remembers the place of the text, which the dispenser has just read.
func (w *written) note(d *caddyfile.Dispenser, text string) {
	if hasPlaceholder(text) {
		w.place(d, text)
	}
}

// place is note for a text that may turn out to be wrong only when the configuration is loaded.
func (w *written) place(d *caddyfile.Dispenser, text string) {
	if *w == nil {
		*w = make(written)
	}
	if _, known := (*w)[text]; !known {
		(*w)[text] = fmt.Sprintf("%s:%d", d.File(), d.Line())
	}
}

// at puts the place of the text before what is wrong with it.
func (w written) at(text string, err error) error {
	if place, known := w[text]; known && err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}
