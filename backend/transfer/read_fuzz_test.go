package transfer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is refused, or is a whole one of this version.
func FuzzRead(f *testing.F) {
	const header = `{"frontdesk":"site","version":1,"release":"1","site":"shop.example","at":"2026-11-27T10:00:00Z","secrets":false}` + "\n"
	const whole = header + `{"settings":{"region":"DE","pools":{"a":{"numbers":["74957650001"]}}}}` + "\n" +
		`{"group":{"number":3,"name":"Sales","hours":[[],[{"From":540,"To":1080}],[],[],[],[],[]],"routing":"all","members":["anna"]}}` + "\n" +
		`{"reply":{"word":"hello","text":"Good day!"}}` + "\n" +
		`{"receiver":{"kind":"mail","address":"desk@shop.example","events":["lead.added"]}}` + "\n" + `{"lines":6}` + "\n"
	for _, seed := range []string{
		whole, header, strings.Replace(whole, `"version":1`, `"version":2`, 1), strings.Replace(whole, `"lines":6`, `"lines":5`, 1), whole + whole, "", "{}\n", header + `{"lines":2}` + "\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := readFrom(strings.NewReader(text))
		if err != nil {
			require.Nil(t, read)
			return
		}
		require.Equal(t, Version, read.Version)
		require.Equal(t, ofSite, read.Frontdesk)
		require.LessOrEqual(t, len(read.rest), strings.Count(text, "\n")+1)
	})
}
