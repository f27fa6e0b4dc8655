// Package networks reads which file tells where visitors are.
package networks

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/visit/place"
)

// Networks is a file that tells where visitors are.
type Networks struct {
	// The path of a database of cities or countries in MaxMind's format (`.mmdb`). It is read again when it changes.
	// Placeholders are resolved when the configuration is loaded.
	File string `json:"file"`

	// The language of the names of areas and cities, such as `ru`, as far as the file has them. Default: `en`.
	Language string `json:"language,omitempty"`

	path string // of File, with placeholders resolved
}

// Path is File; empty for no file.
func (n *Networks) Path() string {
	if n == nil {
		return ""
	}
	return n.File
}

// Resolve fills in placeholders, and checks the result. Whether there is a file is not looked at.
func (n *Networks) Resolve(placeholders func(string) (string, error)) (err error) {
	if n == nil {
		return nil
	}
	if err := checkLanguage(n.Language); err != nil {
		return err
	}
	if n.path, err = placeholders(n.File); err == nil && n.path == "" {
		err = errors.New("the path of the file is empty")
	}
	if err == nil {
		n.path, err = filepath.Abs(n.path)
	}
	if err != nil {
		return fmt.Errorf("networks: %w", err)
	}
	return nil
}

// Settings are what the service needs to know. Resolve has to have been called.
func (n *Networks) Settings() place.Settings {
	if n == nil {
		return place.Settings{}
	}
	return place.Settings{File: n.path, Language: n.Language}
}

// Examine reads the file, and says what it is; empty for no file. Resolve has to have been called.
func (n *Networks) Examine() (of string, err error) {
	if n == nil {
		return "", nil
	}
	if of, err = place.Check(n.Settings()); err != nil {
		return "", fmt.Errorf("%s: visits are stored without places: %w", n.path, err)
	}
	return n.path + ": " + of, nil
}

func checkLanguage(of string) error {
	if of == "" {
		return nil
	}
	if _, err := language.Parse(of); err != nil {
		return fmt.Errorf("networks: language %.40q: expected a code such as en or ru", of)
	}
	return nil
}

// Read reads an option of the app: networks <path> [<language>].
func Read(d *caddyfile.Dispenser, former *Networks) (*Networks, error) {
	if former != nil {
		return nil, d.Err("the file of networks is given already: expected one")
	}
	args := d.RemainingArgs()
	if len(args) < 1 || len(args) > 2 || args[0] == "" {
		return nil, d.Err("expected: networks PATH [LANGUAGE], such as networks /var/lib/GeoIP/GeoLite2-City.mmdb")
	}
	n := &Networks{File: args[0]}
	if len(args) == 2 {
		n.Language = args[1]
	}
	if err := checkLanguage(n.Language); err != nil {
		return nil, d.Err(err.Error())
	}
	return n, nil
}
