package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// outputs gives the script's files by their names, built from the sources in the directory dir. They are minified,
// in ASCII, without a line break at their ends.
func outputs(dir string) (map[string][]byte, error) {
	core, err := bundle(dir, "main.ts", ownOfCore)
	if err != nil {
		return nil, err
	}
	numbers, err := bundle(dir, "numbers/main.ts", ownProperties)
	if err != nil {
		return nil, err
	}
	panels, err := bundle(dir, "panels/main.ts", "")
	if err != nil {
		return nil, err
	}
	chat, err := bundle(dir, "chat/main.ts", "")
	if err != nil {
		return nil, err
	}
	preview, err := bundle(dir, "preview.ts", "")
	if err != nil {
		return nil, err
	}
	fill, err := bundle(dir, "fill.ts", "")
	if err != nil {
		return nil, err
	}
	proof, err := bundle(dir, "proof.ts", "")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		// A function expression that takes the configuration of a site as its argument.
		"svc.js":     fmt.Appendf(nil, `(function(%s){"use strict";%s})`, parameter, core),
		"numbers.js": fmt.Appendf(nil, `(function(){"use strict";%s})();`, numbers),
		// Modules. The panels' lacks the name of the chat's asset, which is declared before it.
		"panels.js":  panels,
		"chat.js":    chat,
		"proof.js":   proof,
		"fill.js":    fmt.Appendf(nil, `(function(){"use strict";%s})();`, fill),
		"preview.js": fmt.Appendf(nil, `(function(){"use strict";%s})();`, preview),
	}, nil
}

// bundle builds the statements of one entry point. Properties whose names match own, a regular expression, get shorter names; empty
// for none.
func bundle(dir, entry, own string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       []string{entry},
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2018,
		Charset:           api.CharsetASCII,
		LegalComments:     api.LegalCommentsNone,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MangleProps:       own,
		Define:            map[string]string{"__config": parameter, "__chat": parameter},
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("building the script: %s",
			strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), "\n"))
	}
	return bytes.TrimSpace(result.OutputFiles[0].Contents), nil
}

// ownProperties are names of properties of the numbers part's own objects, which nothing but this part reads. They are no names that
// it reads of the page's objects, nor of what the core or the service gives it.
const ownProperties = `^(addAttributes|addLine|again|block|carrier|compact|dash|dashed|digits|escaped|first|form|gap|gaps|kind|known|link|matched|meaning|open|openAt|plus|plusAt|poured|round|shown|spaced|zero)$`

// ownOfCore are the same for the core: none that the page, the service, the numbers part or another run of the script reads.
const ownOfCore = `^(again|args|claimed|due|missed|object|outer|refused|reported|route|sent|settle)$`

// parameter is the name of the core's argument. Being no name of the sources, it is none that minifying gives away.
const parameter = "$config"
