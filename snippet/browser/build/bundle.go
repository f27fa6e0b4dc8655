package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A script is built from the source that is its entry. The statements take the place of %s in what is around them.
type script struct {
	entry, around string
	own           string // a regular expression: properties whose names match it get shorter names
	target        api.Target
}

const (
	module = "%s" // and styles
	alone  = `(function(){"use strict";%s})();`
	// The argument of the core script, with what the script adds to it.
	before = `(function(` + parameter + `){"use strict";%sreturn ` + parameter + `})`
)

// scripts, and the console's styles, are all by where they are built, from the module's root as their sources are.
var scripts = map[string]script{
	// A function expression that takes the configuration of a site as its argument.
	"snippet/dist/svc.js":      {"snippet/browser/main.ts", `(function(` + parameter + `){"use strict";%s})`, ownOfCore, api.ES2018},
	"snippet/dist/crossing.js": {"snippet/browser/crossing.ts", before, "", api.ES2018},
	"snippet/dist/sentry.js":   {"snippet/browser/sentry.ts", before, "", api.ES2018},
	"snippet/dist/numbers.js":  {"snippet/browser/numbers/main.ts", alone, ownProperties, api.ES2018},
	// The panels' lacks the name of the chat's asset, which is declared before it.
	"snippet/dist/panels.js":  {"snippet/browser/panels/main.ts", module, "", api.ES2018},
	"snippet/dist/chat.js":    {"snippet/browser/chat/main.ts", module, "", api.ES2018},
	"snippet/dist/proof.js":   {"snippet/browser/proof.ts", module, "", api.ES2018},
	"snippet/dist/fill.js":    {"snippet/browser/fill.ts", alone, "", api.ES2018},
	"snippet/dist/preview.js": {"snippet/browser/preview.ts", alone, "", api.ES2018},

	"backend/console/frame/dist/console.js": {"backend/console/frame/browser/main.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/leaving.js": {"backend/console/frame/browser/leaving.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/worker.js":  {"backend/console/frame/browser/worker.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/chat.js":    {"backend/console/chats/browser/main.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/chart.js":   {"backend/console/figures/browser/chart.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/stage.js":   {"backend/console/widget/browser/stage.ts", alone, "", api.ES2022},
	"backend/console/frame/dist/passkey.js": {"backend/console/door/browser/passkey.ts", alone, "", api.ES2022},

	"backend/console/frame/dist/console.css": {"backend/console/frame/browser/main.css", module, "", api.ES2022},
	"backend/console/frame/dist/chat.css":    {"backend/console/chats/browser/styles.css", module, "", api.ES2022},
	"backend/console/frame/dist/chart.css":   {"backend/console/figures/browser/styles.css", module, "", api.ES2022},
	"backend/console/frame/dist/stage.css":   {"backend/console/widget/browser/stage.css", module, "", api.ES2022},
}

// build gives the script, for sources in the module at root. It is minified, in ASCII, without a line break at its end.
func (s script) build(root string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     root,
		EntryPoints:       []string{s.entry},
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            s.target,
		Charset:           api.CharsetASCII,
		LegalComments:     api.LegalCommentsNone,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MangleProps:       s.own,
		Define:            map[string]string{"__config": parameter, "__chat": parameter},
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("building the script: %s",
			strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), "\n"))
	}
	return fmt.Appendf(nil, s.around, bytes.TrimSpace(result.OutputFiles[0].Contents)), nil
}

// ownProperties are names of properties of the numbers part's own objects, which nothing but this part reads. They are no names that
// it reads of the page's objects, nor of what the core or the service gives it.
const ownProperties = `^(addAttributes|addLine|again|area|begin|compact|dash|dashed|digits|empty|escaped|first|form|gap|gaps|kind|known|link|matched|meaning|next|number|open|openAt|plus|plusAt|poured|round|shown|spaced|step|zero)$`

// ownOfCore are the same for the core: none that the page, the service, the numbers part or another run of the script reads.
const ownOfCore = `^(again|args|claimed|due|missed|object|outer|refused|reported|route|sent|settle)$`

// parameter is the name of the core's argument. Being no name of the sources, it is none that minifying gives away.
const parameter = "$config"
