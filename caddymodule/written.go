package caddymodule

import (
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// written tells where a Caddyfile has what holds placeholders, which are resolved only when the configuration is
// loaded, perhaps by another process: FILE:LINE by the text. What it does not tell was not written in a Caddyfile.
type written map[string]string

// note remembers the place of the text, which the dispenser has just read.
func (w *written) note(d *caddyfile.Dispenser, text string) {
	if !hasPlaceholder(text) {
		return
	}
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
