package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func of(cookies ...string) client.IDs { return client.Of(http.Header{"Cookie": cookies}) }

// all is a Cookie field of a visitor whom every platform knows.
const all = "svc_v=abc; _ga=GA1.1.1116446470.1700000000; _ga_ABC1DEF2GH=GS2.1.s1700000500$o5$g1$t1700000600$j60$l0$h0; _ga_OLD=GS1.1.1600000000.5.1.1600000100.0.0.0;" +
	" _ym_uid=1700000000123456789; _fbp=fb.1.1596403881668.1116446470; _fbc=fb.1.1554763741205.IwAR0-abc_DEF; _pk_id.1.1fff=0123456789abcdef.1700000000."

func TestIDsOfCookies(t *testing.T) {
	ids := of(all)
	require.Equal(t, client.IDs{
		GA: "1116446470.1700000000", Sessions: "ABC1DEF2GH=1700000500 OLD=1600000000", YM: "1700000000123456789", FBP: "fb.1.1596403881668.1116446470",
		FBC: "fb.1.1554763741205.IwAR0-abc_DEF", PK: "0123456789abcdef",
	}, ids)
	require.Equal(t, "1700000500", ids.Session("G-ABC1DEF2GH"))
	require.Empty(t, ids.Session("G-OTHER"))
	require.Equal(t, "1.1700000000", of("_ga=GA1.2-2.1.1700000000").GA)
	require.Equal(t, "fb.1.1596403881668.1.AQAA", of("_fbp=fb.1.1596403881668.1.AQAA").FBP)
	require.Equal(t, "2.1700000000", of("_ga=x", "a=b;  _ga=GA1.1.2.1700000000 ;_ga=GA1.1.3.1700000000").GA, "the first that is well formed")
}

func TestWhatIsNotWellFormedIsNoID(t *testing.T) {
	for _, cookie := range []string{
		"_ga=", "_ga=GA1", "_ga=GA1.1.1", "_ga=GA1.1.1.17", "_ga=GA1.1.1.1700000000.1", "_ga=GA2.1.1.1700000000", "_ga=GA1.1.x.1700000000", "_ga=GA1.1.=1+1.1700000000",
		"_ga=GA1.1.11111111111.1700000000", "_ga=GA1.x.1.1700000000", "_ga_=GS1.1.1700000000.1", "_ga_abc=GS1.1.1700000000.1", "_ga_ABC=GS1.1.17.1", "_ga_ABC=GS2.1.1700000000$o1", "_ga_ABC=GS3.1.1700000000",
		"_ga_ABCDEFGHIJKLMNOPQ=GS1.1.1700000000.1", "_ym_uid=1", "_ym_uid=170000000012345678901", "_ym_uid=17000000001234567x9", "_fbp=fb.1.1596403881668.abc", "_fbp=fb.1.15.1", "_fbp=fb.1.1596403881668.1.toolongadded",
		"_fbp=fb.1.1596403881668.1.", "_fbc=fb.1.1554763741205.", "_fbc=fb.1.1554763741205.<script>", "_fbc=fb.1.1554763741205." + strings.Repeat("a", 401), "_fbc=xb.1.1554763741205.a",
		"_pk_id.1.1fff=0123456789ABCDEF.1700000000.", "_pk_id.1.1fff=0123456789abcdef", "_pk_id.1.1fff=0123456789abcde.1700000000.", "x_ga=GA1.1.1.1700000000", "_GA=GA1.1.1.1700000000",
	} {
		require.Equal(t, client.IDs{}, of(cookie), cookie)
	}
}

// Whatever a Cookie field has, an id is short, of plain characters, and found in steps that the bytes account for.
func FuzzOf(f *testing.F) {
	f.Add(all)
	f.Add(strings.Repeat("_ga_A=GS1.1.1700000000;", 50))
	f.Add(strings.Repeat(";", 100))
	f.Add("_ga=GA1.1.1.1700000000=;_fbc==")
	f.Fuzz(func(t *testing.T, cookies string) {
		var ids client.IDs
		stepstest.Hold(t, len(cookies), func() { ids = of(cookies) })
		for _, id := range []string{ids.GA, ids.Sessions, ids.YM, ids.FBP, ids.FBC, ids.PK} {
			require.LessOrEqual(t, len(id), 450)
			require.NotRegexp(t, `[^-A-Za-z0-9_.= ]`, id)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	h := http.Header{"Cookie": {all}}
	b.ReportAllocs()
	for b.Loop() {
		client.Of(h)
	}
}
