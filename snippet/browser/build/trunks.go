package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/nyaruka/phonenumbers"
)

// trunksSource is the source that trunks writes.
const trunksSource = "panels/trunks.ts"

// trunks is the source that says with which digits a number begins that is dialled within its country, by the
// country's code. The masks of phone fields take them off.
func trunks() []byte {
	codes := make(map[string][]int)
	for code := range phonenumbers.GetSupportedCallingCodes() {
		region := phonenumbers.GetRegionCodeForCountryCode(code)
		if prefix := phonenumbers.GetNddPrefixForRegion(region, true); prefix != "" {
			codes[prefix] = append(codes[prefix], code)
		}
	}
	var b bytes.Buffer
	b.WriteString("// Written by snippet/browser/build from the plans of phonenumbers.\n\n" +
		"/** Digits before a number that is dialled within its country, each with the codes of its countries. */\nexport const trunks: [string, string][] = [\n")
	for _, prefix := range slices.Sorted(maps.Keys(codes)) {
		slices.Sort(codes[prefix])
		list := fmt.Sprint(codes[prefix])
		fmt.Fprintf(&b, "  ['%s', ' %s '],\n", prefix, list[1:len(list)-1])
	}
	b.WriteString("];\n")
	return b.Bytes()
}
