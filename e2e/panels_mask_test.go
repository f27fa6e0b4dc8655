package e2e

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// maskTyping gives the page functions that write into the field with the focus, in all the ways that browsers have, and
// one that reads what stands there when the field has been left.
const maskTyping = `
	window.field = panels.activeElement;
	window.ways = {
		keys(text) { for (const key of text) document.execCommand("insertText", false, key); },
		paste(text) { document.execCommand("insertText", false, text); },
		fill(text) { field.value = text; field.dispatchEvent(new Event("input", {bubbles: true})); },
	};
	window.enter = (way, text) => {
		field.value = "";
		field.dispatchEvent(new Event("input", {bubbles: true}));
		ways[way](text);
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return field.value;
	};`

// opensPhone opens the form for a call with the page's mask.
func (b *tab) opensPhone(address string) {
	b.t.Helper()
	b.before(seePanels)
	b.visit(address)
	b.until(`window.Svc`)
	b.do(`Svc.openSitePhonePanel()`)
	b.front()
	b.until(focused + ` === "tel"`)
}

// maskPages adds a page for each of the masks, and gives their paths.
func (s *panelsSite) maskPages(masks []string) (paths []string) {
	for i, mask := range masks {
		literal, _ := json.Marshal(mask)
		path := "/mask/" + strconv.Itoa(i)
		s.page(path, "en", `<script>var __cs = __cs || []; __cs.push(["setUIPhoneMaskFormat", `+string(literal)+`]);</script>`, "")
		paths = append(paths, path)
	}
	return paths
}

// writingsOf are the ways in which people write a number, at home or from anywhere.
func writingsOf(number *phonenumbers.PhoneNumber, home bool) (writings []string) {
	digits := strings.TrimPrefix(phonenumbers.Format(number, phonenumbers.E164), "+")
	international := phonenumbers.Format(number, phonenumbers.INTERNATIONAL)
	writings = append(writings, "+"+digits, international, "00"+digits, strings.ReplaceAll(international, " ", "\u00a0"), strings.ReplaceAll(international, " ", "."))
	if home {
		national := phonenumbers.Format(number, phonenumbers.NATIONAL)
		writings = append(writings, national, contact.Digits(national), digits, phonenumbers.GetNationalSignificantNumber(number))
	}
	return writings
}

// Whatever is typed, pasted or filled in is the number that is sent: of the mask's own country in every writing, and of all
// others with their codes.
func TestMasksKeepNumbers(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	masks := []struct{ mask, region string }{
		{"+7 (###) ###-##-##", "RU"}, {"+7 (___) ___ __ __", "KZ"}, {"+49 ### ########", "DE"}, {"(999) 999-9999", "US"}, {"+1 xxx xxx-xxxx", "US"},
		{"## ## ## ## ##", "FR"}, {"+380 (##) ###-##-##", "UA"}, {"+39 ### ### ####", "IT"}, {"+44 #### ######", "GB"}, {"8 (###) ###-##-##", "RU"}, {"none", "BR"},
	}
	var all []string
	for _, m := range masks {
		all = append(all, m.mask)
	}
	regions := []string{}
	for region := range phonenumbers.GetSupportedRegions() {
		regions = append(regions, region)
	}
	slices.Sort(regions)
	for i, path := range s.maskPages(all) {
		m := masks[i]
		b := newTab(t)
		b.opensPhone(s.shop + path)
		b.do(maskTyping)
		var written [][2]string
		var expected []string
		for k, region := range regions {
			number := phonenumbers.GetExampleNumberForType(region, phonenumbers.MOBILE)
			if number == nil || region != m.region && (k+i)%len(masks) != 0 { // each country meets some of the masks
				continue
			}
			for _, writing := range writingsOf(number, region == m.region) {
				for _, way := range []string{"keys", "paste", "fill"} {
					written = append(written, [2]string{way, writing})
					expected = append(expected, strings.TrimPrefix(phonenumbers.Format(number, phonenumbers.E164), "+"))
				}
			}
		}
		typed, err := json.Marshal(written)
		require.NoError(t, err)
		for k, shown := range value[[]string](b, string(typed)+`.map(([way, text]) => enter(way, text))`) {
			require.Equal(t, expected[k], contact.ReadPhone(shown, m.region).Digits, "%s, %s: %q became %q", m.mask, written[k][0], written[k][1], shown)
		}
		b.close()
	}
}

// The number is shown as the mask has it, while it is typed by real keys and when it is corrected.
func TestPhoneMask(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	paths := s.maskPages([]string{"+371 ## ### ###", "as you like"})
	const sure, short = "Is the number complete? Then send it again.", "Enter the whole phone number."
	tabs := map[string]*tab{}
	for _, path := range append(paths, "/") {
		tabs[path] = newTab(t)
		tabs[path].opensPhone(s.shop + path)
	}
	for _, c := range []struct{ path, typed, shown, fault string }{
		{"/", "9161234567", "+7 (916) 123-45-67", ""},
		{"/", "89161234567", "+7 (916) 123-45-67", ""},
		{"/", "8 916 123 45 67", "+7 (916) 123-45-67", ""},
		{"/", "+79161234567", "+7 (916) 123-45-67", ""},
		{"/", "+380441234567", "+380441234567", ""},
		{"/", "00380441234567", "00380441234567", ""},
		{"/", "7012345678", "+7 (701) 234-56-78", ""},
		{"/", "495abc123-45", "+7 (495) 123-45", sure},
		{"/", "91612345678", "91612345678", sure},
		{"/", "8916", "8916", short},
		{"/", "٩١٦١٢٣٤٥٦٧", "+7 (916) 123-45-67", ""},
		{"/", "891612345678", "891612345678", sure},
		{"/", "891612345678" + kb.Backspace, "+7 (916) 123-45-67", ""},
		{"/", "84951234567890", "84951234567890", sure},
		{"/", "9161234568" + kb.Backspace + "7", "+7 (916) 123-45-67", ""},
		{"/", "916123457" + kb.ArrowLeft + kb.ArrowLeft + "6" + kb.Backspace + "6", "+7 (916) 123-45-67", ""},
		{"/", "9165" + strings.Repeat(kb.Backspace, 4) + "495", "+7 (495", short},
		{paths[0], "20000000", "+371 20 000 000", ""},
		{paths[1], "+44 20 7946 0000", "+44 20 7946 0000", ""},
	} {
		b := tabs[c.path]
		b.front()
		b.do(`const tel = panels.querySelector("[name=tel]"); tel.focus(); tel.value = ""; tel.dispatchEvent(new Event("input"))`)
		b.write(c.typed)
		b.do(`panels.activeElement.dispatchEvent(new Event("change"))`)
		require.Equal(t, c.shown, value[string](b, `panels.activeElement.value`), c.typed)
		b.pressIn(`.view:not([hidden]) .send .main`)
		require.Equal(t, c.fault, value[string](b, `panels.getElementById("tel-error").textContent`), c.typed)
		if c.fault == sure {
			b.pressIn(`.view:not([hidden]) .send .main`)
			require.Empty(t, value[string](b, `panels.getElementById("tel-error").textContent`), "it goes when it is sent again")
		}
	}
}

// What does not fit is asked about once, and what is sent is what stands there.
func TestNumberThatDoesNotFitIsSent(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	desk := s.signedIn(t)
	for typed, stored := range map[string]string{"+380441234567": "380441234567", "89161234567": "79161234567", "8 916 123-45-67-8": "891612345678"} {
		b := newTab(t)
		b.launches(s.shop)
		b.front()
		b.do(`Svc.openSiteRequestPanel()`)
		b.until(focused + ` === "name"`)
		b.write("Anna\t" + typed + "\t\tA lamp")
		b.pressIn(`.view:not([hidden]) .send .main`)
		b.do(`if (!panels.querySelector(".told")) panels.querySelector(".view:not([hidden]) .send .main").click()`)
		b.until(`panels.querySelector(".told")`)
		desk.visit(s.console + "/leads")
		desk.do(`document.querySelector("#leads li a").click()`)
		desk.until(`location.pathname.startsWith("/leads/")`)
		desk.until(`document.querySelector("main").innerText.replace(/\D/g, "").includes("` + stored + `")`)
		b.close()
	}
}
