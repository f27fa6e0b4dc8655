package letter

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
)

// Page is what the link of a letter opens: a page of the service on the site's own host.
type Page struct {
	Content []byte
	// Policy is its Content-Security-Policy, and Referrer its Referrer-Policy.
	Policy, Referrer string
}

// Answer answers a request with the page.
func (p Page) Answer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(p.Content)))
	h.Set("Content-Security-Policy", p.Policy)
	h.Set("Referrer-Policy", p.Referrer)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(p.Content)
}

// back keeps that the chat is to open on the next page, as the panels keep it (panels/keep.ts), and goes there.
const back = `const { key, conversation, page } = document.currentScript.dataset;
try {
  if (conversation) {
    localStorage.setItem("cs:" + key + ":conversation", conversation);
    sessionStorage.setItem("cs:" + key + ":open", "*");
  }
} catch {}
location.replace(page);`

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:32rem;margin:15vh auto 0;padding:0 20px;text-align:center}
button,a.main{display:inline-block;padding:10px 20px;border:0;border-radius:10px;background:#1f2937;color:#fff;font:600 1rem/1.5 system-ui,sans-serif;text-decoration:none;cursor:pointer}
@media(prefers-color-scheme:dark){button,a.main{background:#e5e7eb;color:#111827}}`

var pages = template.Must(template.New("").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<title>{{.Title}}</title><style>` + style + `</style></head>
<body><p>{{.Title}}</p>
{{with .Hint}}<p>{{.}}</p>{{end -}}
{{with .Action}}<form method="post"><button>{{.}}</button></form>{{end -}}
{{with .Page}}<p><a class="main" href="{{.}}">{{$.Open}}</a></p>{{end -}}
{{if .Goes}}<script data-key="{{.Key}}" data-conversation="{{.Conversation}}" data-page="{{.Page}}">` + back + `</script>{{end -}}
</body></html>
`))

// shown is what a page shows.
type shown struct {
	Language, Title, Hint, Action string
	Open, Page                    string
	Goes                          bool
	Key, Conversation             string
}

var policy = "default-src 'none'; script-src '" + hashOf(back) + "'; style-src '" + hashOf(style) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (s shown) page() Page {
	var b bytes.Buffer
	if err := pages.Execute(&b, s); err != nil { // it holds texts alone
		panic(err)
	}
	referrer := "no-referrer" // the address has a token in it
	if s.Action != "" {
		referrer = "same-origin" // else browsers send the form with "Origin: null"
	}
	return Page{b.Bytes(), policy, referrer}
}

// BackPage leads to the page of the site with the key, an address of http or https. There the chat opens with the
// conversation of the id; with an empty id it is left as it is.
func BackPage(language, key, conversation, page string) Page {
	words, language := wordsOf(language)
	return shown{Language: language, Title: words["letter.back"], Open: words["letter.open"], Page: page, Goes: true, Key: key, Conversation: conversation}.page()
}

// OverPage says that the link is not valid any more, and links the site's first page.
func OverPage(language string) Page {
	words, language := wordsOf(language)
	return shown{Language: language, Title: words["letter.over"], Hint: words["letter.hint"], Open: words["letter.site"], Page: "/"}.page()
}

// StopPage asks whether no more letters are wanted; stopped says that none will come.
func StopPage(language string, stopped bool) Page {
	words, language := wordsOf(language)
	if stopped {
		return shown{Language: language, Title: words["letter.stopped"]}.page()
	}
	return shown{Language: language, Title: words["letter.stop"], Action: words["letter.do"]}.page()
}

// UnsubscribePage is StopPage for the mails with figures of the site.
func UnsubscribePage(language string, stopped bool) Page {
	words, language := wordsOf(language)
	if stopped {
		return shown{Language: language, Title: words["letter.unsubscribed"]}.page()
	}
	return shown{Language: language, Title: words["letter.unsubscribe"], Action: words["letter.do"]}.page()
}

// GonePage says that the link is not valid any more.
func GonePage(language string) Page {
	words, language := wordsOf(language)
	return shown{Language: language, Title: words["letter.over"]}.page()
}
