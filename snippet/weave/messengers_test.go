package weave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// Tracking numbers have no messengers. So without a word of the site, links that write to the number stay, also in the
// data of frameworks, which must agree with the page.
func TestMessengersStay(t *testing.T) {
	set, err := phone.Compile([]string{"74951234567"})
	require.NoError(t, err)
	fresh, err := plan.Parse("74957654321")
	require.NoError(t, err)
	shown := weave.Shown{{Number: fresh}}
	const (
		calls  = `<a href="tel:+74951234567">a</a><a href="callto:84951234567">b</a>`
		called = `<a href="tel:+74957654321">a</a><a href="callto:84957654321">b</a>`
		writes = `<a href="sms:+74951234567?body=a">c</a><a href=smsto:84951234567>d</a><a href="//wa.me/74951234567">e</a>` +
			`<a href="https://web.whatsapp.com/send?phone=74951234567">f</a><a href="whatsapp://send?phone=74951234567">g</a>` +
			`<a href="viber://add?number=74951234567">h</a><a href="tg://resolve?phone=74951234567">i</a><a href="https://t.me/+74951234567">j</a>` +
			`<a href="https://signal.me/#p/+74951234567">k</a><a class=phone href="https://wa.me/74991112233"><i></i></a>`
		data   = `<script id="__NEXT_DATA__" type="application/json">{"a":"sms:+74951234567","b":"https://t.me/+74951234567","c":"https:\/\/signal.me\/#p\/+74951234567"`
		told   = `,"d":"tel:+74951234567","e":"+7 495 123-45-67"}</script>`
		retold = `,"d":"tel:+74957654321","e":"+7 495 765-43-21"}</script>`
	)
	for messengers, want := range map[bool]string{false: called + writes, true: ""} {
		rules, err := weave.Compile(set, []weave.Number{{Targets: []string{".phone"}}}, messengers)
		require.NoError(t, err)
		z := rules.NewReplacer()
		z.Reset(char.UTF8, shown)
		got := string(z.Finish(z.Append(nil, []byte(calls+writes))))
		if messengers {
			require.NotContains(t, got, "1234567")
			require.NotContains(t, got, "74991112233")
		} else {
			require.Equal(t, want, got)
		}
		z.Reset(char.UTF8, shown)
		got = string(z.Finish(z.Append(nil, []byte(data+told))))
		require.Contains(t, got, retold)
		require.Equal(t, !messengers, got == data+retold)
	}
}
