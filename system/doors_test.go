package system

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// inputs make requests, by their names. Each time that one is made, it says something that was not said before.
type inputs map[string]func() request

// door is one of the program's.
type door struct {
	// dearest are the dearest requests of some n bytes.
	dearest []func(s *scene, n int) inputs
	// size is how many bytes of it are sent; zero for as many as the usual door takes.
	size int
	// stream does not end: its beginning is read.
	stream bool
	// found are forms that are looked at after the answer.
	found bool
	// shut is the status of all answers of a door that stays shut.
	shut int
	// memory is the price of the door in bytes allocated; zero for the usual one.
	memory price
	// of are the prices of some inputs, by their names.
	of map[string]price
}

// opened tells whether the answer is one of somebody who has read the request. Those that servers' calls are answered
// with say in themselves whether they were understood.
func (d door) opened(a answer) bool {
	if d.shut != 0 {
		return a.status == d.shut
	}
	return (a.status < http.StatusBadRequest || a.status == http.StatusUnprocessableEntity || a.status == http.StatusConflict) && !strings.Contains(string(a.body), `"success":false`)
}

var (
	hashing = price{80 << 20, 64}  // of a password
	looking = price{16 << 20, 192} // through all texts that are stored
	showing = price{4 << 20, 192}  // of a page of the console, whose query and form are read by several
)

// nested is the price of objects in one another: a byte of them takes ten times as much as one of a text, but JSON has
// no more than 10,000 in one another.
var nested = price{8 << 20, 64}

// manyFields is the price of thousands of fields, each of which is a text of its own until all but some are left out.
var manyFields = map[string]price{"fields": {512 << 10, 128}}

// doors are all doors, by the host and the pattern of their routes.
func doors() map[string]door {
	const prefix = "/frontdesk/"
	shop := map[string]door{
		"":                            {dearest: open(prefix + "elsewhere").dearest, shut: http.StatusNotFound},
		"svc.js":                      open(prefix + "svc.js?k=shop"),
		"assets/":                     open(prefix + "assets/{asset}"),
		"phone/{name}":                open(prefix + "phone/{picture}"),
		"calls/{route...}":            {dearest: takes(webhook, twilio("voice"), twilio("status"), twilio("order"), raw(prefix+"calls/webhook", "application/json")).dearest, size: 24 << 10},
		"v1/hit":                      takes(call("hit", (*scene).view, "url", "referrer", "title", "view", "served", "site_key", "kind"), bare(http.MethodPost, prefix+"v1/hit")),
		"v1/event":                    takes(call("event", (*scene).event, "category", "action", "name", "value")),
		"v1/lead":                     takes(call("lead", (*scene).lead, "request.message", "request.name", "request.phone", "request.email", "request.form_name", "request.user_fields.city", "request.sale_cost", "request", "id", "credentials.uri"), bare(http.MethodPost, prefix+"v1/lead")).costs(nested),
		"v1/visitor":                  takes(call("visitor", (*scene).visitor, "further", "name", "email", "phone")),
		"v1/property":                 takes(call("property", (*scene).property, "value", "name")),
		"v1/presence":                 takes(call("presence", (*scene).caller, "further", "presence")),
		"v1/status":                   open(prefix + "v1/status?k=shop"),
		"v1/callback":                 takes(call("callback", (*scene).callback, "further", "request.phone", "request.captcha_value", "request")),
		"v1/widget":                   open(prefix + "v1/widget?k=shop"),
		"v1/chat":                     takes(call("chat", (*scene).caller, "further", "after")),
		"v1/chat/say":                 takes(call("chat/say", (*scene).say, "request.text", "request.language", "request.invitation")),
		"v1/chat/read":                takes(call("chat/read", (*scene).sender, "further")),
		"v1/chat/typing":              takes(call("chat/typing", (*scene).sender, "text")),
		"v1/chat/transcript":          {dearest: takes(call("chat/transcript", (*scene).sender, "further")).dearest, shut: http.StatusConflict}, // nobody has answered
		"v1/chat/link":                takes(call("chat/link", (*scene).sender, "call")),
		"v1/chat/send":                takes(chatFile),
		"v1/chat/file":                takes(shownFile),
		"v1/chat/stream":              {dearest: takes(visitorStream).dearest, stream: true},
		"v1/captcha":                  takes(call("captcha", (*scene).caller, "language")),
		"v1/captcha/{file}":           takes(captchaPicture),
		"api/add_offline_message":     {dearest: []func(*scene, int) inputs{serverLead(prefix + "api/add_offline_message"), bare(http.MethodPost, prefix+"api/add_offline_message")}, of: manyFields},
		"api/add_offline_message/{$}": {dearest: []func(*scene, int) inputs{serverLead(prefix + "api/add_offline_message/")}, of: manyFields},
		"vc/s":                        takes(visitorInformation(prefix+"vc/s"), bare(http.MethodGet, prefix+"vc/s")),
		"vc/s/{$}":                    takes(visitorInformation(prefix + "vc/s/")),
	}
	desk := map[string]door{
		"GET /assets/{name}":                              open("/assets/console.css"),
		"GET /worker.js":                                  open("/worker.js"),
		"GET /setup":                                      {dearest: open("/setup").dearest, shut: http.StatusNotFound}, // once is enough
		"POST /setup":                                     {dearest: form("token", "login", "name", "password").dearest, shut: http.StatusNotFound},
		"GET /password":                                   open("/password?token={token}"),
		"POST /password":                                  {dearest: form("password", "token={token}").dearest, memory: hashing},
		"GET /sign-in":                                    open("/sign-in"),
		"POST /sign-in":                                   {dearest: form("login", "password").dearest, memory: hashing, shut: http.StatusUnauthorized},
		"POST /sign-out":                                  form("to"),
		"POST /language":                                  form("back", "language=en"),
		"GET /{$}":                                        open("/"),
		"/":                                               open("/elsewhere"),
		"GET /stream/{view}":                              streams(bare(http.MethodGet, "/stream/{view}?site=0&after={after}")).costs(showing),
		"POST /leads/refused/{site}/{refused}":            form("to"),
		"POST /leads/refused":                             form("to"),
		"POST /leads/read":                                form("lead={lead}", "site=1", "back"),
		"POST /leads/forms/{site}":                        form("path", "name", "phone"),
		"POST /leads/state/{site}/{lead}":                 form("back", "state=done"),
		"POST /leads/owner/{site}/{lead}":                 form("back", "to=0", "from=0"),
		"POST /leads/notes/{site}/{lead}":                 form("text"),
		"POST /leads/parts/{site}/{lead}":                 form("back", "part={other}"),
		"POST /leads/parts/{site}/{lead}/removal":         form("back", "part={other}"),
		"POST /chats/{site}/{conversation}/messages":      form("text", "client"),
		"POST /chats/{site}/{conversation}/files":         form("name"),
		"POST /chats/{site}/{conversation}/read":          form("back", "seq=1"),
		"POST /chats/{site}/{conversation}/typing":        form("text"),
		"POST /chats/{site}/{conversation}/work":          form("to", "do=claim"),
		"POST /callbacks":                                 form("phone", "until", "site=1"),
		"POST /callbacks/{site}/{callback}/call":          form("back"),
		"POST /callbacks/{site}/{callback}/postponement":  form("until"),
		"POST /callbacks/{site}/{callback}/closing":       form("back"),
		"POST /numbers/{site}":                            form("number", "targets", "selectors", "was"),
		"POST /numbers/{site}/{number}/removal":           form("version", "back"),
		"POST /pools/{site}":                              form("numbers", "name", "hold", "reserve"),
		"POST /pools/{site}/{pool}/removal":               form("version"),
		"POST /account/password":                          {dearest: form("current", "password").dearest, memory: hashing},
		"POST /account/away":                              form("away", "back"),
		"POST /sites":                                     form("key"),
		"POST /sites/{site}/settings":                     form("maskText", "consentName", "consentIs"),
		"POST /sites/{site}/widget":                       form("in", "title", "greeting"),
		"POST /sites/{site}/widget/look":                  form("in", "title", "greeting"),
		"POST /sites/{site}/retired":                      form("retired"),
		"POST /sites/{site}/endpoints":                    form("template", "address", "subject", "events"),
		"POST /sites/{site}/endpoints/{endpoint}/test":    form("to"),
		"POST /sites/{site}/endpoints/{endpoint}/paused":  form("paused"),
		"POST /sites/{site}/endpoints/{endpoint}/secret":  form("back", "end=true"),
		"POST /sites/{site}/endpoints/{endpoint}/again":   {dearest: form("back", "entry=1").dearest, shut: http.StatusNotFound}, // it has not failed
		"POST /sites/{site}/endpoints/{endpoint}/failed":  form("back", "hours=1"),
		"POST /sites/{site}/endpoints/{endpoint}/removal": form("version"),
		"POST /sites/{site}/groups":                       form("name", "holidays", "phone", "zone", "day1", "members"),
		"POST /sites/{site}/groups/{group}/removal":       form("version"),
		"POST /sites/{site}/replies":                      form("text", "word"),
		"POST /sites/{site}/replies/{reply}/removal":      form("version"),
		"POST /operators":                                 {dearest: form("login", "name", "password", "sites").dearest, memory: hashing},
		"POST /operators/{operator}":                      form("name", "role"),
		"POST /operators/{operator}/sites":                form("sites"),
		"POST /operators/{operator}/disabled":             form("disabled"),
		"POST /operators/{operator}/password":             {dearest: form("password").dearest, memory: hashing},
		"POST /operators/{operator}/removal":              form("version"),
		"POST /person":                                    form("who").costs(looking),
		"POST /person/export":                             form("who", "visitor").costs(looking),
		"POST /person/erasure":                            form("who", "visitor"),
	}
	for _, path := range []string{
		"/visitors", "/visitors/{site}/{visitor}", "/leads", "/leads/refused", "/leads/{site}/{lead}", "/leads/{site}/{lead}/text", "/leads/refused/{site}/{refused}/text", "/leads/forms", "/leads/export",
		"/chats", "/chats/{site}/{conversation}", "/chats/{site}/{conversation}/messages", "/chats/{site}/{conversation}/messages/{message}", "/chats/{site}/{conversation}/files/{file}",
		"/calls", "/callbacks", "/callbacks/new", "/callbacks/{site}/{callback}", "/numbers", "/numbers/pools", "/numbers/{site}/new", "/numbers/{site}/who",
		"/numbers/{site}/{number}", "/pools/{site}/new", "/pools/{site}/{pool}", "/account", "/sites", "/sites/{site}", "/sites/{site}/settings",
		"/sites/{site}/widget", "/sites/{site}/widget/stage", "/sites/{site}/deliveries", "/sites/{site}/endpoints/new", "/sites/{site}/endpoints/{endpoint}",
		"/sites/{site}/groups", "/sites/{site}/groups/new", "/sites/{site}/groups/{group}", "/sites/{site}/replies", "/operators", "/operators/{operator}",
		"/history", "/person", "/person/{site}/{visitor}",
	} {
		desk["GET "+path] = page("")
	}
	desk["GET /chats/{site}/{conversation}/messages"] = page("after=0")
	all := map[string]door{
		"pages": {dearest: []func(*scene, int) inputs{pages}, of: map[string]price{
			"deep formatting": {32 << 20, 64}, // elements that are closed are opened again in each paragraph, up to a bound
			"policies":        {512 << 10, 256},
		}},
		"found forms": {dearest: takes(siteForms("/order/", true)).dearest, found: true, memory: price{4 << 20, 64}}, // with looks at the metrics
		"SIP":         {dearest: takes(sipMessages).dearest, size: 15 << 10},
		"/contact":    takes(siteForms("/contact", false)),
		"/join":       takes(siteForms("/join", false)),
	}
	for pattern, d := range shop {
		all["shop "+prefix+pattern] = d
	}
	for pattern, d := range desk {
		for i, dear := range d.dearest {
			d.dearest[i] = func(s *scene, n int) inputs { return asOperator(s, pattern, dear(s, n)) }
		}
		all["desk "+pattern] = d
	}
	return all
}

// costs is the door with a price in bytes allocated.
func (d door) costs(memory price) door {
	d.memory = memory
	return d
}

func takes(dearest ...func(s *scene, n int) inputs) door { return door{dearest: dearest} }

func streams(dearest ...func(s *scene, n int) inputs) door {
	return door{dearest: dearest, stream: true}
}

// open takes no body.
func open(path string) door { return takes(bare(http.MethodGet, path)) }

// page is a page of the console, with dear queries beside its own.
func page(query string) door {
	d := takes(func(_ *scene, n int) inputs {
		all := make(inputs)
		for name, dear := range queries(n) {
			all["the query's "+name] = func() request { return request{method: http.MethodGet, path: "?" + query + "&" + dear} }
		}
		return all
	})
	return d.costs(showing)
}

// bare are requests with dear queries and header fields, and nothing else.
func bare(method, path string) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all, path := make(inputs), s.filled(path)
		for name, fields := range headers(n) {
			all["the header's "+name] = func() request { return request{method: method, path: path, fields: fields} }
		}
		address, query, _ := strings.Cut(path, "?")
		for name, dear := range queries(n) {
			all["the query's "+name] = func() request { return request{method: method, path: address + "?" + query + "&" + dear} }
		}
		return all
	}
}

// raw are bodies that are nothing of what is expected, and ones that come in an unusual way.
func raw(path, contentType string) func(s *scene, n int) inputs {
	return func(_ *scene, n int) inputs {
		all := make(inputs)
		for name, shape := range shapes {
			all[name] = func() request { return post(path, contentType, shape(n)) }
		}
		return all
	}
}

// unusual are the body once more in pieces of a byte, announced and not sent, and half of it sent.
func unusual(all inputs, usual func() request) {
	all["one byte at a time"] = func() request {
		r := usual()
		r.chunk, r.body = 1, r.body[:len(r.body)/6]
		return r
	}
	for name, sent := range map[string]int{"announced and not sent": 0, "a tenth sent": 10} {
		all[name] = func() request {
			r := usual()
			r.announced, r.body = len(r.body), r.body[:len(r.body)*sent/100]
			return r
		}
	}
}

const jsonType, formType, multipartType = "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=bound"

// shaped stands where a shape will stand in an object.
const shaped = "SHAPED"

// call are calls of the script: a JSON object with dear texts and shapes in its members.
func call(route string, object func(s *scene) map[string]any, members ...string) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		send := func(object any, shape string) request {
			return post("/frontdesk/v1/"+route, jsonType, strings.Replace(encoded(object), `"`+shaped+`"`, shape, 1), "Cookie: "+s.cookie)
		}
		for i, member := range members {
			of := few
			if i == 0 {
				of = slices.Collect(maps.Keys(texts))
			}
			for _, kind := range of {
				all[kind+" in "+member] = func() request { return send(with(object(s), member, s.unique()+fitting(texts[kind], n)), "") }
			}
			for _, kind := range fewShapes {
				all[kind+" as "+member] = func() request { return send(with(object(s), member, shaped), shapes[kind](n)) }
			}
		}
		for kind, shape := range shapes {
			all[kind] = func() request { return send(shaped, shape(n)) }
		}
		unusual(all, func() request { return send(with(object(s), members[0], texts["words"](n)), "") })
		return all
	}
}

// serverLead are leads of a customer's server.
func serverLead(path string) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		add := func(name string, rest func() string) {
			all[name] = func() request { return post(path, formType, s.credentials()+"&"+rest()) }
		}
		for kind, text := range texts {
			add(kind, func() string { return fields("message", s.unique()+text(n/3)) })
		}
		for _, name := range []string{"name", "phone", "email", "form_name", "user_fields[city]", "sale_cost", "key", "uri"} {
			for _, kind := range few {
				add(kind+" in "+name, func() string { return fields(name, s.unique()+texts[kind](n/3)) })
			}
		}
		for kind, dear := range forms {
			add(kind, func() string { return s.unique() + "&" + dear(n) })
		}
		for kind, shape := range shapes {
			add("user fields: "+kind, func() string { return "user_fields=" + url.QueryEscape(shape(n/2)) })
		}
		message := func() request {
			return post(path, formType, s.credentials()+"&"+fields("message", s.unique()+texts["words"](n)))
		}
		unusual(all, message)
		all["another charset"] = func() request {
			r := message()
			r.fields = []string{"Content-Type: " + formType + "; charset=koi8-r"}
			return r
		}
		return all
	}
}

// visitorInformation is what a customer's server tells of a visitor.
func visitorInformation(path string) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		for _, name := range []string{"vn", "ve", "vp", "ci", "sk"} {
			for _, kind := range few {
				all[kind+" in "+name] = func() request { return post(path, formType, s.visited()+"&"+fields(name, texts[kind](n/3))) }
			}
		}
		for kind, dear := range forms {
			all[kind] = func() request { return post(path, formType, s.visited()+"&"+dear(n)) }
		}
		return all
	}
}

// siteForms are forms that a visitor sends to the site itself. What comes to a path of its own each time is looked at
// each time.
func siteForms(path string, own bool) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		send := func(contentType, body string) request {
			to := path
			if own {
				to += strings.TrimSpace(s.unique())
			}
			return post(to, contentType, body)
		}
		contact := func() string { return fields("name", s.unique(), "phone", "+7 912 345-67-89") }
		for kind, text := range texts {
			all[kind] = func() request { return send(formType, contact()+"&"+fields("text", text(n/3))) }
		}
		for kind, dear := range forms {
			all["fields: "+kind] = func() request { return send(formType, contact()+"&"+dear(n)) }
		}
		for kind, dear := range parts {
			all["parts: "+kind] = func() request { return send(multipartType, part("phone", "+7 912 345-67-89")+dear(n)) }
		}
		for kind, shape := range shapes {
			all["JSON: "+kind] = func() request {
				return send(jsonType, `{"phone":"+7 912 345-67-89","name":"`+s.unique()+`","of":`+shape(n)+"}")
			}
		}
		unusual(all, func() request { return send(formType, contact()+"&"+fields("text", texts["words"](n/2))) })
		return all
	}
}

// form are forms of the console, with dear texts in the fields. Fields that are given with what they say stay so.
func form(names ...string) door {
	return takes(func(s *scene, n int) inputs {
		all := make(inputs)
		var said, named []string
		for _, name := range names {
			if strings.Contains(name, "=") {
				said = append(said, s.filled(name))
			} else {
				named = append(named, name)
			}
		}
		add := func(kind string, body func() string) {
			all[kind] = func() request {
				return request{method: http.MethodPost, fields: []string{"Content-Type: " + formType}, body: strings.Join(append(slices.Clip(said), body()), "&")}
			}
		}
		for _, name := range named {
			for _, kind := range few {
				add(kind+" in "+name, func() string { return fields(name, texts[kind](n/4)) })
			}
		}
		for _, kind := range []string{"fields", "encoded"} {
			add(kind, func() string { return forms[kind](n * 3 / 4) })
		}
		return all
	}).costs(showing)
}

var wildcard = regexp.MustCompile(`\{([a-z$]+)\}`)

// asOperator are the requests as the operator sends them to the route of the pattern.
func asOperator(s *scene, pattern string, all inputs) inputs {
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		path = pattern
	}
	path = s.filled(path)
	own := make(inputs)
	for name, dear := range all {
		own[name] = func() request {
			r := dear()
			_, query, _ := strings.Cut(r.path, "?")
			if r.path = path; query != "" {
				r.path += "?" + query
			}
			if pattern != "POST /sign-out" {
				r.fields = append(slices.Clone(r.fields), "Cookie: "+s.program.cookie)
			}
			return r
		}
	}
	return own
}

// webhook are events of a telephone platform, signed.
func webhook(s *scene, n int) inputs {
	all := make(inputs)
	send := func(body string) request {
		keys, err := signature.Parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
		require.NoError(s.t, err)
		h := make(http.Header)
		keys.Sign(h, s.unique(), time.Now(), []byte(body))
		r := post("/frontdesk/calls/webhook", jsonType, body)
		for name := range h {
			r.fields = append(r.fields, name+": "+h.Get(name))
		}
		return r
	}
	event := func() map[string]any {
		return map[string]any{"call_id": s.unique(), "event": "start", "time": time.Now().Format(time.RFC3339), "called": "74957654321", "caller": "79123456789"}
	}
	for _, member := range []string{"further", "call_id", "called", "caller", "recording_url", "price"} {
		for _, kind := range few {
			all[kind+" in "+member] = func() request { return send(encoded(with(event(), member, fitting(texts[kind], n)))) }
		}
		for _, kind := range fewShapes {
			all[kind+" as "+member] = func() request {
				return send(strings.Replace(encoded(with(event(), member, shaped)), `"`+shaped+`"`, shapes[kind](n), 1))
			}
		}
	}
	unusual(all, func() request { return send(encoded(with(event(), "further", texts["words"](n)))) })
	return all
}

// twilio are questions and events as Twilio sends them, signed.
func twilio(route string) func(s *scene, n int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		send := func(form url.Values) request {
			form.Set("AccountSid", "AC0123456789abcdef0123456789abcdef")
			form.Set("CallSid", strings.TrimSpace(s.unique()))
			path := "/frontdesk/calls/twilio/" + route
			mac := hmac.New(sha1.New, []byte("0123456789abcdef0123456789abcdef"))
			mac.Write([]byte("http://" + s.at("shop").host + path))
			for _, name := range slices.Sorted(maps.Keys(form)) {
				for _, value := range form[name] {
					mac.Write([]byte(name + value))
				}
			}
			return post(path, formType, form.Encode(), "X-Twilio-Signature: "+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		}
		for _, name := range []string{"From", "To", "RecordingUrl", "Digits"} {
			for _, kind := range few {
				all[route+": "+kind+" in "+name] = func() request {
					return send(url.Values{"From": {"+79123456789"}, "To": {"+74957654321"}, name: {texts[kind](n / 3)}})
				}
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(forms)) {
			if form, err := url.ParseQuery(forms[kind](n)); err == nil {
				all[route+": "+kind] = func() request { return send(form) }
			}
		}
		return all
	}
}

// chatFile are files that a visitor sends.
func chatFile(s *scene, n int) inputs {
	all := make(inputs)
	for _, name := range []string{"a.txt", "a.png", "a.pdf"} {
		all[name] = func() request { return s.file(s.caller(), name, n) }
	}
	unusual(all, all["a.txt"])
	return all
}

// file is a file of n bytes that the visitor sends.
func (s *scene) file(caller map[string]any, name string, n int) request {
	query := url.Values{"t": {s.call("chat", caller)["stream"].(string)}, "id": {caller["id"].(string)}, "name": {name}}
	return post("/frontdesk/v1/chat/send?"+query.Encode(), "application/octet-stream", texts["words"](n), "Cookie: "+s.cookie)
}

// shownFile are requests for a file of the visitor's.
func shownFile(s *scene, n int) inputs {
	caller := s.caller()
	a := s.at("shop").send(s.file(caller, "a.txt", 10))
	found := regexp.MustCompile(`"file":\{"id":(\d+)`).FindSubmatch(a.body)
	require.NotNil(s.t, found, "%s", a.body)
	link := s.call("chat/link", with(caller, "file", json.Number(found[1])))["link"].(string)
	return bare(http.MethodGet, "/frontdesk/v1/chat/file?t="+url.QueryEscape(link)+"&f="+string(found[1]))(s, n)
}

// visitorStream are requests for the stream of a visitor.
func visitorStream(s *scene, n int) inputs {
	line, all := s.line(), make(inputs)
	for name, dear := range bare(line.method, line.path)(s, n) {
		all[name] = func() request {
			r := dear()
			r.fields = append(slices.Clone(r.fields), line.fields...)
			return r
		}
	}
	return all
}

// captchaPicture are requests for a captcha's picture.
func captchaPicture(s *scene, n int) inputs {
	picture, err := url.Parse(s.call("captcha", s.caller())["url"].(string))
	require.NoError(s.t, err)
	return bare(http.MethodGet, picture.Path+"?k=shop")(s, n)
}

// scene is what stands for the wildcards of doors, and makes new visitors.
type scene struct {
	*program
	stands map[string]string
	serial int
	cookie string // of the latest visitor
}

// newScene fills the shop, so that there is something behind each door. The operator has signed in.
func newScene(p *program) *scene {
	s := &scene{program: p, stands: map[string]string{"site": "1", "view": "leads", "$": "", "number": "74952223344", "pool": "summer",
		"reply": "1", "refused": "1", "message": "1"}}
	shop := p.at("shop")
	s.call("event", s.event())
	s.call("property", s.property())
	s.call("lead", s.lead())
	asked := s.say()
	s.call("chat/say", asked)
	s.call("callback", s.callback())
	s.stands["visitor"] = fmt.Sprint(asked["credentials"].(map[string]any)["visitor_id"])
	require.Equal(p.t, http.StatusOK, shop.send(chatFile(s, 10)["a.txt"]()).status)
	script := shop.send(request{method: http.MethodGet, path: "/frontdesk/svc.js?k=shop"})
	s.stands["asset"] = regexp.MustCompile(`panels-[\w-]+\.js`).FindString(string(script.body))
	pictured := request{method: http.MethodGet, path: "/lamps?utm_source=news", origin: "<!doctype html><html><head></head><body><img class=pictured>"}
	p.origin.Store(&pictured)
	found := regexp.MustCompile(`/frontdesk/phone/([\w.-]+)`).FindSubmatch(shop.send(pictured).body)
	require.NotNil(p.t, found, "no picture of a number is shown")
	s.stands["picture"] = string(found[1])
	s.keep("/sites/1/groups", "name", "sales", "zone", "Europe/Moscow", "routing", "all")
	s.keep("/sites/1/replies", "word", "hello", "text", "Hello!")
	s.keep("/operators", "login", "anna", "name", "Anna", "password", password, "role", "operator", "all", "true")
	s.keep("/sites/1/endpoints", "kind", "webhook", "as", "webhook", "address", "http://"+p.receiver, "events", "lead.added", "language", "en")
	s.keep("/sites/1/endpoints", "kind", "mail", "as", "mail", "address", "desk@shop.example", "events", "lead.added", "language", "en")
	s.keep("/pools/1", "name", "summer", "numbers", "74957650011\n74957650012", "hold", "5", "exhausted", "original")
	s.keep("/numbers/1", "number", "74952223344", "version", s.found("/numbers/1/new", `name="version" value="(\d+)"`))
	s.call("lead", s.lead())
	for name, place := range map[string]struct{ page, link string }{
		"lead": {"/leads", `/leads/1/(\d+)`}, "conversation": {"/chats", `/chats/1/(\d+)`},
		"file": {"/chats", `/chats/1/(\d+)`}, "group": {"/sites/1/groups", `/groups/(\d+)`}, "operator": {"/operators", `/operators/([2-9]\d*)`},
		"endpoint": {"/sites/1/deliveries", `/endpoints/(\d+)`}, "callback": {"/callbacks", `/callbacks/1/(\d+)`}, "after": {"/leads", `after=([^"&]+)`},
		"name": {"/leads", `/assets/([\w.-]+\.css)`},
	} {
		s.stands[name] = s.found(place.page, place.link)
	}
	s.stands["other"] = s.found("/leads", `(?s:.*)/leads/1/(\d+)`) // the first
	a := p.at("desk").send(post("/operators/"+s.stands["operator"]+"/password", formType, "", "Cookie: "+p.cookie))
	s.stands["token"] = regexp.MustCompile(`token=([\w.-]+)`).FindStringSubmatch(string(a.body))[1]
	s.stands["conversation"], s.stands["file"] = s.foundFile()
	return s
}

// listen opens streams of the console, and one of a visitor.
func (s *scene) listen() {
	for _, page := range []string{"/leads", "/visitors", "/chats", "/calls", "/callbacks"} {
		address := html.UnescapeString(s.found(page, `"(/stream/[^"]+)"`))
		s.follow(s.at("desk"), request{method: http.MethodGet, path: address, fields: []string{"Cookie: " + s.program.cookie}})
	}
	s.follow(s.at("shop"), s.line())
}

// line asks for a new visitor's stream.
func (s *scene) line() request {
	token := s.call("chat", s.caller())["stream"].(string)
	return request{method: http.MethodGet, path: "/frontdesk/v1/chat/stream?a=0&t=" + url.QueryEscape(token), fields: []string{"Cookie: " + s.cookie}}
}

// filled is the text with what stands for its wildcards.
func (s *scene) filled(text string) string {
	for _, name := range wildcard.FindAllStringSubmatch(text, -1) {
		value, known := s.stands[name[1]]
		require.True(s.t, known, "tell this test what stands for %s", name[0])
		text = strings.ReplaceAll(text, name[0], value)
	}
	return text
}

// call is the answer to a call of the script, which has to be taken.
func (s *scene) call(route string, object map[string]any) (told map[string]any) {
	a := s.at("shop").send(post("/frontdesk/v1/"+route, jsonType, encoded(object), "Cookie: "+s.cookie))
	require.Equal(s.t, http.StatusOK, a.status, "%s: %s", route, a.body)
	require.NoError(s.t, json.Unmarshal(a.body, &told))
	return told
}

// keep sends a form of the console, which has to be taken.
func (s *scene) keep(path string, pairs ...string) {
	a := s.at("desk").send(post(path, formType, fields(pairs...), "Cookie: "+s.program.cookie))
	require.Contains(s.t, []int{http.StatusOK, http.StatusSeeOther}, a.status, "%s: %.300s", path, regexp.MustCompile(`(?s)^.*role="alert">`).ReplaceAll(a.body, nil))
}

// page is a page of the console.
func (s *scene) page(path string) string {
	a := s.at("desk").send(request{method: http.MethodGet, path: path, fields: []string{"Cookie: " + s.program.cookie}})
	require.Equal(s.t, http.StatusOK, a.status, "%s: %.300s", path, regexp.MustCompile(`(?s)^.*role="alert">`).ReplaceAll(a.body, nil))
	return string(a.body)
}

// found is what the page says where the expression has its parentheses. It waits until the page says so.
func (s *scene) found(path, expression string) (found string) {
	look := regexp.MustCompile(expression)
	require.Eventually(s.t, func() bool {
		match := look.FindStringSubmatch(s.page(path))
		if match != nil {
			found = match[1]
		}
		return match != nil
	}, wait, 10*time.Millisecond, "%s on %s", expression, path)
	return found
}

// foundFile is the conversation in which there is a file, and the file.
func (s *scene) foundFile() (conversation, file string) {
	for _, match := range regexp.MustCompile(`/chats/1/(\d+)`).FindAllStringSubmatch(s.page("/chats"), -1) {
		if file := regexp.MustCompile(`/files/(\d+)`).FindStringSubmatch(s.page("/chats/1/" + match[1])); file != nil {
			return match[1], file[1]
		}
	}
	require.Fail(s.t, "no file is shown")
	return "", ""
}

// unique is a text that no other input has.
func (s *scene) unique() string {
	s.serial++
	return fmt.Sprintf("n%d ", s.serial)
}

// view is that of a new visitor.
func (s *scene) view() map[string]any {
	s.serial++
	s.cookie = ""
	return map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%016d", s.serial), "url": "http://localhost/lamps", "title": "Lamps", "kind": "load"}
}

// told is what a new visitor's page view was answered.
func (s *scene) told() map[string]any {
	a := s.at("shop").send(post("/frontdesk/v1/hit", jsonType, encoded(s.view())))
	require.Equal(s.t, http.StatusOK, a.status, "%s", a.body)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		s.cookie = c.Name + "=" + c.Value
	}
	var told map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(a.body)))
	decoder.UseNumber() // ids
	require.NoError(s.t, decoder.Decode(&told))
	return told
}

// caller is what a call of a new visitor begins with.
func (s *scene) caller() map[string]any {
	told, credentials := s.told(), make(map[string]any)
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		credentials[name] = told[name]
	}
	s.serial++
	return map[string]any{"credentials": credentials, "id": fmt.Sprintf("call-%016d", s.serial), "presence": "here", "seq": 1}
}

// credentials are those of a new visitor as a server sends them.
func (s *scene) credentials() string {
	form, told := make(url.Values), s.told()
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		form.Set(name, fmt.Sprint(told[name]))
	}
	return form.Encode()
}

// visited are the same for the other call of servers, and a name.
func (s *scene) visited() string {
	told := s.told()
	return fields("sk", "shop", "ci", fmt.Sprint(told["visitor_id"]), "hi", fmt.Sprint(told["hit_id"]), "ur", fmt.Sprint(told["uri"]), "k", fmt.Sprint(told["key"]), "vn", "Anna")
}

func (s *scene) visitor() map[string]any { return with(s.caller(), "name", "Anna") }

func (s *scene) event() map[string]any { return with(with(s.caller(), "category", "a"), "action", "b") }

func (s *scene) property() map[string]any { return with(with(s.caller(), "name", "a"), "value", "b") }

func (s *scene) lead() map[string]any {
	return with(s.caller(), "request", map[string]any{"message": "a lamp", "phone": "+7 912 345-67-89"})
}

func (s *scene) say() map[string]any {
	return with(s.caller(), "request", map[string]any{"text": "a lamp"})
}

// sender is a new visitor who has said something, and sent a file.
func (s *scene) sender() map[string]any {
	said := s.say()
	s.call("chat/say", said)
	return with(with(said, "email", "anna@shop.example"), "request", nil)
}

func (s *scene) callback() map[string]any {
	return with(s.caller(), "request", map[string]any{"phone": "+7 912 345-67-89"})
}
