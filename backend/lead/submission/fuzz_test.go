package submission

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

var plainAmount = regexp.MustCompile(`^(|[0-9]{1,16}(\.[0-9]{0,3}[1-9])?)$`)

// storable is what holds for whatever was read and passed the check.
func storable(t *testing.T, s Submission, err error) {
	var refused Invalid
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		require.ErrorAs(t, err, &refused, "%v", err)
		require.NotEmpty(t, refused.Code)
		return
	}
	texts := []string{s.Name, s.Email, s.Phone, s.Message, s.FormName}
	total := 0
	for name, value := range s.UserFields {
		texts = append(texts, name, value)
		require.NotEmpty(t, value)
	}
	for _, text := range texts {
		require.True(t, utf8.ValidString(text))
		require.NotContains(t, text, "\x00")
		total += len(text)
	}
	require.LessOrEqual(t, total, maxText)
	require.Regexp(t, plainAmount, s.SaleCost)
	require.True(t, s.IsSale || s.SaleCost == "")
	require.GreaterOrEqual(t, s.GroupID, int64(0))
	require.LessOrEqual(t, s.GroupID, int64(largest))
	_, err = json.Marshal(s.UserFields)
	require.NoError(t, err)
}

// price is that of reading JSON: an object takes a map of some 400 bytes, and some 200 more when it is written as a text,
// and has 5 bytes at the least.
var price = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 160}, Besides: stepstest.Usual.Besides}

// weighed reads a submission of so many bytes and checks it, and holds that to its price.
func weighed(t *testing.T, size int, read func() (Submission, error)) {
	t.Helper()
	var s Submission
	var err error
	price.Hold(t, size, func() {
		if s, err = read(); err == nil {
			err = s.Check()
		}
	})
	storable(t, s, err)
}

// The dearest submissions that anybody may send.
func TestPrice(t *testing.T) {
	var strokes, nested, cut, fewCut strings.Builder
	for i := range 800 {
		row := strings.Repeat("_", i)
		fmt.Fprintf(&strokes, `,"a%s":1,"a%s[]":1`, row, row)
		fmt.Fprintf(&nested, `,"a%s":1,"user_fields[a%s]":1`, row, row)
		fmt.Fprintf(&cut, `,"%s%d":1`, strings.Repeat("a", MaxShort), i)
		if i < MaxUserFields {
			fmt.Fprintf(&fewCut, `,"%s%d":1`, strings.Repeat("a", MaxShort), i)
		}
	}
	for called, object := range map[string]string{
		"objects in objects":       strings.Repeat(`{"":`, 2000) + "0" + strings.Repeat("}", 2000),
		"objects in a list":        `{"a":[` + strings.Repeat(`{"":0},`, 20_000) + `0]}`,
		"names with strokes":       `{"name":"x"` + strokes.String() + "}",
		"user fields with strokes": `{"name":"x"` + nested.String() + "}",
		"names that are cut":       `{"name":"x"` + cut.String() + "}",
		"as many as are kept":      `{"name":"x"` + fewCut.String() + "}",
		"lists in lists":           `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}",
		"a long outer name":        `{"` + strings.Repeat("a", 100_000) + `":{` + strings.Repeat(`"b":1,`, 490) + `"c":1}}`,
		"names of cards":           `{"` + strings.Repeat("card", 250_000) + `":1}`,
		"many":                     `{"name":"x"` + strings.Repeat(`,"a":[1,1]`, 50_000) + "}",
	} {
		t.Run(called, func(t *testing.T) {
			weighed(t, len(object), func() (Submission, error) { return FromObject(json.RawMessage(object)) })
		})
	}
}

func FuzzFromObject(f *testing.F) {
	for _, seed := range []string{
		`{"name":["Ann"],"phone":null,"email":"-","message":"<b>\r\n","is_sale":"1","sale_cost":"1 500,50","group_id":"7","user_fields":{"a":[1,{"b":null}]},"city":"Oslo"}`,
		`{"name":"\u0000"}`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}", `[[[{}]]]`, `{"sale_cost":1e400,"is_sale":true}`, `{"sale_cost":"1,234,567.89","is_sale":1}`,
		`{"group_id":99999999999999999999}`, `{"user_fields":[],"text":"x","message":"y"}`, `{"":""}`, `{} x`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		weighed(t, len(object), func() (Submission, error) { return FromObject(json.RawMessage(object)) })
	})
}

func FuzzFromForm(f *testing.F) {
	for _, seed := range []string{
		"name=Ann&text=%3Cb%3E%0D%0A&is_sale=true&sale_cost=99%2C90&user_fields[city]=Oslo&lamp[]=a&lamp[]=b&key=k",
		"name=%00", "name=%FF", "name=Ann&name=Bo", "user_fields=x&user_fields[a]=b", "[]=x", "user_fields[]=x", "is_sale=&sale_cost=", "=", "a;b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		form, _ := url.ParseQuery(query)
		weighed(t, len(query), func() (Submission, error) { return FromForm(form), nil })
	})
}
