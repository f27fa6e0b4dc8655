package snippet

import (
	"bytes"
	_ "embed" // the built script
	"encoding/json"
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/asset"
)

// bundle is the core script as built from browser/: a function expression of one argument, the configuration.
//
//go:generate go run ./browser/build
//go:embed dist/svc.js
var bundle []byte

// crossing comes before the core script of sites with several domains: a function expression that takes the configuration
// and gives it back.
//
//go:embed dist/crossing.js
var crossing []byte

// sentry comes before the core script of sites with tracking numbers: a function expression like crossing.
//
//go:embed dist/sentry.js
var sentry []byte

// The two variants of the browser interface (section 9), as configurations name them.
const (
	VariantA = "A"
	VariantB = "B"
)

// ScriptSettings is what the core script has to know of a site before it runs.
type ScriptSettings struct {
	// Objects are the names of the two global objects of the browser interface. They are ASCII identifiers
	// of JavaScript, distinct, and neither reserved words nor names that every page has already.
	Objects [2]string

	// Variant of the browser interface, VariantA or VariantB.
	Variant string

	// Launcher says that the site shows a launcher of the panels by itself, and invitations. Where it does not, panels come
	// when the page opens them.
	Launcher bool

	// Tracking says that the site has tracking numbers. A script that does not know of them replaces them all the same, but on a visit's
	// later pages not before the service has answered.
	Tracking bool

	// Domains are the hosts of a site that has several registrable domains: those of a domain with commas between them,
	// and blanks between the domains. "*.shop.example" are all hosts with one label in its place. It is empty for other
	// sites. Links from one domain to another then bring the visitor along.
	Domains string

	// ConsentCookie is the name of the cookie by which a site says that the visitor has agreed. When it is empty, nobody is asked.
	ConsentCookie string

	// ConsentValue is the pattern of the values of that cookie that say yes; see ConsentExpression. When it is empty, any value does.
	ConsentValue string
}

// Script is the core script of one configuration, ready to be served in each content coding.
type Script struct{ *asset.Asset }

// NewScript makes the script for the settings. The error says which setting is wrong and what was expected.
func NewScript(settings ScriptSettings) (*Script, error) {
	configuration, err := settings.configuration()
	if err != nil {
		return nil, err
	}
	argument, err := json.Marshal(configuration)
	if err != nil {
		return nil, fmt.Errorf("encoding the configuration of the script: %w", err)
	}
	if settings.Tracking {
		argument = fmt.Appendf(nil, "%s(%s)", sentry, argument)
	}
	if settings.Domains != "" {
		argument = fmt.Appendf(nil, "%s(%s)", crossing, argument)
	}
	plain := bytes.Join([][]byte{bundle, []byte("("), argument, []byte(");\n")}, nil)
	return &Script{asset.New("svc.js", "public, max-age=300, stale-while-revalidate=86400", plain)}, nil
}
