package submission

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFromObject(t *testing.T) {
	for name, test := range map[string]struct {
		sent string
		want Submission
	}{
		"all documented fields": {
			`{"name":"Ann","email":"ann@mail.example","phone":"+7 (495) 123-45-67","message":"A lamp","is_sale":true,"sale_cost":"1500.50","group_id":7,"form_name":"Order","user_fields":{"city":"Oslo"}}`,
			Submission{Name: "Ann", Email: "ann@mail.example", Phone: "+7 (495) 123-45-67", Message: "A lamp", IsSale: true, SaleCost: "1500.5", GroupID: 7, FormName: "Order", UserFields: map[string]string{"city": "Oslo"}},
		},
		"unknown fields are user fields":            {`{"name":"Ann","city":"Oslo","floor":3,"lift":true}`, Submission{Name: "Ann", UserFields: map[string]string{"city": "Oslo", "floor": "3", "lift": "true"}}},
		"user_fields stand above unknown fields":    {`{"user_fields":{"city":"Oslo"},"city":"Bergen"}`, Submission{UserFields: map[string]string{"city": "Oslo"}}},
		"nested values become JSON":                 {`{"basket":[{"lamp":"<Arc>","count":2},1],"user_fields":{"size":{"w":1.50}}}`, Submission{UserFields: map[string]string{"basket": `[{"count":2,"lamp":"<Arc>"},1]`, "size": `{"w":1.50}`}}},
		"arrays of one are unwrapped":               {`{"name":["Ann"],"is_sale":["1"],"sale_cost":[[12]],"group_id":["4"],"user_fields":[{"city":["Oslo"]}]}`, Submission{Name: "Ann", IsSale: true, SaleCost: "12", GroupID: 4, UserFields: map[string]string{"city": "Oslo"}}},
		"the request in an array of one":            {`[{"phone":"112"}]`, Submission{Phone: "112"}},
		"what says nothing is nothing":              {`{"name":"-","email":null,"phone":"","message":" ","is_sale":null,"sale_cost":"","group_id":"-","form_name":[],"user_fields":null,"city":"-","floor":null}`, Submission{}},
		"names of nothing, where they can be none":  {`{"name":"Null","email":"undefined","phone":"null","message":"undefined","is_sale":"undefined","sale_cost":"NaN","group_id":"null"}`, Submission{Name: "Null", Message: "undefined"}},
		"HTML and line breaks stay as they are":     {`{"message":"  <b>one</b>\r\n\ttwo & \"three\"\u2028 "}`, Submission{Message: "  <b>one</b>\r\n\ttwo & \"three\"\u2028 "}},
		"numbers where texts are expected":          {`{"phone":74951234567,"name":5,"message":1.50}`, Submission{Phone: "74951234567", Name: "5", Message: "1.50"}},
		"the server's name of the message":          {`{"text":"A lamp"}`, Submission{Message: "A lamp"}},
		"both names of the message":                 {`{"message":"A lamp","text":"Soon"}`, Submission{Message: "A lamp", UserFields: map[string]string{"text": "Soon"}}},
		"credentials that came along say nothing":   {`{"name":"Ann","site_key":"s","key":"k","uri":"u","visitor_id":1,"hit_id":2,"session_id":3,"consultant_server_url":"c"}`, Submission{Name: "Ann"}},
		"blanks around short texts":                 {`{"name":" Ann\n","email":"\ta@b.example "}`, Submission{Name: "Ann", Email: "a@b.example"}},
		"PHP writes an empty object as an array":    {`{"name":"Ann","user_fields":[]}`, Submission{Name: "Ann"}},
		"a half of a character, as slices cut them": {`{"name":"Ann\ud83d"}`, Submission{Name: "Ann\ufffd"}},
		"a sale of unknown amount":                  {`{"is_sale":true}`, Submission{IsSale: true}},
		"no sale, for nothing":                      {`{"name":"Ann","is_sale":"0","sale_cost":"0.00"}`, Submission{Name: "Ann"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := FromObject(json.RawMessage(test.sent))
			require.NoError(t, err)
			require.Equal(t, test.want, s)
		})
	}
}

func TestFromObjectRefuses(t *testing.T) {
	for name, test := range map[string]struct{ sent, code string }{
		"an array":   {`["a","b"]`, "wrong_type"},
		"a text":     {`"name=Ann"`, "wrong_type"},
		"null":       {`null`, "wrong_type"},
		"no JSON":    {`{"name":`, "wrong_type"},
		"two values": {`{} {}`, "wrong_type"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := FromObject(json.RawMessage(test.sent))
			requireInvalid(t, test.code, err)
		})
	}
}

// What a field cannot hold is kept beside it, and the rest is a lead all the same.
func TestFieldsThatCannotBeUsedAreKept(t *testing.T) {
	phone := "+74951234567"
	for name, test := range map[string]struct {
		sent string
		want Submission
		note string // field and code
	}{
		"several names":              {`{"name":["Ann","Bo"]}`, Submission{Name: "Ann", UserFields: map[string]string{"name": `["Ann","Bo"]`}}, "name wrong_type"},
		"several phones":             {`{"name":"Ann","phone":["-",{"a":1},"+74957654321"]}`, Submission{Name: "Ann", Phone: "+74957654321", UserFields: map[string]string{"phone": `["-",{"a":1},"+74957654321"]`}}, "phone wrong_type"},
		"an object for an e-mail":    {`{"email":{"work":"a@b.example"}}`, Submission{UserFields: map[string]string{"email": `{"work":"a@b.example"}`}}, "email wrong_type"},
		"an unclear sale":            {`{"is_sale":"maybe"}`, Submission{UserFields: map[string]string{"is_sale": "maybe"}}, "is_sale wrong_type"},
		"a sale that is a number":    {`{"is_sale":2}`, Submission{UserFields: map[string]string{"is_sale": "2"}}, "is_sale wrong_type"},
		"the cost of an unclear one": {`{"is_sale":"maybe","sale_cost":"5"}`, Submission{UserFields: map[string]string{"is_sale": "maybe", "sale_cost": "5"}}, "is_sale wrong_type, sale_cost sale_cost_without_sale"},
		"a group with a name":        {`{"group_id":"sales"}`, Submission{UserFields: map[string]string{"group_id": "sales"}}, "group_id wrong_type"},
		"a group beyond all numbers": {`{"group_id":9007199254740992}`, Submission{UserFields: map[string]string{"group_id": "9007199254740992"}}, "group_id wrong_type"},
		"a group and a field of it":  {`{"group_id":"sales","user_fields":{"group_id":"x"}}`, Submission{UserFields: map[string]string{"group_id": "x", "group_id_": "sales"}}, "group_id wrong_type"},
		"user_fields as text":        {`{"user_fields":"city=Oslo"}`, Submission{UserFields: map[string]string{"user_fields": "city=Oslo"}}, "user_fields wrong_type"},
		"user_fields as a list":      {`{"user_fields":["a","b"]}`, Submission{UserFields: map[string]string{"user_fields": `["a","b"]`}}, "user_fields wrong_type"},
		"a cost with a currency":     {`{"is_sale":true,"sale_cost":"1 500 руб."}`, Submission{IsSale: true, SaleCost: "1500", UserFields: map[string]string{"sale_cost": "1 500 руб."}}, "sale_cost wrong_sale_cost"},
		"a cost in words":            {`{"is_sale":true,"sale_cost":"much"}`, Submission{IsSale: true, UserFields: map[string]string{"sale_cost": "much"}}, "sale_cost wrong_sale_cost"},
		"a cost in thousands":        {`{"is_sale":true,"sale_cost":"15 тыс."}`, Submission{IsSale: true, UserFields: map[string]string{"sale_cost": "15 тыс."}}, "sale_cost wrong_sale_cost"},
		"a negative cost":            {`{"is_sale":true,"sale_cost":-5}`, Submission{IsSale: true, UserFields: map[string]string{"sale_cost": "-5"}}, "sale_cost wrong_sale_cost"},
		"a cost beyond all sums":     {`{"is_sale":true,"sale_cost":"1234567890123456"}`, Submission{IsSale: true, UserFields: map[string]string{"sale_cost": "1234567890123456"}}, "sale_cost wrong_sale_cost"},
		"a cost as object":           {`{"is_sale":true,"sale_cost":{"rub":5}}`, Submission{IsSale: true, UserFields: map[string]string{"sale_cost": `{"rub":5}`}}, "sale_cost wrong_sale_cost"},
		"a cost that is none":        {`{"sale_cost":"on request"}`, Submission{UserFields: map[string]string{"sale_cost": "on request"}}, "sale_cost wrong_sale_cost"},
		"broken UTF-8":               {"{\"name\":\"Ann\xff\"}", Submission{Name: "Ann\ufffd"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(test.sent), &object))
			sent := test.sent
			if _, has := object["phone"]; !has {
				sent = strings.TrimSuffix(sent, "}") + `,"phone":"` + phone + `"}`
				test.want.Phone = phone
			}
			s, err := FromObject(json.RawMessage(sent))
			require.NoError(t, err)
			require.NoError(t, s.Check())
			var notes []string
			for _, n := range s.Notes {
				notes = append(notes, n.Field+" "+n.Code)
				require.NotEmpty(t, n.Note)
			}
			require.Equal(t, test.note, strings.Join(notes, ", "))
			s.Notes = nil
			require.Equal(t, test.want, s)
		})
	}
}

func requireInvalid(t *testing.T, code string, err error) {
	t.Helper()
	var refused Invalid
	require.ErrorAs(t, err, &refused)
	require.Equal(t, code, refused.Code)
	require.NotEmpty(t, refused.Reason)
}

func TestFromForm(t *testing.T) {
	for name, test := range map[string]struct {
		sent string
		want Submission
	}{
		"a whole form": {
			"site_key=s&visitor_id=1&hit_id=2&session_id=3&consultant_server_url=http%3A%2F%2Fshop.example%2F&name=Ann&email=a%40b.example&phone=112&text=A+lamp%0D%0Asoon&is_sale=1&sale_cost=99%2C90&form_name=Order&city=Oslo",
			Submission{Name: "Ann", Email: "a@b.example", Phone: "112", Message: "A lamp\r\nsoon", IsSale: true, SaleCost: "99.9", FormName: "Order", UserFields: map[string]string{"city": "Oslo"}},
		},
		"fields as PHP groups them":    {"name=Ann&user_fields[city]=Oslo&user_fields[floor]=3&size[]=L", Submission{Name: "Ann", UserFields: map[string]string{"city": "Oslo", "floor": "3", "size": "L"}}},
		"a field with several values":  {"name=Ann&lamp[]=Arc&lamp[]=Birch", Submission{Name: "Ann", UserFields: map[string]string{"lamp": `["Arc","Birch"]`}}},
		"what protects a form":         {"name=Ann&csrf_token=x&_token=x&csrfmiddlewaretoken=x&__RequestVerificationToken=x&sessid=x&g-recaptcha-response=x&Password=x&password_again=x&token_of_love=x", Submission{Name: "Ann", UserFields: map[string]string{"token_of_love": "x"}}},
		"empty fields":                 {"name=Ann&phone=&is_sale=&sale_cost=&group_id=&city=", Submission{Name: "Ann"}},
		"the script's message":         {"message=A+lamp", Submission{Message: "A lamp"}},
		"fields as nobody groups them": {"user_fields=x&user_fields[user_fields]=y&user_fields[city]=Oslo", Submission{UserFields: map[string]string{"user_fields": "y", "user_fields_": "x", "city": "Oslo"}}},
	} {
		t.Run(name, func(t *testing.T) {
			form, err := url.ParseQuery(test.sent)
			require.NoError(t, err)
			require.Equal(t, test.want, FromForm(form))
		})
	}
}

func TestSales(t *testing.T) {
	for sent, want := range map[string]bool{
		`true`: true, `1`: true, `"1"`: true, `"true"`: true, `"TRUE"`: true, `"on"`: true, `"yes"`: true, `[true]`: true,
		`false`: false, `0`: false, `"0"`: false, `"false"`: false, `""`: false, `null`: false, `"-"`: false, `"no"`: false, `[]`: false,
	} {
		s, err := FromObject(json.RawMessage(`{"is_sale":` + sent + `}`))
		require.NoError(t, err, sent)
		require.Equal(t, want, s.IsSale, sent)
	}
}

func TestAmounts(t *testing.T) {
	for sent, want := range map[string]string{
		`1500`: "1500", `"1500"`: "1500", `1500.5`: "1500.5", `"1500.50"`: "1500.5", `"1500,50"`: "1500.5", `"1 500,50"`: "1500.5",
		"\"1\u00a0500\"": "1500", `"1,500"`: "1500", `"1,500.25"`: "1500.25", `"1,234,567"`: "1234567", `"1'500"`: "1500",
		`"007"`: "7", `0`: "0", `"0,00"`: "0", `"12."`: "12", `0.30000000000000004`: "0.3", `1499.9900000000002`: "1499.99", `"1.500"`: "1.5",
	} {
		s, err := FromObject(json.RawMessage(`{"is_sale":true,"sale_cost":` + sent + `}`))
		require.NoError(t, err, sent)
		require.Equal(t, want, s.SaleCost, sent)
	}
}

func TestGroups(t *testing.T) {
	for sent, want := range map[string]int64{
		`7`: 7, `"7"`: 7, `" 7 "`: 7, `7.0`: 7, `"007"`: 7, `["7"]`: 7, `0`: 0, `""`: 0, `null`: 0, `"undefined"`: 0, `9007199254740991`: largest,
	} {
		s, err := FromObject(json.RawMessage(`{"name":"Ann","group_id":` + sent + `}`))
		require.NoError(t, err, sent)
		require.Equal(t, want, s.GroupID, sent)
	}
}

func TestCurrencies(t *testing.T) {
	for sent, want := range map[string]string{
		"1 500 руб.": "1500", "1500р": "1500", "1500 ₽": "1500", "$1,500.00": "1500", "€99.90": "99.9", "RUB 1500": "1500", "1500,50 eur": "1500.5", "1500 рублей": "1500", "15 тенге": "15",
		"1500k": "", "15 тыс. руб.": "", "$15$": "", "1500 for two": "", "2 млн": "", "руб.": "",
	} {
		sum, currency, ok := amount(sent)
		require.Equal(t, want, sum, sent)
		require.Equal(t, want != "", ok, sent)
		require.Equal(t, ok, currency, sent)
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		submission Submission
		code       string
	}{
		"nothing at all":        {Submission{}, "empty"},
		"only a form's name":    {Submission{FormName: "Order", GroupID: 3}, "empty"},
		"only blanks":           {Submission{Message: " \n"}, "empty"},
		"only NUL":              {Submission{Name: "\x00", UserFields: map[string]string{"city": "\x00"}}, "empty"},
		"a cost without a sale": {Submission{Name: "Ann", SaleCost: "5"}, "sale_cost_without_sale"},
	} {
		t.Run(name, func(t *testing.T) { requireInvalid(t, test.code, test.submission.Check()) })
	}
	for name, s := range map[string]Submission{
		"a sale of unknown amount": {IsSale: true},
		"one user field":           {UserFields: map[string]string{"city": "Oslo"}},
		"a long transcript":        {Message: strings.Repeat("m", maxText)},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.Check())
			require.Empty(t, s.Notes)
		})
	}
}

// What is too long is cut, and what no database stores is taken away.
func TestCheckCuts(t *testing.T) {
	many, kept := map[string]string{}, map[string]string{}
	for i := range MaxUserFields + 1 {
		name := fmt.Sprintf("field %03d", i)
		if many[name] = "y"; i < MaxUserFields {
			kept[name] = "y"
		}
	}
	of := func(field, code string) []Note { return []Note{{Field: field, Code: code}} }
	for name, test := range map[string]struct {
		sent, stored Submission
	}{
		"a name without end": {Submission{Name: strings.Repeat("n", MaxShort+1)}, Submission{Name: strings.Repeat("n", MaxShort), Notes: of("name", "too_long")}},
		"a name that is cut between characters": {Submission{Name: "n" + strings.Repeat("я", MaxShort)},
			Submission{Name: "n" + strings.Repeat("я", MaxShort/2-1), Notes: of("name", "too_long")}},
		"a message without end": {Submission{Message: strings.Repeat("m", maxText+1)}, Submission{Message: strings.Repeat("m", maxText), Notes: of("message", "too_long")}},
		"too long in all":       {Submission{Message: strings.Repeat("m", maxText), Name: "Ann"}, Submission{Message: strings.Repeat("m", maxText-3), Name: "Ann", Notes: of("message", "too_long")}},
		"fields too long in all": {Submission{Message: strings.Repeat("m", maxText/2), UserFields: map[string]string{"f": strings.Repeat("v", maxText)}},
			Submission{Message: strings.Repeat("m", maxText/2), UserFields: map[string]string{"f": strings.Repeat("v", maxText/2-1)}, Notes: of("user_fields", "too_long")}},
		"too many fields":         {Submission{UserFields: many}, Submission{UserFields: kept, Notes: of("user_fields", "too_long")}},
		"a field's name too long": {Submission{UserFields: map[string]string{strings.Repeat("n", MaxShort+1): "v"}}, Submission{UserFields: map[string]string{strings.Repeat("n", MaxShort): "v"}, Notes: of("user_fields", "too_long")}},
		"two names that become one": {Submission{UserFields: map[string]string{"city": "Oslo", "ci\x00ty": "Riga"}},
			Submission{UserFields: map[string]string{"city": "Riga", "city_": "Oslo"}, Notes: of("user_fields", "malformed_text")}},
		"NUL in a name":            {Submission{Name: "A\x00n"}, Submission{Name: "An", Notes: of("name", "malformed_text")}},
		"broken UTF-8 in a field":  {Submission{UserFields: map[string]string{"city": "\xff"}}, Submission{UserFields: map[string]string{"city": "\ufffd"}, Notes: of("user_fields", "malformed_text")}},
		"broken UTF-8 in a e-mail": {Submission{Email: "a\xc3"}, Submission{Email: "a\ufffd", Notes: of("email", "malformed_text")}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, test.sent.Check())
			for i := range test.sent.Notes {
				require.NotEmpty(t, test.sent.Notes[i].Note)
				test.sent.Notes[i].Note = ""
			}
			require.Equal(t, test.stored, test.sent)
			require.NoError(t, test.sent.Check(), "what fits is not cut again")
			require.Equal(t, test.stored, test.sent)
		})
	}
}
