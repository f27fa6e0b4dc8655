package open_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// trial is a right call of an operation, and wrong ones.
type trial struct {
	id string // of the operation
	// path are the values of its parameters in the path besides the site, with spaces between a name and its value.
	path  string
	query string
	asked string
	// says is a part of the answer.
	says string
	// wrong are bodies, or queries of what is read, and for each a part of the refusal. A body may have its status before
	// it, which is 422 otherwise.
	wrong map[string]string
}

// trials are of every operation, in an order in which each finds what it is about. {name} stands for what an earlier
// answer had.
var trials = []trial{
	{id: "addSite", asked: `{"key":"Tables.example"}`, says: `"key":"tables.example"`, wrong: map[string]string{`409 {"key":"lamps.example"}`: "already", `{"key":"a b"}`: "body.key", `{}`: "key"}},
	{id: "listSites", query: "limit=1", says: `"next":"chairs.example"`, wrong: map[string]string{"limit=0": "query.limit"}},
	{id: "getSite", says: "lamps.example"},
	{id: "getCheck", says: `{"name":"code","state":"missing","seen_at":null,"advice":"find_cause","log":"the settings of a site cannot be put into effect"}`},
	{id: "retireSite", asked: `{"is_retired":false}`, says: `"retired_at":null`, wrong: map[string]string{`{"is_retired":"no"}`: "body.is_retired"}},

	{id: "suspendSite", asked: `{"is_suspended":false}`, says: `"suspended_at":null`, wrong: map[string]string{`{}`: "is_suspended"}},
	{id: "listLimits", says: `{"name":"leads","most":100,"used":0,"refused":0}`},

	{id: "listIncidents", query: "site=lamps.example", says: `"about":"leads"`},
	{id: "getSettings", says: `"timezone":"Europe/Moscow"`},
	{id: "changeSettings", asked: `{"region":"DE","phone_mask":"+7 (###) ###","widget":{"title":{"en":"Hello","ru":"Привет"}},"callback":{"phone":"74951230000","repeat":1},"consent":null}`,
		says: `"region":"DE"`, wrong: map[string]string{`{"region":"Narnia"}`: "body.region", `{"colour":"red"}`: "colour", `{"numbers":[]}`: "numbers", `{"widget":{"side":3}}`: "side", `[]`: "body", `400 {`: "unexpected"}},

	{id: "setPool", path: "pool summer", asked: `{"numbers":["+7 495 765-00-01","+7 495 765-00-02"],"hold_seconds":600,"exhausted":"shared"}`, says: `"hold_seconds":600`,
		wrong: map[string]string{`{"numbers":["12"]}`: "body.numbers", `{"numbers":[],"exhausted":"none"}`: "body.exhausted"}},
	{id: "setNumber", path: "number 74951234567", asked: `{"tracking":[{"name":"News","static":"74957654321","when":["utm_source=news*"]},{"pool":"summer"}]}`, says: `"pool":"summer"`,
		wrong: map[string]string{`{"tracking":[{"pool":"winter"}]}`: "body", `{"tracking":[{"static":"1"}]}`: "body", `{"selectors":["{"]}`: "body"}},
	{id: "importNumbers", asked: `{"table":"number;name;source;pool\n8 (495) 765-00-21;Radio;radio;\n74957650022;;;Summer","printed":"74951234567"}`, says: `"pool":"summer"`,
		wrong: map[string]string{`{"table":"name\na"}`: "body.table", `{"table":"number,source\n1,a\n"}`: "line 2", `{"table":"number,pool\n74957650001,winter\n"}`: "line 2", `{}`: "table"}},
	{id: "getNumbers", says: "74957654321"},
	{id: "foreseeNumbers", query: "address=https://lamps.example/?utm_source=newsletter", says: `"is_elsewhere":false,"numbers":[{"printed":"74951234567","rule":1,"name":"News","when":["utm_source=news*"],"number":"74957654321"}]`,
		wrong: map[string]string{"address=lamps.example": "query.address", "address=https://lamps.example/&again=/": "query.address", "address=https://lamps.example/&attribution=best": "query.attribution", "referrer=a": "address"}},
	{id: "getPool", path: "pool summer", says: `{"digits":"74957650001","is_taken":false`},
	{id: "listPrinted", says: `"numbers":[]`},

	{id: "listForms", says: `"forms":[]`},
	{id: "getCaptures", says: `"configured":[]`},
	{id: "setCaptures", asked: `{"own":[{"path":"/contact.php","form_name":"Contact","phone":["tel"]}]}`, says: "/contact.php",
		wrong: map[string]string{`{"own":[{"path":"contact"}]}`: "body.captures", `{"own":[{"path":"/a","on":"never"}]}`: "body", `{"own":{}}`: "body.own"}},

	{id: "addOperator", asked: `{"login":"boris","name":"Boris","password":"quite another battery","role":"operator","sites":["lamps.example"]}`, says: `"id":{boris}`,
		wrong: map[string]string{`409 {"login":"anna","password":"quite another battery","role":"operator","sites":["lamps.example"]}`: "already",
			`{"login":"c","password":"short","role":"operator","sites":["lamps.example"]}`:                  "a password has",
			`{"login":"c","password":"quite another battery","role":"chief","sites":["lamps.example"]}`:     "body.role",
			`{"login":"c","password":"quite another battery","role":"operator","sites":[]}`:                 "body.sites",
			`404 {"login":"c","password":"quite another battery","role":"operator","sites":["no.example"]}`: "no site of this key"}},
	{id: "listOperators", says: `"login":"anna"`},
	{id: "getOperator", path: "id {boris}", says: `"login":"boris"`},
	{id: "setOperator", path: "id {boris}", asked: `{"name":"Boris B.","role":"operator","sites":["lamps.example","chairs.example"]}`, says: "Boris B.", wrong: map[string]string{`{"role":"operator","sites":[],"name":"x"}`: "body.sites"}},
	{id: "setPassword", path: "id {boris}", asked: `{"password":"a third good battery"}`, wrong: map[string]string{`{"password":"12345678"}`: "password"}},

	{id: "endSessions", path: "id {boris}"},
	{id: "turnOffTwoStep", path: "id {boris}"},
	{id: "setFace", path: "id {boris}", asked: "{picture}", wrong: map[string]string{"GIF89a": "body", "400 ": "body is required"}},
	{id: "getFace", path: "id {boris}", says: "\xff\xd8\xff"},
	{id: "removeFace", path: "id {boris}"},

	{id: "addGroup", asked: `{"name":"Sales","phone":"74951230000","zone":"Europe/Moscow","hours":{"monday":"09:00-13:00, 14:00-18:00"},"holidays":["01-01"],"members":[{anna}]}`, says: `"id":{group}`,
		wrong: map[string]string{`{"name":" "}`: "a group has a name", `{"name":"A","hours":{"friday":"9 to 5"}}`: "body.hours", `{"name":"A","members":[99]}`: "members", `{"name":"A","routing":"random"}`: "body.routing"}},
	{id: "listGroups", says: `"monday":"09:00-13:00, 14:00-18:00"`},
	{id: "getGroup", path: "id {group}", says: `"name":"Sales"`},
	{id: "setGroup", path: "id {group}", asked: `{"name":"Sales","phone":"74951230000","routing":"round_robin"}`, says: "round_robin", wrong: map[string]string{`{"name":"Sales","zone":"Mars"}`: "time zone"}},

	{id: "addReply", asked: `{"word":"hello","place":1,"text":"Good day!"}`, says: `"id":{reply}`, wrong: map[string]string{`{"word":"two words","text":"x"}`: "a word", `{"word":"a","text":"x","place":10}`: "body.place"}},
	{id: "listReplies", says: "Good day!"},
	{id: "getReply", path: "id {reply}", says: "Good day!"},
	{id: "setReply", path: "id {reply}", asked: `{"word":"hello","text":"Welcome."}`, says: "Welcome.", wrong: map[string]string{`{"word":"hello","text":" "}`: "a text"}},

	{id: "addEndpoint", asked: `{"kind":"webhook","address":"https://127.0.0.1/hook","events":["lead.added"]}`, says: `"id":{endpoint}`,
		wrong: map[string]string{`{"kind":"webhook","address":"ftp://x","events":["lead.added"]}`: "body.address", `{"kind":"pigeon","address":"x","events":["lead.added"]}`: "body.kind", `{"kind":"mail","address":"a@b.example","events":[]}`: "body.events"}},
	{id: "listEndpoints", says: "https://127.0.0.1/hook"},
	{id: "getEndpoint", path: "id {endpoint}", says: "https://127.0.0.1/hook"},
	{id: "setEndpoint", path: "id {endpoint}", asked: `{"address":"https://127.0.0.1/other","events":["lead.added","call.ended"]}`, says: "call.ended", wrong: map[string]string{`{"address":"https://10.0.0.1/","events":["lead.added"]}`: "body.address"}},
	{id: "pauseEndpoint", path: "id {endpoint}", asked: `{"is_paused":true}`, says: `"paused_at":"2`},
	{id: "testEndpoint", path: "id {endpoint}"},
	{id: "rotateSecret", path: "id {endpoint}", says: `"secret":"`},
	{id: "endEarlierSecret", path: "id {endpoint}"},
	{id: "listDeliveries", query: "limit=5", says: `"deliveries":[`, wrong: map[string]string{"state=lost": "query.state"}},
	{id: "deliverAgain", path: "id {endpoint}", asked: `{"entry":{delivery}}`, wrong: map[string]string{`404 {"entry":999999}`: "unknown", `{"entry":0}`: "body.entry"}},

	{id: "addLead", asked: `{"name":"Olga","phone":"8 912 000-11-22","message":"Came to the shop","form_name":"In the shop","is_sale":true,"sale_cost":"1 500,50","user_fields":{"size":"L"},"campaign":{"source":"Leaflet","medium":"cpc"}}`,
		says: `"sale_cost":"1500.5"`, wrong: map[string]string{`{}`: "nothing is filled", `{"name":"A","sale_cost":"1"}`: "without is_sale", `{"name":"A","is_sale":true,"sale_cost":"much"}`: "body.sale_cost",
			`{"name":"A","group_id":99}`: "body.group_id", `{"name":"A","visitor_id":"99"}`: "body.visitor_id", `{"name":"A","at":"2020-01-01T00:00:00Z"}`: "body.at", `{"name":"` + strings.Repeat("ы", 600) + `"}`: "body.name",
			`{"name":"A\u0000"}`: "body.name", `{"user_fields":{"password":"x"}}`: "body.user_fields", `{"name":"A","user_fields":{"a":1}}`: "body.user_fields.a"}},
	{id: "deliverFailedAgain", path: "id {endpoint}", asked: `{"since":"2026-01-01T00:00:00Z"}`, says: `"count":`, wrong: map[string]string{`{}`: "since"}},

	{id: "addDestination", asked: `{"kind":"google_ads","goals":{"lead":"Lead"},"currency":"EUR"}`, says: `"id":{destination}`,
		wrong: map[string]string{`{"kind":"ga4","address":"x","credential":"abcdefghijkl","goals":{"lead":"a"}}`: "body.address", `{"kind":"ga4","address":"G-ABC1DEF2GH","goals":{"lead":"a"}}`: "body.credential", `{"kind":"google_ads","goals":{}}`: "body.goals",
			`{"kind":"google_ads","goals":{"hello":"a"}}`: "body.goals", `{"kind":"google_ads","goals":{"lead":"` + strings.Repeat("a", 101) + `"}}`: "body.goals", `{"kind":"pigeon","goals":{"lead":"a"}}`: "body.kind", `{"kind":"google_ads","goals":{"lead":"a"},"currency":"eu"}`: "body.currency"}},
	{id: "listDestinations", says: `/conversions.csv"`},
	{id: "getDestination", path: "id {destination}", says: `"goals":{"lead":"Lead"}`},
	{id: "setDestination", path: "id {destination}", asked: `{"goals":{"sale":"Sale"}}`, says: `"goals":{"sale":"Sale"}`, wrong: map[string]string{`{"goals":{}}`: "body.goals"}},
	{id: "makeDestinationPassword", path: "id {destination}", says: `"password":"`},
	{id: "getDestinationFile", path: "id {destination} file conversions.csv", says: "Conversion Name"},

	{id: "listRefused", query: "limit=1", says: `"id":{refused},"at"`, wrong: map[string]string{"cursor=AAAA": "query.cursor"}},
	{id: "getRefused", path: "id {refused}", says: `"sent":{`},
	{id: "makeLeadOfRefused", path: "id {refused}", says: `"lead_id":`},
	{id: "listLeads", query: "site=lamps.example", says: `"message":"Is the lamp there?"`, wrong: map[string]string{"state=lost": "query.state"}},
	{id: "getLead", path: "id {lead}", says: `"city":"Oslo"`},
	{id: "setLeadState", path: "id {lead}", asked: `{"state":"work"}`, wrong: map[string]string{`{"state":"lost"}`: "body.state", `{"state":"work","by":"x"}`: "unexpected property"}},
	{id: "setLeadOwner", path: "id {lead}", asked: `{"from":0,"to":{anna}}`, wrong: map[string]string{`409 {"from":99,"to":{boris}}`: "somebody else", `{"from":{anna},"to":99}`: "body.operator_id"}},
	{id: "setLeadTags", path: "id {lead}", asked: `{"tags":["vip"," shop "]}`, wrong: map[string]string{`{"tags":["` + strings.Repeat("a", 31) + `"]}`: "body.tags"}},
	{id: "setLeadSale", path: "id {lead}", asked: `{"is_sale":true,"sale_cost":"1500.50"}`, wrong: map[string]string{`{"is_sale":true,"sale_cost":"much"}`: "amount"}},
	{id: "addNote", path: "id {lead}", asked: `{"text":"Called back."}`, wrong: map[string]string{`{"text":" "}`: "a note"}},
	{id: "mergeLeads", path: "id {lead}", asked: `{"lead_id":{second}}`, wrong: map[string]string{`{"lead_id":{lead}}`: "itself", `404 {"lead_id":999999}`: "unknown"}},
	{id: "listDeeds", path: "id {lead}", says: "Called back."},
	{id: "splitLeads", path: "id {lead} part {second}"},

	{id: "listCalls", query: "number=4957654321", says: `"caller":"79123456789"`, wrong: map[string]string{"number=abc": "query.number", "outcome=lost&cursor=AAAA": "query.cursor"}},
	{id: "getCall", path: "id {call}", says: `"reason":"campaign"`},
	{id: "makeLeadOfCall", path: "id {call}", says: `"lead_id":`},

	{id: "listChats", query: "state=waiting", says: `"unread":1`, wrong: map[string]string{"state=lost": "query.state"}},
	{id: "getChat", path: "id {chat}", says: `"state":"waiting"`},
	{id: "listMessages", path: "id {chat}", says: "Do you deliver?", wrong: map[string]string{"limit=1000": "query.limit"}},
	{id: "claimChat", path: "id {chat}", asked: `{"operator_id":{anna}}`, says: `"state":"open"`, wrong: map[string]string{`{"operator_id":99}`: "body.operator_id"}},
	{id: "say", path: "id {chat}", asked: `{"operator_id":{anna},"text":"Yes, we do."}`, says: "Yes, we do.", wrong: map[string]string{`{"operator_id":{anna},"text":""}`: "body.text"}},
	{id: "sendFile", path: "id {chat}", query: "operator_id={anna}&name=price.txt", asked: "A lamp is 10.", says: `"name":"price.txt","type":"text/plain","size":13`,
		wrong: map[string]string{"MZ\x90\x00\x03\x00\x00\x00": "body", "<html>": "files of this type", "400 ": "body is required"}},
	{id: "getFile", path: "id {chat} file {file}", says: "A lamp is 10."},
	{id: "setChatTags", path: "id {chat}", asked: `{"operator_id":{anna},"tags":["delivery"]}`, says: `"tags":["delivery"]`, wrong: map[string]string{`{"operator_id":{anna},"tags":"delivery"}`: "body.tags"}},
	{id: "handChat", path: "id {chat}", asked: `{"by":{anna},"operator_id":{boris}}`, says: `"operator_id":{boris}`, wrong: map[string]string{`{"by":{anna}}`: "either", `{"by":{anna},"group_id":999}`: "body.group_id"}},
	{id: "readChat", path: "id {chat}", asked: `{"seq":1}`, says: `"unread":0`, wrong: map[string]string{`{"seq":-1}`: "body.seq"}},
	{id: "takeChat", path: "id {chat}", asked: `{"operator_id":{chief},"from":{boris}}`, says: `"operator_id":{chief}`, wrong: map[string]string{`{"operator_id":{anna},"from":{boris}}`: "only an admin", `409 {"operator_id":{chief},"from":99}`: "another operator"}},
	{id: "returnChat", path: "id {chat}", asked: `{"operator_id":{chief}}`, says: `"operator_id":0`},
	{id: "makeLeadOfChat", path: "id {chat}", asked: `{"operator_id":{anna}}`, says: `"lead_id":`},
	{id: "closeChat", path: "id {chat}", asked: `{"operator_id":{anna}}`, says: `"state":"closed"`},
	{id: "banVisitor", path: "id {chat}", asked: `{"operator_id":{anna},"is_banned":true}`, says: `"is_banned":true`},

	{id: "listVisitorsHere", query: "site=lamps.example", says: `"visitor_id":"{visitor}"`, wrong: map[string]string{"site=lamps.example&all=1": "unknown query parameter"}},
	{id: "listVisits", query: "limit=1&since=2020-01-01T00:00:00Z", says: `"visitor_id":"{visitor}"`, wrong: map[string]string{"cursor=AAAA": "query.cursor", "since=yesterday": "query.since"}},
	{id: "correctVisitor", path: "id {visitor}", asked: `{"name":{"is":"Olga"},"phone":{"is":"8 912 345-67-89"}}`, says: `"value":"79123456789"`, wrong: map[string]string{`{}`: "nothing to correct", `{"name":"Olga"}`: "body.name", `{"name":{"is":"A\u0000"}}`: "without NUL"}},
	{id: "getVisitor", path: "id {visitor}", says: `"name":"Olga"`},
	{id: "writeFirst", path: "id {visitor}", asked: `{"operator_id":{anna},"text":"May I help?"}`, says: `"chat_id":`, wrong: map[string]string{`{"operator_id":99,"text":"Hello"}`: "body.operator_id", `{"operator_id":{anna},"text":" "}`: "body.text"}},

	{id: "makeCallback", asked: `{"phone":"+7 912 345-67-89","group_id":{group},"time":"{tomorrow}"}`, says: `"id":{callback}`,
		wrong: map[string]string{`{"phone":"12"}`: "number", `{"phone":"+7 912 345-67-89","time":"2020-01-01T00:00:00Z"}`: "30 days", `{"phone":"+7 912 345-67-89","group_id":999}`: "body.group_id"}},
	{id: "listCallbacks", query: "digits=912345", says: `"phone":"79123456789"`, wrong: map[string]string{"state=lost": "query.state"}},
	{id: "getCallback", path: "id {callback}", says: `"steps":[`},
	{id: "postponeCallback", path: "id {callback}", asked: `{"until":"{tomorrow}"}`, says: `"phone":"79123456789"`, wrong: map[string]string{`{"until":"2020-01-01T00:00:00Z"}`: "30 days"}},
	{id: "closeCallback", path: "id {callback}", says: `"state":"closed"`},
	{id: "callNow", path: "id {callback}", says: `"state":`},

	{id: "addCost", asked: `{"source":"google","medium":"cpc","campaign":"spring","first":"2026-01-01","last":"2026-01-31","amount":"310.50"}`,
		wrong: map[string]string{`{"source":"google","first":"2026-01-01","last":"2026-01-31","amount":"-1"}`: "amount", `{"source":"google","first":"tomorrow","last":"2026-01-31","amount":"1"}`: "body.first"}},
	{id: "addCostFile", query: "name=google.csv", asked: "Day,Campaign,Cost,Currency code\n2026-02-01,spring,10.50,EUR\n2026-02-02,spring,x,EUR\n", says: `"id":{draft}`,
		wrong: map[string]string{"MZ": "body", "Day,Campaign\n2026-02-01,a\n": "no columns"}},
	{id: "getCost", path: "id {draft}", says: `"state":"draft"`},
	{id: "confirmCost", path: "id {draft}", asked: `{"source":"google","medium":"cpc"}`, says: `"state":"effect"`, wrong: map[string]string{`{"source":""}`: "body.source", `{"source":"a","platform":"pigeon"}`: "body.platform"}},
	{id: "listCosts", says: `"amount":"310.5"`},
	{id: "undoCost", path: "id {cost}"},
	{id: "report", query: "first={today}&last={today}&site=lamps.example&by=source&filter=channel%3Ddirect&sort=visits", says: `"total":`,
		wrong: map[string]string{"first=x&last=x": "expected a day", "first={today}&last={today}&by=taste": "query.by", "first={today}&last={today}&filter=source": "filters", "first={today}&last={today}&zone=Mars": "time zone", "last=2026-01-01": "query.first"}},

	{id: "listReportRows", query: "first={today}&last={today}&site=lamps.example&by=source&figure=requests", says: `"count":`,
		wrong: map[string]string{"first={today}&last={today}": "query.figure", "first={today}&last={today}&figure=cost": "query.figure", "first={today}&last={today}&figure=visits&value=a": "query.value",
			"first={today}&last={today}&figure=visits&part=2020-01-01T00:00:00Z": "query.part", "first={today}&last={today}&figure=visits&by=source&path=a": "paths", "first={today}&last={today}&figure=sales&by=source&path=a&value=b": "query.path",
			"first={today}&last={today}&figure=visits&limit=10001": "query.limit"}},
	{id: "listPaths", query: "first={today}&last={today}&site=lamps.example&by=campaign&goal=inquiries", says: `"paths":`,
		wrong: map[string]string{"first={today}&last={today}&by=operator": "query.by", "first={today}&last={today}&filter=source": "filters", "first={today}": "query.last"}},
	{id: "listWaits", query: "site=lamps.example", says: `"operator_id":{anna},"answers":`, wrong: map[string]string{"since=x": "query.since"}},
	{id: "saveReport", asked: `{"site":"lamps.example","operator_id":{anna},"name":"Spring","question":{"span":"own","first":"2026-01-01","last":"2026-01-31","by":["source","campaign"],"filters":["channel=direct","channel="]}}`, says: `"id":{saved}`,
		wrong: map[string]string{`409 {"site":"lamps.example","operator_id":{anna},"name":"Taken","question":{"by":["source"]}}`: "of that name already", `{"site":"lamps.example","operator_id":99,"name":"A","question":{"by":["source"]}}`: "body.operator_id",
			`{"site":"lamps.example","operator_id":{anna},"name":"A","question":{"by":["taste"]}}`: "body.question", `{"site":"lamps.example","operator_id":{anna},"name":"A","question":{"by":[]}}`: "body.question.by",
			`{"site":"lamps.example","operator_id":{anna},"name":"A","question":{"by":["source"],"filters":["channel"]}}`: "body.question.filters", `{"site":"lamps.example","operator_id":{anna},"name":" ","question":{"by":["source"]}}`: "a name",
			`{"site":"lamps.example","operator_id":{anna},"name":"A","question":{"by":["source"],"span":"own","first":"x"}}`: "a day"}},
	{id: "listSavedReports", query: "site=lamps.example&limit=1", says: `"filters":["channel=direct","channel="]`, wrong: map[string]string{"cursor=AAAA": "query.cursor"}},
	{id: "getSavedReport", path: "id {saved}", says: `"by":["source","campaign"]`},
	{id: "setSavedReport", path: "id {saved}", asked: `{"name":"Summer","question":{"by":["channel"],"window":7}}`, says: `"window":7`, wrong: map[string]string{`{"name":"Summer","question":{"by":["channel"],"window":91}}`: "body.question.window"}},
	{id: "makeReportLink", asked: `{"name":"For the agency","question":{"by":["campaign"]},"days":30}`, says: `"address":"http://`,
		wrong: map[string]string{`{"name":"A","question":{"by":["operator"]},"days":30}`: "names people", `{"name":"A","question":{"by":["source"],"filters":["group=1"]},"days":30}`: "names people", `{"name":"A","question":{"by":["source"]},"days":0}`: "body.days"}},
	{id: "listReportLinks", says: `"name":"For the agency"`},
	{id: "addBulletin", asked: `{"address":"owner@lamps.example","every":"week"}`, says: `"id":{bulletin}`,
		wrong: map[string]string{`{"address":"owner","every":"week"}`: "an address", `{"address":"a@b.example","every":"hour"}`: "body.every", `{"address":"a@b.example","every":"day","language":"tlh"}`: "language"}},
	{id: "listBulletins", says: `"language":"en"`},
	{id: "getBulletin", path: "id {bulletin}", says: `"state":"active"`},
	{id: "pauseBulletin", path: "id {bulletin}", asked: `{"is_paused":true}`, says: `"state":"paused"`},
	{id: "testBulletin", path: "id {bulletin}", says: `"address":"owner@lamps.example"`},

	{id: "findPerson", asked: `{"phones":["+7 912 345-67-89"],"emails":["anna@mail.example"]}`, says: `"leads":[{`, wrong: map[string]string{`{}`: "expected", `{"visitors":[{"site":"lamps.example","id":"x"}]}`: "body.visitors"}},
	{id: "exportPerson", asked: `{"emails":["anna@mail.example"]}`, says: `"tables": {`, wrong: map[string]string{`{}`: "expected", `404 {"visitors":[{"site":"no.example","id":"1"}]}`: "no site of this key"}},
	{id: "erasePerson", asked: `{"emails":["nobody@mail.example"]}`, says: `"ended_at":null`, wrong: map[string]string{`{"phones":["-"]}`: "expected"}},
	{id: "listErasures", says: `"by":"API: A program"`},
	{id: "listHistory", query: "limit=5", says: `"by":"API: A program"`, wrong: map[string]string{"cursor=AAAA": "query.cursor"}},

	{id: "streamEvents", query: "site=lamps.example", wrong: map[string]string{"after=1": "query.after"}},

	{id: "removeBulletin", path: "id {bulletin}"},
	{id: "endReportLink", path: "id {link}"},
	{id: "removeSavedReport", path: "id {saved}"},
	{id: "removeEndpoint", path: "id {endpoint}"},
	{id: "removeReply", path: "id {reply}"},
	{id: "removeGroup", path: "id {group}"},
	{id: "removeNumber", path: "number 74951234567", says: `"own":[]`},
	{id: "releaseNumbers", path: "pool summer", asked: `{"numbers":["+7 495 765-00-01"]}`, says: `"rests_until":null`, wrong: map[string]string{`{"numbers":["+7 495 765-00-02"]}`: "body.numbers", `{"numbers":[]}`: "body.numbers"}},
	{id: "removePool", path: "pool summer", says: `"own_pools":{}`},
	{id: "disableOperator", path: "id {boris}", asked: `{"is_disabled":true}`, says: `"is_disabled":true`},
	{id: "removeOperator", path: "id {boris}"},
}

// operation is an operation as the document has it.
type operation struct {
	*openapi3.Operation
	method, path string
}

// operations are all of the document, by their ids.
func (o *office) operations() map[string]operation {
	all := make(map[string]operation)
	for path, item := range o.document.Paths.Map() {
		for method, op := range item.Operations() {
			all[op.OperationID] = operation{op, method, path}
		}
	}
	return all
}

// scene has in the office what the trials are about, and returns the values of names.
func (o *office) scene() map[string]string {
	ctx := o.Context()
	anna := operatortest.Account(o.T, o.Operators, "anna", operator.Agent, scope.All())
	first, second := o.lead(o.lamps, "Is the lamp there?"), o.lead(o.lamps, "And the second one?")
	view, err := o.visits.Arrive(ctx, o.lamps.ID, 0, visit.Arrival{Nonce: "arrival-of-the-tests", URL: "https://lamps.example/", Kind: "load", UserAgent: visittest.Chrome})
	require.NoError(o, err)
	other, err := o.visits.Arrive(ctx, o.lamps.ID, 0, visit.Arrival{Nonce: "another-arrival-of-tests", URL: "https://lamps.example/floor", Kind: "load", UserAgent: visittest.Chrome})
	require.NoError(o, err)
	from := chat.From{SiteID: o.lamps.ID, Ref: view.Ref, URL: "https://lamps.example/", Language: "en", Patience: time.Hour}
	talk, _, err := o.Chats.SayFrom(ctx, from, chat.Message{Author: chat.Visitor, Text: "Do you deliver?"})
	require.NoError(o, err)
	require.NoError(o, o.Saved.Save(ctx, anna, saved.Report{SiteID: o.lamps.ID, Name: "Taken", Query: "by=source"}))
	chief := operatortest.Account(o.T, o.Operators, "chief", operator.Admin, scope.All())
	_, err = o.Refused.Add(ctx, refused.Refusal{SiteID: o.lamps.ID, Origin: lead.Form, Code: "wrong_type", Reason: "It was wrong.", Sent: json.RawMessage(`{"name":"Anna"}`)})
	require.NoError(o, err)
	kept, err := o.Refused.List(ctx, scope.All(), lead.Cursor{}, 1)
	require.NoError(o, err)
	require.NoError(o, o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return incident.Note(ctx, tx, incident.Incident{SiteID: o.lamps.ID, Kind: incident.Limit, About: "leads", Name: "leads"}, true, o.clock.Now())
	}))
	var picture bytes.Buffer
	require.NoError(o, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))))
	return map[string]string{
		"chief": fmt.Sprint(chief.ID), "refused": fmt.Sprint(kept[0].ID), "picture": picture.String(),
		"anna": fmt.Sprint(anna.ID), "lead": fmt.Sprint(first.ID), "second": fmt.Sprint(second.ID), "chat": fmt.Sprint(talk.ID), "visitor": fmt.Sprint(other.Visitor),
		"today": o.clock.Now().Format(time.DateOnly), "tomorrow": o.clock.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
	}
}

// rings has somebody call the tracking number of the site's news.
func (o *office) rings() string {
	c, _, err := o.Calls.Take(o.Context(), telephony.Event{
		Platform: "webhook", Call: "1", Kind: telephony.Start, At: o.clock.Now(), Called: "74957654321", Caller: "79123456789", Talk: telephony.Untold, Wait: telephony.Untold,
	})
	require.NoError(o, err)
	return fmt.Sprint(c.ID)
}

// rests has a visitor have a number in another pool, and leave.
func (o *office) rests() {
	pool := &number.Pool{Name: "winter", Digits: []string{"74957650001", "74957650009"}}
	require.NoError(o, pool.Complete())
	view := o.arrives(o.lamps, 1, "")
	digits, _, err := o.Leases.Take(o.Context(), lease.Want{Site: o.lamps.ID, Visitor: view.Visitor, Visit: view.Visit, Replaces: "74951234567", Pool: pool, First: true})
	require.NoError(o, err)
	require.Equal(o, "74957650001", digits)
	o.clock.Pass(time.Hour)
}

// deliver waits until the test that was sent stands in the log.
func (o *office) deliver() {
	ctx, cancel := context.WithCancel(o.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); o.Deliveries.Run(ctx) }()
	require.Eventually(o, func() bool {
		log, err := o.Deliveries.Log(ctx, o.lamps.ID, 0, "", notify.Cursor{}, 1)
		return err == nil && len(log) > 0
	}, time.Minute, 10*time.Millisecond)
	cancel()
	<-done
}

// filled is the text with the values of the names in it.
func filled(text string, named map[string]string) string {
	for name, value := range named {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (t trial) address(op operation, named map[string]string) string {
	values := map[string]string{"site": "lamps.example"}
	for pair := range slices.Chunk(strings.Fields(filled(t.path, named)), 2) {
		values[pair[0]] = pair[1]
	}
	return filled(op.path, values)
}

// with is the address with the trial's query.
func (t trial) with(address string, named map[string]string) string {
	if t.query == "" {
		return address
	}
	return address + "?" + filled(t.query, named)
}

// Every operation does what it is asked, and refuses what is wrong and then has changed nothing. Every answer is as the
// document says.
func TestEveryOperation(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		operations, named := o.operations(), o.scene()
		var tried []string
		for _, trial := range trials {
			tried = append(tried, trial.id)
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(operations)), tried)
		secret := o.token(scope.All(), token.Scopes...)
		for _, trial := range trials {
			op := operations[trial.id]
			switch trial.id {
			case "listCalls":
				named["call"] = o.rings()
			case "listDeliveries":
				o.deliver()
			case "releaseNumbers":
				o.rests()
			}
			path := trial.address(op, named)
			for wrong, words := range trial.wrong {
				status, method, address, asked := 422, op.method, trial.with(path, named), filled(wrong, named)
				if n, _ := fmt.Sscanf(wrong, "%3d ", &status); n == 1 {
					asked = asked[len("400 "):]
				}
				if method == http.MethodGet {
					address, asked = path+"?"+asked, ""
				}
				o.refusesTo(status, method, address, secret, asked, words, "If-Match", "*")
			}
			if op.Parameters.GetByInAndName("header", "If-Match") != nil {
				asked := filled(trial.asked, named)
				o.refusesTo(428, op.method, trial.with(path, named), secret, asked, "If-Match")
				o.refusesTo(412, op.method, trial.with(path, named), secret, asked, "somebody else", "If-Match", `"other"`)
			}
			if trial.id == "streamEvents" { // it does not end; see TestEvents
				continue
			}
			response, body := o.call(op.method, trial.with(path, named), secret, filled(trial.asked, named), "If-Match", "*")
			require.Less(t, response.StatusCode, 300, "%s: %s", trial.id, body)
			learn(t, trial, body, named)
			require.Contains(t, string(body), filled(trial.says, named), trial.id)
		}
	})
}

// learn keeps the ids of what was made under the names that the trial's answer has for them.
func learn(t *testing.T, of trial, body []byte, named map[string]string) {
	var said struct {
		ID         int64
		File       struct{ ID int64 }
		Costs      []struct{ ID int64 }
		Links      []struct{ ID int64 }
		Deliveries []struct{ Entry int64 }
	}
	if !json.Valid(body) { // a file
		return
	}
	require.NoError(t, json.Unmarshal(body, &said))
	if name, found := strings.CutPrefix(of.says, `"id":{`); found {
		named[strings.TrimSuffix(name, "}")] = fmt.Sprint(said.ID)
	}
	if said.File.ID != 0 {
		named["file"] = fmt.Sprint(said.File.ID)
	}
	if len(said.Costs) > 0 {
		named["cost"] = fmt.Sprint(said.Costs[0].ID)
	}
	if len(said.Links) > 0 {
		named["link"] = fmt.Sprint(said.Links[0].ID)
	}
	if len(said.Deliveries) > 0 {
		named["delivery"] = fmt.Sprint(said.Deliveries[0].Entry)
	}
}

// Each operation is closed to who has no token, one that has ended, one of another scope, and one of another site.
func TestNoHoles(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		operations, named := o.operations(), o.scene()
		made, ended, err := o.Tokens.Make(t.Context(), operator.Server(), token.Token{Name: "Ended", Scopes: token.Scopes, Sites: scope.All()}, 1)
		require.NoError(t, err)
		require.NoError(t, o.Tokens.Revoke(t.Context(), operator.Server(), made.ID))
		all, other := o.token(scope.All(), token.Scopes...), o.token(scope.Of(o.chairs.ID), token.Scopes...)
		boris := operatortest.Account(t, o.Operators, "boris", operator.Agent, scope.Of(o.lamps.ID))
		for _, name := range []string{"group", "reply", "endpoint", "callback", "cost", "call", "delivery", "file", "saved", "link", "bulletin", "destination", "draft"} {
			named[name] = "1"
		}
		named["boris"] = fmt.Sprint(boris.ID)
		for _, trial := range trials {
			op := operations[trial.id]
			path, asked := trial.address(op, named), filled(trial.asked, named)
			scopes := (*op.Security)[0]["token"]
			require.Len(t, scopes, 1, path)
			var others []token.Scope
			for _, s := range token.Scopes {
				subject, _, _ := strings.Cut(scopes[0], ":")
				if string(s) != scopes[0] && !(strings.HasSuffix(scopes[0], ":read") && string(s) == subject+":write") {
					others = append(others, s)
				}
			}
			o.refusesTo(401, op.method, path, "", asked, "expected a token")
			o.refusesTo(401, op.method, path, ended, asked, "has ended")
			o.refusesTo(401, op.method, path, ended[:20], asked, "no such token")
			o.refusesTo(403, op.method, path, o.token(scope.All(), others...), asked, scopes[0])
			o.refusesTo(401, op.method, path+"?token="+ended, "", asked, "stands in logs")
			o.refusesTo(422, op.method, path+"?unknown=1", all, asked, "unknown query parameter", "If-Match", "*")

			address := trial.with(path, named)
			response, body := o.call(op.method, address, other, asked, "If-Match", "*")
			if strings.Contains(address, "lamps.example") || strings.Contains(asked, "lamps.example") || strings.HasPrefix(path, "/api/v1/operators/") {
				require.Contains(t, []int{403, 404}, response.StatusCode, "%s: %s", trial.id, body)
			}
			require.NotContains(t, string(body), "lamps.example", trial.id)
			require.NotContains(t, string(body), "Is the lamp there?", trial.id)
			require.NotContains(t, string(body), "79123456789", trial.id)
		}
		_, body := o.call("GET", "/api/v1/sites?limit=9", all, "")
		require.NotContains(t, string(body), "tables.example", "a site was added by who may not")
		_, body = o.call("GET", "/api/v1/history?limit=100", all, "")
		require.NotContains(t, string(body), "lead.", "nothing was changed")
		o.refuses(404, "/api/v1/leads?site="+url.QueryEscape("lamps.example"), other, "there is no site of this key")
	})
}
