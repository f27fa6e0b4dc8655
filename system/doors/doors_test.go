package doors

import (
	"maps"
	"net/http"
	"strings"
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

	exporting = price{6 << 20, 192} // of a file, which is written in pieces beside what the page reads
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
		"v1/crossing":                 takes(call("crossing", (*scene).caller, "further")),
		"v1/presence":                 takes(call("presence", (*scene).caller, "further", "presence")),
		"v1/status":                   open(prefix + "v1/status?k=shop"),
		"v1/callback":                 takes(call("callback", (*scene).callback, "further", "request.phone", "request.captcha_value", "request")),
		"v1/widget":                   open(prefix + "v1/widget?k=shop"),
		"v1/chat":                     takes(call("chat", (*scene).caller, "further", "after")),
		"v1/chat/say":                 takes(call("chat/say", (*scene).say, "request.text", "request.language", "request.invitation")),
		"v1/chat/read":                takes(call("chat/read", (*scene).sender, "further")),
		"v1/chat/typing":              takes(call("chat/typing", (*scene).sender, "text")),
		"v1/chat/transcript":          {dearest: takes(call("chat/transcript", (*scene).sender, "further")).dearest, shut: http.StatusConflict},   // nobody has answered
		"v1/chat/rate":                {dearest: takes(call("chat/rate", (*scene).sender, "line", "further")).dearest, shut: http.StatusConflict}, // the shop does not ask
		"v1/chat/link":                takes(call("chat/link", (*scene).sender, "call")),
		"v1/chat/send":                takes(chatFile),
		"v1/chat/file":                takes(shownFile),
		"v1/chat/face/{face}":         {dearest: open(prefix + "v1/chat/face/x").dearest, shut: http.StatusNotFound}, // nobody has one
		"v1/chat/back":                {dearest: open(prefix + "v1/chat/back?t=1.2.x").dearest, shut: http.StatusNotFound},
		"v1/chat/stop":                {dearest: open(prefix + "v1/chat/stop?t=1.2.x").dearest, shut: http.StatusNotFound},
		"v1/bulletin/stop":            {dearest: open(prefix + "v1/bulletin/stop?t=1.2.x").dearest, shut: http.StatusNotFound},
		"v1/chat/stream":              {dearest: takes(visitorStream).dearest, stream: true},
		"v1/captcha":                  takes(call("captcha", (*scene).caller, "language")),
		"v1/captcha/{file}":           takes(captchaPicture),
		"api/add_offline_message":     {dearest: []func(*scene, int) inputs{serverLead(prefix + "api/add_offline_message"), bare(http.MethodPost, prefix+"api/add_offline_message")}, of: manyFields},
		"api/add_offline_message/{$}": {dearest: []func(*scene, int) inputs{serverLead(prefix + "api/add_offline_message/")}, of: manyFields},
		"vc/s":                        takes(visitorInformation(prefix+"vc/s"), bare(http.MethodGet, prefix+"vc/s")),
		"vc/s/{$}":                    takes(visitorInformation(prefix + "vc/s/")),
	}
	desk := map[string]door{
		"GET /assets/{name}":                                    open("/assets/console.css"),
		"GET /worker.js":                                        open("/worker.js"),
		"GET /setup":                                            {dearest: open("/setup").dearest, shut: http.StatusNotFound}, // once is enough
		"POST /setup":                                           {dearest: form("token", "login", "name", "password").dearest, shut: http.StatusNotFound},
		"GET /password":                                         open("/password?token={token}"),
		"POST /password":                                        {dearest: form("password", "token={token}").dearest, memory: hashing},
		"GET /forgotten":                                        open("/forgotten"),
		"POST /forgotten":                                       form("login"),
		"GET /sign-in/code":                                     {dearest: open("/sign-in/code").dearest},
		"POST /sign-in/code":                                    form("code"),
		"POST /sign-in/code/passkey/options":                    form("code"),
		"POST /sign-in/code/passkey":                            form("credential"),
		"POST /sign-in/passkey/options":                         form("to"),
		"POST /sign-in/passkey":                                 {dearest: form("credential", "to").dearest, shut: http.StatusUnauthorized},
		"POST /account/passkeys/options":                        {dearest: form("current", "name").dearest, memory: hashing, shut: http.StatusTooManyRequests}, // after wrong passwords
		"POST /account/passkeys":                                {dearest: form("credential", "name").dearest, shut: http.StatusUnprocessableEntity},
		"POST /account/passkeys/removal":                        form("passkey"),
		"GET /sign-in":                                          open("/sign-in"),
		"POST /sign-in":                                         {dearest: form("login", "password").dearest, memory: hashing, shut: http.StatusUnauthorized},
		"POST /sign-out":                                        form("to"),
		"POST /language":                                        form("back", "language=en"),
		"GET /{$}":                                              open("/"),
		"/":                                                     open("/elsewhere"),
		"GET /stream/{view}":                                    streams(bare(http.MethodGet, "/stream/{view}?site=0&after={after}")).costs(showing),
		"POST /leads/refused/{site}/{refused}":                  form("to"),
		"POST /leads/refused":                                   form("to"),
		"POST /leads/read":                                      form("lead={lead}", "site=1", "back"),
		"POST /leads/forms/{site}":                              form("path", "name", "phone"),
		"POST /leads/state/{site}/{lead}":                       form("back", "state=done"),
		"POST /leads/owner/{site}/{lead}":                       form("back", "to=0", "from=0"),
		"POST /leads/notes/{site}/{lead}":                       form("text"),
		"POST /leads/tags/{site}/{lead}":                        form("tags"),
		"POST /leads/sale/{site}/{lead}":                        form("amount", "sale=yes"),
		"POST /leads/parts/{site}/{lead}":                       form("back", "part={other}"),
		"POST /leads/parts/{site}/{lead}/removal":               form("back", "part={other}"),
		"POST /calls/{site}/{call}/lead":                        form("back"),
		"POST /visitors/{site}/{visitor}/chat":                  form("text"),
		"POST /visitors/{site}/{visitor}/contacts":              form("name", "phone", "email", "phoneWas"),
		"POST /chats/{site}/{conversation}/messages":            form("text", "client"),
		"POST /chats/{site}/{conversation}/files":               form("name"),
		"POST /chats/{site}/{conversation}/read":                form("back", "seq=1"),
		"POST /chats/{site}/{conversation}/typing":              form("text"),
		"POST /chats/{site}/{conversation}/work":                form("to", "do=claim"),
		"POST /chats/{site}/{conversation}/tags":                form("tags"),
		"POST /callbacks":                                       form("phone", "until", "site=1"),
		"POST /callbacks/{site}/{callback}/call":                form("back"),
		"POST /callbacks/{site}/{callback}/postponement":        form("until"),
		"POST /callbacks/{site}/{callback}/closing":             form("back"),
		"POST /numbers/{site}":                                  form("number", "targets", "selectors", "was"),
		"POST /numbers/{site}/{number}/removal":                 form("version", "back"),
		"POST /pools/{site}":                                    form("numbers", "name", "hold", "reserve"),
		"POST /pools/{site}/{pool}/removal":                     form("version"),
		"POST /pools/{site}/{pool}/release":                     form("number"),
		"POST /account/password":                                {dearest: form("current", "password").dearest, memory: hashing},
		"POST /account/email":                                   {dearest: form("current", "email").dearest, memory: hashing, shut: http.StatusTooManyRequests}, // after wrong passwords
		"POST /account/sessions/removal":                        form("session"),
		"POST /operators/{operator}/sessions/removal":           {dearest: form("session").dearest, shut: http.StatusNotFound},                                 // the operator is gone by then
		"POST /account/two-step":                                {dearest: form("code", "current").dearest, memory: hashing, shut: http.StatusTooManyRequests}, // after wrong passwords
		"POST /account/two-step/codes":                          {dearest: form("code").dearest, shut: http.StatusSeeOther},                                    // there is no authenticator
		"POST /account/two-step/removal":                        {dearest: form("code").dearest, shut: http.StatusSeeOther},
		"POST /operators/{operator}/two-step/removal":           {dearest: form("back").dearest, shut: http.StatusNotFound},
		"POST /account/away":                                    form("away", "back"),
		"POST /account/face":                                    {dearest: form("picture").dearest, shut: http.StatusUnprocessableEntity}, // no picture
		"POST /costs/{site}/files":                              {dearest: form("order").dearest, shut: http.StatusUnprocessableEntity},   // no file
		"POST /numbers/{site}/roster":                           {dearest: form("printed").dearest, shut: http.StatusUnprocessableEntity}, // no file
		"POST /costs/{site}/entries":                            form("source", "medium", "campaign", "amount"),
		"POST /costs/{site}/imports/{import}":                   form("source", "medium", "platform"),
		"POST /costs/{site}/imports/{import}/removal":           form("back"),
		"POST /account/face/removal":                            form("back"),
		"GET /feeds/{feed}/{table}":                             {dearest: open("").dearest, shut: http.StatusUnauthorized},
		"GET /faces/{face}":                                     {dearest: open("").dearest, shut: http.StatusNotFound, memory: showing},
		"POST /operators/{operator}/face":                       {dearest: form("picture").dearest, shut: http.StatusUnprocessableEntity},
		"POST /operators/{operator}/face/removal":               form("back"),
		"POST /sites":                                           form("key"),
		"POST /sites/{site}/settings":                           form("phone_mask.own", "consent.own", "origins.own", "callback_countries.own", "credentials.own"),
		"POST /sites/{site}/captures":                           form("path", "form_name", "name", "phone", "user_fields"),
		"POST /sites/{site}/captures/{capture}/removal":         form("back"),
		"POST /sites/{site}/captures/{capture}/up":              form("back"),
		"POST /sites/{site}/widget":                             form("in", "title", "greeting"),
		"POST /sites/{site}/widget/look":                        form("in", "title", "greeting"),
		"POST /sites/{site}/retired":                            form("retired"),
		"POST /sites/{site}/suspended":                          form("suspended"),
		"POST /sites/{site}/guide":                              form("back"),
		"POST /sites/{site}/supersede":                          form("on"),
		"POST /sites/{site}/endpoints":                          form("template", "address", "subject", "events"),
		"POST /sites/{site}/endpoints/{endpoint}/test":          form("to"),
		"POST /sites/{site}/endpoints/{endpoint}/paused":        form("paused"),
		"POST /sites/{site}/endpoints/{endpoint}/secret":        form("back", "end=true"),
		"POST /sites/{site}/endpoints/{endpoint}/again":         {dearest: form("back", "entry=1").dearest, shut: http.StatusNotFound}, // it has not failed
		"POST /sites/{site}/endpoints/{endpoint}/failed":        form("back", "hours=1"),
		"POST /sites/{site}/endpoints/{endpoint}/removal":       form("version"),
		"POST /sites/{site}/conversions":                        form("address", "credential", "name_lead", "currency", "kind=ga4"),
		"POST /sites/{site}/conversions/{destination}/password": form("back"),
		"POST /sites/{site}/groups":                             form("name", "holidays", "phone", "zone", "day1", "members"),
		"POST /sites/{site}/groups/{group}/removal":             form("version"),
		"POST /sites/{site}/replies":                            form("text", "word"),
		"POST /sites/{site}/replies/{reply}/removal":            form("version"),
		"POST /reports/mail":                                    form("address", "every=day", "language=en", "site=1"),
		"POST /reports/mail/{site}/{subscriber}/paused":         form("paused"),
		"POST /reports/mail/{site}/{subscriber}/test":           form("back"),
		"POST /reports/mail/{site}/{subscriber}/removal":        form("back"),
		"POST /operators":                                       {dearest: form("login", "name", "password", "sites").dearest, memory: hashing},
		"POST /operators/{operator}":                            form("name", "role"),
		"POST /operators/{operator}/sites":                      form("sites"),
		"POST /operators/{operator}/disabled":                   form("disabled"),
		"POST /operators/{operator}/password":                   {dearest: form("password").dearest, memory: hashing},
		"POST /operators/{operator}/removal":                    form("version"),
		"POST /tokens":                                          form("name", "scopes=leads:read", "all=true", "days=30"),
		"POST /tokens/{program}/removal":                        form("back"),
		"POST /reports/saved":                                   form("name"),
		"POST /reports/saved/{saved}":                           form("name"),
		"POST /reports/saved/{saved}/removal":                   form("back"),
		"POST /reports/links":                                   form("name", "days"),
		"POST /reports/links/{site}/{link}/removal":             form("back"),
		"POST /person":                                          form("who").costs(looking),
		"POST /person/export":                                   form("who", "visitor").costs(looking),
		"POST /person/erasure":                                  form("who", "visitor"),
	}
	for _, path := range []string{
		"/visitors", "/visitors/{site}/{visitor}", "/leads", "/leads/refused", "/leads/{site}/{lead}", "/leads/{site}/{lead}/text", "/leads/refused/{site}/{refused}/text", "/leads/forms", "/leads/export", "/inquiries", "/inquiries/export",
		"/chats", "/chats/waits", "/chats/{site}/{conversation}", "/chats/{site}/{conversation}/messages", "/chats/{site}/{conversation}/messages/{message}", "/chats/{site}/{conversation}/files/{file}",
		"/costs", "/costs/{site}", "/costs/{site}/imports/{import}", "/overview", "/reports", "/reports/mail", "/reports/export", "/reports/paths", "/reports/paths/export", "/reports/saved", "/reports/links", "/r/{shared}", "/r/{shared}/export", "/calls", "/calls/export", "/callbacks", "/callbacks/new", "/callbacks/{site}/{callback}", "/numbers", "/numbers/pools", "/numbers/{site}/new", "/numbers/{site}/roster", "/numbers/{site}/who",
		"/numbers/{site}/{number}", "/pools/{site}/new", "/pools/{site}/{pool}", "/account", "/account/two-step", "/sites", "/sites/{site}", "/sites/{site}/check", "/sites/{site}/settings", "/sites/{site}/captures", "/sites/{site}/captures/{capture}",
		"/sites/{site}/widget", "/sites/{site}/widget/stage", "/sites/{site}/deliveries", "/sites/{site}/endpoints/new", "/sites/{site}/endpoints/{endpoint}", "/sites/{site}/conversions", "/sites/{site}/conversions/new", "/sites/{site}/conversions/{destination}", "/sites/{site}/conversions/{destination}/{table}",
		"/sites/{site}/groups", "/sites/{site}/groups/new", "/sites/{site}/groups/{group}", "/sites/{site}/replies", "/operators", "/operators/{operator}",
		"/hosts", "/history", "/tokens", "/lookup", "/help", "/help/{manual}", "/help/images/{drawing}", "/person", "/person/{site}/{visitor}",
	} {
		desk["GET "+path] = page("")
	}
	for pattern, d := range desk {
		if strings.HasPrefix(pattern, "GET ") && strings.HasSuffix(pattern, "/export") {
			desk[pattern] = d.costs(exporting)
		}
	}
	desk["GET /reports/rows"], desk["GET /reports/rows/export"] = page("figure=visits"), page("figure=visits")
	desk["GET /sites/{site}/conversions/new"] = page("as=ga4")
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
	maps.Copy(all, programs())
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
