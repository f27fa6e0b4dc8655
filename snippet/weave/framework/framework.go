// Package framework knows the marks of frameworks that take a page over in the browser: their assets, the scripts that
// carry a page's data, and the rows in these data. A framework compares the page with its data, so who replaces numbers
// in a page asks it where the data are.
package framework

import "bytes"

// Beginning is how many bytes of a script decide whether it carries data.
const Beginning = 512

// dataNames are names under which frameworks put a page's data into its scripts: React's flight rows, Nuxt, SvelteKit,
// React Router, and common stores.
var dataNames = [][]byte{
	[]byte("__next_f"), []byte("__NEXT_DATA__"), []byte("__NUXT__"), []byte("__sveltekit_"),
	[]byte("__remixContext"), []byte("__reactRouterContext"),
	[]byte("__INITIAL_STATE__"), []byte("__PRELOADED_STATE__"), []byte("__APOLLO_STATE__"),
}

// CarriesData says whether a script puts data into the page, by its beginning.
func CarriesData(script []byte) bool {
	script = script[:min(len(script), Beginning)]
	i := bytes.Index(script, []byte("__"))
	if i < 0 {
		return false
	}
	for _, name := range dataNames {
		if bytes.Contains(script[i:], name) {
			return true
		}
	}
	return false
}

// IsDataID says whether a script with this id holds a framework's data.
func IsDataID(id []byte) bool {
	switch string(id) {
	case "__NEXT_DATA__", "__NUXT_DATA__", "ng-state", "vike_pageContext":
		return true
	}
	return false
}

// frameworkPaths are paths of assets that show a framework before its data come.
var frameworkPaths = [][]byte{
	[]byte("/_next/"), []byte("/_nuxt/"), []byte("/_app/immutable/"), []byte("/assets/manifest-"), []byte("/assets/entry.client-"),
}

// Named says whether an address, or a tag with addresses, names a framework.
func Named(address []byte) bool {
	for _, path := range frameworkPaths {
		if bytes.Contains(address, path) {
			return true
		}
	}
	return false
}
