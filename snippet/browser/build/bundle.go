package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle builds the core script from its sources in the directory dir: a function expression that takes the
// configuration of a site as its argument, minified, in ASCII, without a line break at its end.
func bundle(dir string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       []string{"main.ts"},
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2018,
		Charset:           api.CharsetASCII,
		LegalComments:     api.LegalCommentsNone,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Define:            map[string]string{"__config": parameter},
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("building the script: %s",
			strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), "\n"))
	}

	var out bytes.Buffer
	out.WriteString(`(function(` + parameter + `){"use strict";`)
	out.Write(bytes.TrimSpace(result.OutputFiles[0].Contents))
	out.WriteString(`})`)
	return out.Bytes(), nil
}

// parameter is the name of the bundle's argument. Being no name of the sources, it is none that minifying gives away.
const parameter = "$config"
