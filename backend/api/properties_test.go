package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// What is too long of a property is cut, and the answer says what is kept: the same
// that the next page view reads.
func TestPropertiesAreCut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v := s.visit()
		call := func(name string, more ...any) answer {
			fields := object{"credentials": v.credentials(), "id": id(), "name": name}
			for i := 0; i < len(more); i += 2 {
				fields[more[i].(string)] = more[i+1]
			}
			a := s.script("property", fields)
			require.Equal(t, 200, a.status, a.raw)
			return a
		}
		read := func() any { return s.open(viewOf("https://shop.example/"), v.cookie).body["properties"] }
		long := strings.Repeat("я", 65)
		name, value := strings.Repeat("я", 64), "x"+strings.Repeat("ж", 1023)

		require.Equal(t, object{"success": true, "name": "size", "value": "L"}, call("size", "value", "L").body)
		require.Equal(t, object{"success": true, "name": "client", "value": nil}, call("client").body)
		require.Equal(t, object{"success": true, "name": name, "value": value}, call(long, "value", "x"+strings.Repeat("ж", 2000)).body)
		require.Equal(t, object{"success": true, "name": "nul", "value": "ab"}, call("n\x00ul", "value", "a\x00b").body)
		require.Equal(t, object{"size": "L", "client": nil, name: value, "nul": "ab"}, read())

		require.Equal(t, object{"success": true, "name": name, "value": nil}, call(long, "delete", true).body)
		require.Equal(t, object{"size": "L", "client": nil, "nul": "ab"}, read())
		require.Equal(t, "missing", s.script("property", object{"credentials": v.credentials(), "id": id(), "name": "\x00"}).code())
	})
}
