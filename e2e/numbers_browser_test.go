package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The picture of the number becomes one of the source's number, on a desk and on
// a phone, and nobody complains.
func TestPictureShowsTheNumberOfTheSource(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	for _, width := range []int64{1280, 360} {
		b := newTab(t)
		b.run(chromedp.EmulateViewport(width, 900))
		messages := chromedp.Console(b.ctx)
		b.visit(p.shop + "/contacts.html?utm_source=news")
		b.until(`document.querySelector(".phone-img").complete && Svc.getSessionId()`)
		type shown struct {
			Src, Alt                 string
			Width, Height, Box, Room float64
		}
		picture := value[shown](b, `(img => ({
			src: new URL(img.src).pathname, alt: img.alt,
			width: img.naturalWidth, height: img.naturalHeight,
			box: img.getBoundingClientRect().right, room: document.documentElement.clientWidth,
		}))(document.querySelector(".phone-img"))`)
		require.Regexp(t, `^/frontdesk/phone/[\w-]{20}\.svg$`, picture.Src)
		require.Equal(t, "+7 495 765-43-21", picture.Alt)
		require.Greater(t, picture.Width, picture.Height)
		require.Greater(t, picture.Height, 20.0)
		require.LessOrEqual(t, picture.Box, picture.Room)
		require.Equal(t, "Call +7\u00a0495\u00a0765\u201143\u201121", value[string](b, `document.getElementById("callme").textContent`))
		require.Equal(t, "tel:84957654321", value[string](b, `document.querySelector("footer .contacts a.tel").getAttribute("href")`))

		b.do(`console.log("that is all")`)
		for message, err := range messages {
			require.NoError(t, err)
			if message.Text == "that is all" {
				break
			}
			require.NotContains(t, []chromedp.ConsoleType{chromedp.ConsoleError, chromedp.ConsoleException}, message.Type, message.Text)
		}
	}
}

// By a template the number is written in one way wherever people read it, by the server and by the script. Links are dialled as before.
func TestTemplateIsUsedByServerAndScript(t *testing.T) {
	t.Parallel()
	const number = "number 74951234567 {\n"
	templated := strings.Replace(example(t), number, number+"\t\t\ttemplate \"8 ({area}) {rest}\"\n", 1)
	require.NotEqual(t, example(t), templated)
	for _, prerender := range []string{"static", "off"} {
		t.Run(prerender, func(t *testing.T) {
			t.Parallel()
			p := runProgram(t, strings.Replace(templated, "prerender static", "prerender "+prerender, 1), "")
			b := newTab(t)
			b.visit(p.shop + "/contacts.html?utm_source=news")
			b.until(`window.Svc && Svc.getReplacedPhones && Svc.getReplacedPhones("static")["74957654321"]`)
			text := func(selector string) string {
				return value[string](b, `document.querySelector("`+selector+`").textContent`)
			}
			require.Equal(t, "8\u00a0(495)\u00a0765-43-21", text("a.phone"))
			require.Equal(t, "8 (495) 765-43-21", text("a[name=tel]"), "it had no separators")
			require.Equal(t, "tel:%2B74957654321", value[string](b, `document.querySelector("a[name=tel]").getAttribute("href")`))
			require.Equal(t, "tel:+74957654321", value[string](b, `document.querySelector("a.phone").getAttribute("href")`))
			require.Equal(t, "8 (495) 765-43-21", value[string](b, `document.querySelector(".phone-img").alt`))
			require.Equal(t, "8 (495) 765-43-21", value[string](b, `Svc.getPhones()[0].text`))
		})
	}
}
