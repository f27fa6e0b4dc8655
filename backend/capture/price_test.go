package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// formPrice is the price of a form: the usual one, and a KB for each text that may be tried as a telephone number.
var formPrice = stepstest.Price{
	Each:    stepstest.Usual.Each,
	Besides: stepstest.Cost{Walked: stepstest.Usual.Besides.Walked + maxTried<<10, Allocated: stepstest.Usual.Besides.Allocated},
}

// priced reads and recognises the form of a body, and holds both to their price. The error is the reader's.
func priced(t *testing.T, contentType string, body []byte) (form posted.Form, said Recognised, err error) {
	t.Helper()
	var kept *posted.Body
	formPrice.Hold(t, len(body), func() {
		kept = posted.New(contentType)
		kept.Write(body)
		form, err = kept.Form("")
		said = Recognise(form, "RU", nil)
		form.Names()
	})
	size := 0
	for _, field := range form.Fields {
		size += len(field.Name) + len(field.Value)
		require.LessOrEqual(t, len(field.Name), 3*posted.MaxName) // decoded
	}
	require.LessOrEqual(t, size, 3*(4*len(body)+1024))
	stored := len(said.Name) + len(said.Email) + len(said.Phone) + len(said.Message) + len(said.FormName)
	for _, texts := range []map[string]string{said.UserFields, said.Credentials} {
		for name, value := range texts {
			stored += len(name) + len(value)
		}
	}
	require.LessOrEqual(t, stored, 2*size+100, "each field says one thing")
	return form, said, err
}

// The dearest bodies that anybody may send.
func TestPrice(t *testing.T) {
	var inner strings.Builder
	for i := range 490 {
		fmt.Fprintf(&inner, `"%d":1,`, i)
	}
	long := strings.Repeat("a", 100_000)
	for called, c := range map[string]struct{ media, body string }{
		"a long outer name":        {"application/json", `{"` + long + `":{` + inner.String() + `"z":1}}`},
		"a short body of the same": {"application/json", `{"` + long[:10_000] + `":{` + inner.String() + `"z":1}}`},
		"outer names in another":   {"application/json", strings.Repeat(`{"`+long[:5000]+`":`, 12) + `{` + inner.String() + `"z":1}` + strings.Repeat("}", 12)},
		"a list":                   {"application/json", `{"` + long[:150] + `":[` + strings.Repeat("1,", 100_000) + "1]}"},
		"nothing in a list":        {"application/json", `{"a":[` + strings.Repeat("null,", 40_000) + "1]}"},
		"lists in lists":           {"application/json", `{"a":` + strings.Repeat("[", 200_000)},
		"empty objects":            {"application/json", `{"a":[` + strings.Repeat("{},", 60_000) + "1]}"},
		"a long number":            {"application/json", `{"a":` + strings.Repeat("1", 200_000) + "}"},
		"a name again and again":   {"application/json", `{` + strings.Repeat(`"a":"b",`, 30_000) + `"a":1}`},
		"no UTF-8":                 {"application/json", `{"` + strings.Repeat("\xff", 100_000) + `":"` + strings.Repeat("\xff", 100_000) + `"}`},
		"escapes":                  {"application/json", `{"` + strings.Repeat(`\ud800`, 20_000) + `":1}`},
		"names and values":         {"", "[" + strings.Repeat(`{"name":"`+long[:300]+`","value":1},`, 700) + `{}]`},
		"arguments":                {"", `{"query":"mutation {` + strings.Repeat(`a:\"\",`, 40_000) + `"}`},
		"lines":                    {"text/plain", strings.Repeat("a=\n\n", 50_000)},
		"ampersands":               {pairs, strings.Repeat("&", 250_000)},
		"empty pairs":              {pairs, strings.Repeat("=&", 120_000)},
		"long names":               {pairs, strings.Repeat(strings.Repeat("a_", 100)+"=1&", 500)},
		"names of cards":           {pairs, strings.Repeat(strings.Repeat("card", 100)+"=1&", 500)},
		"one name":                 {pairs, "a=" + long + "&" + strings.Repeat("a=b&", 499)},
		"telephones":               {pairs, strings.Repeat("a=12345678&", 500)},
		"digits":                   {pairs, "a=" + strings.Repeat("4-", 120_000)},
		"character sets":           {pairs, strings.Repeat("_charset_=%ff&", 500)},
		"gathered pairs":           {pairs, strings.Repeat("data="+strings.Repeat("a=b%26", 100)+"&", 300)},
		"gathered objects":         {pairs, strings.Repeat("data={"+strings.Repeat(`"a":{`, 20)+"&", 2000)},
		"a gathered object":        {pairs, `data={"` + long + `":{` + inner.String() + `"z":1}}`},
		"percents":                 {pairs, strings.Repeat("%zz=%&", 40_000)},
		"parts":                    {"multipart/form-data; boundary=b", strings.Repeat("--b\r\n\r\n\r\n", 25_000)},
		"headers of a part":        {"multipart/form-data; boundary=b", "--b\r\n" + strings.Repeat("a:\r\n", 1900) + "\r\nx\r\n--b--\r\n"},
		"parameters of a header":   {"multipart/form-data; boundary=b", strings.Repeat("--b\r\nContent-Disposition: form-data; name=a"+strings.Repeat("; x*0=1", 1000)+"\r\n\r\n1\r\n", 30)},
	} {
		t.Run(called, func(t *testing.T) { priced(t, c.media, []byte(c.body)) })
	}
}

// Names that are too long are kept by their beginning and their end, wherever they come from, and so a rule finds them.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("ж", 300)
	const short = "short"
	for media, body := range map[string]string{
		"application/json": `{"` + long + `":{"phone":"+74951234567"},"` + short + `":1}`,
		pairs:              long + ".phone=%2B74951234567&" + short + "=1",
	} {
		form, _, err := priced(t, media, []byte(body))
		require.NoError(t, err)
		require.False(t, form.Cut)
		require.Len(t, form.Fields, 2)
		name := form.Fields[0].Name
		require.LessOrEqual(t, len(name), posted.MaxName)
		require.Regexp(t, `^ж+\.\.\.ж+\.phone$`, name)
		require.Equal(t, Recognised{Phone: "+74951234567", UserFields: map[string]string{short: "1"}}, Recognise(form, "", nil))
		rule := Rule{Path: "/", Message: []string{long + ".phone"}}
		require.NoError(t, rule.Complete())
		require.Equal(t, "+74951234567", rule.Read(form, "", nil).Message)
	}
}
