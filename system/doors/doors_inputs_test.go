package doors

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
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
		require.NoError(s.T, err)
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
	require.NotNil(s.T, found, "%s", a.body)
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
	require.NoError(s.T, err)
	return bare(http.MethodGet, picture.Path+"?k=shop")(s, n)
}
