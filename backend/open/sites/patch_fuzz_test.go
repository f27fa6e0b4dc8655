package sites

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// A patch is refused, or says what its fields are afterwards; what has operations of its own stays.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`{"region":"DE"}`, `{"region":null}`, `{"widget":{"title":{"en":"a","ru":null},"color":null}}`, `{"widget":{"fields":[]}}`, `{"origins":["https://a.example"]}`, `{"callback":{"repeat":1}}`,
		`{"numbers":[]}`, `{"colour":1}`, `{"widget":null,"consent":{"cookie":"a"}}`, `{}`, `{"region":{"a":{"b":null}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var patch Patch
		if json.Unmarshal([]byte(text), &patch) != nil {
			return
		}
		before := site.Settings{Region: new("RU"), Numbers: []number.Number{{Number: "74951234567"}}, Origins: []string{"https://b.example"}}
		to, err := patched(before, patch)
		if err != nil {
			return
		}
		require.Equal(t, before.Numbers, to.Numbers)
		written, err := json.Marshal(to)
		require.NoError(t, err)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(written, &fields))
		for name, value := range patch {
			if string(value) == "null" {
				require.NotContains(t, fields, name)
			}
		}
		if patch["region"] == nil {
			require.Equal(t, "RU", fields["region"])
		}
		again, err := patched(to, patch)
		require.NoError(t, err, "a patch twice is a patch once")
		repeated, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(repeated))
	})
}
