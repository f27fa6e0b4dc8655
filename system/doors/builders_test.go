package doors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// builder is a program that makes forms, and what one of its forms sends; see testdata/forms.txt.
type builder struct {
	name    string
	path    string
	how     string
	capture string // the pattern of the path, as docs/forms.md has it
	fields  [][2]string
	body    string // the whole body, where it has no fields
	markup  string
}

func readBuilders(t testing.TB) (all []*builder) {
	t.Helper()
	text, err := os.ReadFile("testdata/forms.txt")
	require.NoError(t, err)
	var b *builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "==":
			b = &builder{name: rest}
			all = append(all, b)
		case word == "post":
			b.path, b.how, _ = strings.Cut(rest, " ")
			b.capture = b.path
		case word == "capture":
			b.capture = rest
		case strings.HasPrefix(line, "<"):
			b.markup += line + "\n"
		case len(b.fields) == 0 && (line[0] == '{' || line[0] == '['):
			b.body = line
		default:
			name, value, is := strings.Cut(line+" ", " = ")
			require.True(t, is || strings.HasSuffix(line, " ="), "%s: %q is no field", b.name, line)
			b.fields = append(b.fields, [2]string{strings.TrimSuffix(name, " = "), strings.TrimSpace(value)})
		}
	}
	return all
}

// filled is the text with what the visitor has filled in, each written as as says.
func filled(text string, values map[string]string, as func(string) string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", as(value))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func plainly(text string) string { return text }

// inJSON is the text as it stands in a string of JSON.
func inJSON(text string) string {
	written, err := json.Marshal(text)
	if err != nil { // texts do not fail
		panic(err)
	}
	return string(written[1 : len(written)-1])
}

// send is what a browser sends of the form.
func (b *builder) send(t testing.TB, values map[string]string) (contentType, body string) {
	t.Helper()
	var fields [][2]string
	for _, field := range b.fields {
		as := plainly
		switch {
		case strings.HasPrefix(field[1], "?"):
			as = url.QueryEscape
		case strings.HasPrefix(field[1], `{"`):
			as = inJSON
		}
		fields = append(fields, [2]string{field[0], filled(strings.TrimPrefix(field[1], "?"), values, as)})
	}
	switch b.how {
	case "json":
		return jsonType, filled(b.body, values, inJSON)
	case "beacon":
		return "text/plain;charset=UTF-8", filled(b.body, values, inJSON)
	case "lines":
		for _, field := range fields {
			body += field[0] + "=" + strings.ReplaceAll(field[1], "\n", "\r\n") + "\r\n"
		}
		return "text/plain", body
	case "pairs", "windows-1251":
		written := plainly
		if b.how != "pairs" { // browsers write what the character set lacks as references
			encoder := encoding.HTMLEscapeUnsupported(charmap.Windows1251.NewEncoder())
			written = func(text string) string {
				text, err := encoder.String(text)
				require.NoError(t, err)
				return text
			}
		}
		for _, field := range fields {
			body += "&" + url.QueryEscape(written(field[0])) + "=" + url.QueryEscape(written(field[1]))
		}
		return formType, body[1:]
	case "parts":
		var parts bytes.Buffer
		w := multipart.NewWriter(&parts)
		require.NoError(t, w.SetBoundary("----WebKitFormBoundaryjbgaD1FgyTN1fzIS"))
		for _, field := range fields {
			require.NoError(t, w.WriteField(field[0], field[1]))
		}
		require.NoError(t, w.Close())
		return w.FormDataContentType(), parts.String()
	}
	require.Fail(t, "unknown", "%s sends %q", b.name, b.how)
	return "", ""
}

// show is the form as it stands in a page.
func (b *builder) show(words map[string]string) string { return filled(b.markup, words, plainly) }

// language is what visitors write, and what a site's page says.
type language struct {
	name               string
	first, last, says  string
	Name, Phone, Email string
	Message            string
}

// words are those beside the fields.
func (l language) words() map[string]string {
	return map[string]string{"Name": l.Name, "Phone": l.Phone, "Email": l.Email, "Message": l.Message}
}

var languages = []language{
	{name: "en", first: "Anna", last: "Bell", says: "Is the lamp there? I should like two.", Name: "Your name", Phone: "Phone", Email: "E-mail", Message: "Your message"},
	{name: "ru", first: "Анна", last: "Белова", says: "Есть ли лампа в наличии? Нужны две.", Name: "Ваше имя", Phone: "Телефон", Email: "Эл. почта", Message: "Сообщение"},
	{name: "de", first: "Jürgen", last: "Müller", says: "Ist die Lampe noch da? Ich hätte gern zwei.", Name: "Ihr Name", Phone: "Telefonnummer", Email: "E-Mail-Adresse", Message: "Ihre Nachricht"},
	{name: "fr", first: "Hélène", last: "Lefèvre", says: "La lampe est-elle là ? J'en voudrais deux.", Name: "Votre nom", Phone: "Téléphone", Email: "Adresse e-mail", Message: "Votre message"},
	{name: "es", first: "Íñigo", last: "Muñoz", says: "¿Tienen la lámpara? Quisiera dos, por favor.", Name: "Su nombre", Phone: "Teléfono", Email: "Correo electrónico", Message: "Mensaje"},
	{name: "pl", first: "Łukasz", last: "Żak", says: "Czy lampa jest dostępna? Poproszę o dwie.", Name: "Imię i nazwisko", Phone: "Numer telefonu", Email: "Adres e-mail", Message: "Wiadomość"},
}

// country is one, and how its mobiles begin; four digits follow.
type country struct {
	region string
	begin  string // of its mobiles, in international form
}

var countries = []country{
	{"RU", "+7921123"}, {"US", "+1212736"}, {"GB", "+44740012"}, {"DE", "+491512345"}, {"FR", "+3361234"},
	{"ES", "+3461234"}, {"PL", "+4851234"}, {"BR", "+55119612"}, {"UA", "+38050123"},
}

func (c country) mobile(n int) string {
	const places = 4
	digits := fmt.Sprintf("%0*d", places, n)
	if c.region == "BR" { // of which the mobiles have one more
		digits = "3" + digits
	}
	return c.begin + digits
}

// The documentation says of each program where its forms are sent to.
func TestFormsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/forms.md")
	require.NoError(t, err)
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, line)
		}
	}
	for _, b := range readBuilders(t) {
		program, _, _ := strings.Cut(b.name, ",")
		require.True(t, slices.ContainsFunc(rows, func(row string) bool {
			return strings.Contains(row, program) && strings.Contains(row, "`"+b.capture+"`")
		}), "say in docs/forms.md that %s is sent to %s", program, b.capture)
	}
}
