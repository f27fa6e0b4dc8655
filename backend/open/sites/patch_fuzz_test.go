package sites

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// A name is taken as it is written. encoding/json takes others for the same.
func TestNamesOfAPatch(t *testing.T) {
	for text, name := range map[string]string{
		`{"Region":"DE"}`: "Region", `{"region":null,"Region":"DE"}`: "Region", `{"conſent":{"cookie":"a"},"consent":null}`: "conſent",
		`{"widget":{"Color":"#fff"}}`: "Color", `{"widget":{"fields":[{"Name":"a","name":"b"}]}}`: "Name", `{"colour":1}`: "colour",
	} {
		var patch Patch
		require.NoError(t, json.Unmarshal([]byte(text), &patch))
		_, err := patched(site.Settings{}, patch)
		require.Error(t, err, text)
		answer, err := json.Marshal(err)
		require.NoError(t, err)
		require.Contains(t, string(answer), name, text)
	}
}

// A patch is refused, or says what its fields are afterwards; what has operations of its own stays.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`{"region":"DE"}`, `{"region":null}`, `{"widget":{"title":{"en":"a","ru":null},"color":null}}`, `{"widget":{"fields":[]}}`, `{"origins":["https://a.example"]}`, `{"callback":{"repeat":1}}`,
		`{"numbers":[]}`, `{"colour":1}`, `{"widget":null,"consent":{"cookie":"a"}}`, `{}`, `{"region":{"a":{"b":null}}}`,
		`{"numbers":null}`, `{"region":null,"Region":"DE"}`, `{"conſent":{"cookie":"a"},"consent":null}`,
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
			if string(value) == "null" && !slices.Contains(elsewhere, name) {
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
