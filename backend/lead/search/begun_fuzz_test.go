package search

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzFieldsIn holds that of user fields as they are stored the beginning is read, wherever it ends.
func FuzzFieldsIn(f *testing.F) {
	f.Add("city", "Oslo", "size", "\n\"<é\u2028", uint16(0))
	f.Add("", "", "\\", "\\", uint16(5))
	f.Add("a\"", "\":\"}", "b", "", uint16(1))
	f.Fuzz(func(t *testing.T, name, value, other, long string, behind uint16) {
		fields := map[string]string{}
		for name, value := range map[string]string{name: value, other: long + strings.Repeat(long, BegunFields/max(1, len(long)))} {
			fields[strings.ToValidUTF8(name, "\ufffd")] = strings.ToValidUTF8(value, "\ufffd")
		}
		stored, err := json.Marshal(fields)
		require.NoError(t, err)
		end := BegunFields + int(behind)%64
		for end < len(stored) && !utf8.RuneStart(stored[end]) {
			end++ // databases cut between characters
		}
		var begun map[string]string
		stepstest.Hold(t, end, func() { begun, err = FieldsIn(string(stored[:min(end, len(stored))])) })
		require.NoError(t, err)
		for name, value := range begun {
			require.True(t, strings.HasPrefix(fields[name], value), "%q", name)
		}
		whole, err := FieldsIn(string(stored))
		require.NoError(t, err)
		require.Equal(t, fields, whole)
	})
}
