package posted

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
)

// passed is the form of a body that comes in pieces of any size.
func passed(t *testing.T, contentType, body, page string) Form {
	t.Helper()
	var forms []Form
	for _, size := range []int{1, 7, 1 << 20} {
		b := New(contentType)
		require.NotNil(t, b, contentType)
		for rest := []byte(body); len(rest) > 0; {
			n, err := b.Write(rest[:min(size, len(rest))])
			require.NoError(t, err)
			rest = rest[n:]
		}
		form, err := b.Form(page)
		require.NoError(t, err)
		forms = append(forms, form)
	}
	require.Equal(t, forms[0], forms[1])
	require.Equal(t, forms[0], forms[2])
	return forms[0]
}

const pairs = "application/x-www-form-urlencoded"

func TestForms(t *testing.T) {
	sent := []Field{{"your-name", "Анна"}, {"lamp[]", "desk"}, {"lamp[]", "floor"}, {"text", "Line 1\r\nLine 2 & 100 %"}, {"empty", ""}}
	var encoded []string
	parts := new(bytes.Buffer)
	w := multipart.NewWriter(parts)
	photo, err := w.CreateFormFile("photo", `lamp "old".jpg`)
	require.NoError(t, err)
	fmt.Fprint(photo, "\r\n--", w.Boundary()[:10], strings.Repeat("\x00\r\n--", 200_000))
	for _, f := range sent {
		encoded = append(encoded, url.QueryEscape(f.Name)+"="+url.QueryEscape(f.Value))
		require.NoError(t, w.WriteField(f.Name, f.Value))
	}
	require.NoError(t, w.Close())
	require.Equal(t, Form{Fields: sent}, passed(t, pairs, strings.Join(encoded, "&"), ""))
	require.Equal(t, Form{Fields: sent}, passed(t, w.FormDataContentType(), parts.String(), ""), "what stands behind a file is read")

	require.Equal(t, Form{Fields: []Field{{"name", "Ann"}, {"contact.phone", "+7 495"}, {"lamps.0", "desk"}, {"lamps.1.n", "2"}, {"agreed", "true"}}},
		passed(t, "application/json; charset=utf-8", `{"name":"Ann","contact":{"phone":"+7 495","none":null},"lamps":["desk",{"n":2}],"agreed":true}`, ""))
	require.Equal(t, []Field{{"a", "%zz"}, {"b", ""}, {"", "c"}}, passed(t, pairs, "a=%zz&&b&=c", "").Fields)

	for _, other := range []string{"image/png", "application/octet-stream", "multipart/form-data", "multipart/mixed; boundary=a", "multipart/form-data; boundary=" + strings.Repeat("a", 71), "a/b/c"} {
		require.Nil(t, New(other), other)
	}
}

// What scripts send is read by what it looks like.
func TestTextsWithoutAType(t *testing.T) {
	fields := []Field{{"name", "Иван"}, {"phone", "+7 921"}}
	object := `{"name":"Иван","phone":"+7 921"}`
	query := "name=%D0%98%D0%B2%D0%B0%D0%BD&phone=%2B7+921"
	for _, contentType := range []string{"", "text/plain", "text/plain;charset=UTF-8", pairs, "application/json"} {
		for _, body := range []string{object, " \n" + object, query, `[{"name":"name","value":"Иван"},{"name":"phone","value":"+7 921"}]`,
			`[{"id":"f_1","label":"name","value":"Иван","type":"text"},{"value":["+7 921"],"key":"phone"}]`} {
			require.Equal(t, fields, passed(t, contentType, body, "").Fields, "%s: %s", contentType, body)
		}
	}
	require.Equal(t, []Field{{"name", "Tom & Ann"}, {"message", "a=b\nc"}, {"phone", "100%"}}, passed(t, "text/plain", "name=Tom & Ann\r\nmessage=a=b\nc\r\nphone=100%\r\n", "").Fields, "as browsers write it")
	require.Equal(t, []Field{{"form.fields.0.name", "Lamp"}, {"form.fields.0.price", "5"}, {"tel", "1"}}, passed(t, "application/json", `{"form":{"fields":[{"name":"Lamp","price":5},{"name":"tel","value":1}]}}`, "").Fields)
	for _, other := range []string{"Hello", `{"name":`, `"name"`} {
		form, err := posting("text/plain", other)
		require.Empty(t, form.Fields)
		require.ErrorIs(t, err, ErrUnreadable, other)
	}
}

func posting(contentType, body string) (Form, error) {
	b := New(contentType)
	b.Write([]byte(body))
	return b.Form("")
}

func TestGraphQL(t *testing.T) {
	for body, want := range map[string][]Field{
		`{"operationName":"Lamps","query":"query Lamps($name: String) { lamps(name: $name) { id } }","variables":{"name":"Desk","phone":"+74951234567"}}`:                          nil,
		`{"query":"{ lamps { id } }","variables":{"email":"a@b.example"}}`:                                                                                                         nil,
		`{"operationName":"Ask","query":"mutation Ask($input: Lead!) { ask(input: $input) { ok } }","variables":{"input":{"name":"Anna","phone":"+74951234567"}},"extensions":{}}`: {{"input.name", "Anna"}, {"input.phone", "+74951234567"}},
		`{"query":"mutation { ask(name: \"Anna \\\"B\\\"\", phone:\"+74951234567\") { ok } }"}`:                                                                                    {{"name", `Anna "B"`}, {"phone", "+74951234567"}},
		`[{"query":"query { lamps { id } }"},{"query":"mutation A { a { ok } }","variables":{"tel":"1"}}]`:                                                                         {{"tel", "1"}},
		`{"query":"desk lamps","page":2}`: {{"query", "desk lamps"}, {"page", "2"}},
	} {
		require.Equal(t, want, passed(t, "application/json", body, "").Fields, body)
	}
}

func TestCharacterSets(t *testing.T) {
	koi8, err := charmap.KOI8R.NewEncoder().String("Анна")
	require.NoError(t, err)
	windows, err := charmap.Windows1251.NewEncoder().String("Анна")
	require.NoError(t, err)
	require.Equal(t, "Анна", passed(t, pairs, "name="+url.QueryEscape(koi8), "koi8-r").Fields[0].Value)
	require.Equal(t, "Анна", passed(t, pairs, "name="+url.QueryEscape(windows), "Windows-1251").Fields[0].Value)
	require.Equal(t, "Анна", passed(t, pairs+"; charset=windows-1251", "name="+url.QueryEscape(windows), "utf-8").Fields[0].Value)
	require.Equal(t, "Анна", passed(t, pairs, "name="+url.QueryEscape(windows)+"&_charset_=windows-1251", "koi8-r").Fields[0].Value)
	require.Equal(t, "Анна", passed(t, pairs, "name=%D0%90%D0%BD%D0%BD%D0%B0", "windows-1251").Fields[0].Value, "what is UTF-8 is read so")
	for _, name := range []string{"Иван", "иван", "ИВАН", "Анна-Мария", "Ия", "Юлия Щукина", "Хью Юшкевич", "Їжак Олексій", "перезвоните мне", "Жду Вас в 10:00, спасибо!", "ООО «Свет»"} {
		for label, set := range map[string]*charmap.Charmap{"windows-1251": charmap.Windows1251, "koi8-u": charmap.KOI8U} {
			if set == charmap.KOI8U && strings.Contains(name, "«") {
				continue // it has none
			}
			sent, err := set.NewEncoder().String(name)
			require.NoError(t, err)
			for _, known := range []string{"", "utf-8", "iso-8859-1", "nonsense"} {
				require.Equal(t, name, passed(t, pairs, "name="+url.QueryEscape(sent)+"&tel=1", known).Fields[0].Value, "%s in %s", name, label)
			}
		}
	}
	for _, name := range []string{"Jörg Groß", "Zoé", "Ñandú", "Élise à Paris"} {
		sent, err := charmap.Windows1252.NewEncoder().String(name)
		require.NoError(t, err)
		require.Equal(t, name, passed(t, pairs, "name="+url.QueryEscape(sent), "").Fields[0].Value)
	}
	require.Equal(t, "caf\u00e9", passed(t, pairs, "name=caf%E9", "no such set").Fields[0].Value)
}

func TestBodiesThatLie(t *testing.T) {
	for contentType, bodies := range map[string][]string{
		"application/json": {"", "{", `{"a":`, `[`, `"a"`, `{"a":1}}`[:6], strings.Repeat(`{"a":`, 10_000), `{"a":` + strings.Repeat("[", 10_000)},
		"multipart/form-data; boundary=b": {"", "--b", "--b\r\nContent-Disposition: form-data; name=\"a\"", "--b\r\n\r\nvalue", "--b\r\n" + strings.Repeat("x", 100_000),
			strings.Repeat("--b\r\n", 50_000)},
	} {
		for _, body := range bodies {
			b := New(contentType)
			b.Write([]byte(body))
			form, err := b.Form("")
			if err != nil {
				require.ErrorIs(t, err, ErrUnreadable)
			}
			require.Empty(t, form.Fields, "%.50q", body)
		}
	}
	many := passed(t, pairs, strings.Repeat("a=1&", 10_000), "")
	require.Len(t, many.Fields, maxFields)
	require.True(t, many.Cut)

	long := New(pairs)
	for range 10 << 10 {
		long.Write([]byte(strings.Repeat("a", 1024)))
	}
	require.LessOrEqual(t, cap(long.kept), 2*maxKept)
	form, err := long.Form("")
	require.NoError(t, err)
	require.True(t, form.Cut)

	// A file of any size is never held.
	files := New("multipart/form-data; boundary=b")
	files.Write([]byte("--b\r\nContent-Disposition: form-data; name=photo; filename=a.jpg\r\n\r\n"))
	for range 10 << 10 {
		files.Write([]byte(strings.Repeat("\r\n--", 256)))
	}
	files.Write([]byte("\r\n--b\r\nContent-Disposition: form-data; name=phone\r\n\r\n123\r\n--b--\r\n"))
	require.Less(t, len(files.kept)+cap(files.parts.pending), 20<<10)
	form, err = files.Form("")
	require.NoError(t, err)
	require.Equal(t, Form{Fields: []Field{{"phone", "123"}}}, form)
}

// What stands too deep is left out; what stands behind it is read.
func TestDeepObjects(t *testing.T) {
	form := passed(t, "application/json", `{"deep":`+strings.Repeat(`{"a":[`, 20)+"1"+strings.Repeat("]}", 20)+`,"phone":"+74951234567"}`, "")
	require.Equal(t, Form{Fields: []Field{{"phone", "+74951234567"}}, Cut: true}, form)
}
