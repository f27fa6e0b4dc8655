package open_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console"
)

// Why a route of the console has no operation.
const (
	ownAccount = "reason: it is about the operator's own account, and a token has none"
	signingIn  = "reason: it is how somebody comes in, and a token is in"
	ofBrowsers = "reason: it is a file or a page of the console itself"
	ofForms    = "reason: it is a form for what an operation changes"
	ofPeople   = "reason: it is for people who have the address alone"
	noPower    = "reason: a token makes no tokens, or who has one would keep its power after it was revoked"
	notYet     = "missing: no operation does it yet"
)

// equals are the operations that tell or change what the console does at each of its routes, or why there are none. Of
// what a route shows at once, there is an operation for each thing.
var equals = map[string]string{
	"/":                                        ofBrowsers,
	"GET /{$}":                                 ofBrowsers,
	"GET /assets/{name}":                       ofBrowsers,
	"GET /worker.js":                           ofBrowsers,
	"GET /help":                                ofBrowsers,
	"GET /help/images/{drawing}":               ofBrowsers,
	"GET /help/{manual}":                       ofBrowsers,
	"POST /language":                           ofBrowsers,
	"GET /stream/{view}":                       "streamEvents",
	"GET /hosts":                               "listSites",
	"GET /lookup":                              "listLeads listChats listCalls listSites findPerson",
	"GET /overview":                            "report listIncidents",
	"GET /inquiries":                           "listLeads listCalls listChats listCallbacks",
	"GET /inquiries/export":                    "listLeads listCalls listChats listCallbacks",
	"GET /faces/{face}":                        notYet,
	"GET /feeds/{feed}/{table}":                "getDestinationFile",
	"GET /r/{shared}":                          ofPeople,
	"GET /r/{shared}/export":                   ofPeople,
	"GET /setup":                               signingIn,
	"POST /setup":                              signingIn,
	"GET /sign-in":                             signingIn,
	"POST /sign-in":                            signingIn,
	"GET /sign-in/code":                        signingIn,
	"POST /sign-in/code":                       signingIn,
	"POST /sign-out":                           signingIn,
	"GET /password":                            signingIn,
	"POST /password":                           signingIn,
	"GET /forgotten":                           signingIn,
	"POST /forgotten":                          signingIn,
	"GET /account":                             ownAccount,
	"GET /account/two-step":                    ownAccount,
	"POST /account/away":                       ownAccount,
	"POST /account/email":                      ownAccount,
	"POST /account/face":                       ownAccount,
	"POST /account/face/removal":               ownAccount,
	"POST /account/password":                   ownAccount,
	"POST /account/sessions/removal":           ownAccount,
	"POST /account/two-step":                   ownAccount,
	"POST /account/two-step/codes":             ownAccount,
	"POST /account/two-step/removal":           ownAccount,
	"POST /account/passkeys":                   ownAccount,
	"POST /account/passkeys/options":           ownAccount,
	"POST /account/passkeys/removal":           ownAccount,
	"POST /sign-in/passkey":                    signingIn,
	"POST /sign-in/passkey/options":            signingIn,
	"POST /sign-in/code/passkey":               signingIn,
	"POST /sign-in/code/passkey/options":       signingIn,
	"GET /tokens":                              noPower,
	"POST /tokens":                             noPower,
	"POST /tokens/{program}/removal":           noPower,
	"GET /history":                             "listHistory",
	"GET /visitors":                            "listVisitorsHere listVisits",
	"GET /visitors/{site}/{visitor}":           "getVisitor",
	"POST /visitors/{site}/{visitor}/chat":     "writeFirst",
	"POST /visitors/{site}/{visitor}/contacts": "correctVisitor",
	"GET /person":                              "listErasures",
	"GET /person/{site}/{visitor}":             ofForms,
	"POST /person":                             "findPerson",
	"POST /person/export":                      "exportPerson",
	"POST /person/erasure":                     "erasePerson",

	"GET /leads":                                          "listLeads",
	"GET /leads/export":                                   "listLeads",
	"GET /leads/{site}/{lead}":                            "getLead listDeeds",
	"GET /leads/{site}/{lead}/text":                       "getLead",
	"POST /leads/read":                                    "reason: it says what one operator has looked at",
	"POST /leads/state/{site}/{lead}":                     "setLeadState",
	"POST /leads/owner/{site}/{lead}":                     "setLeadOwner",
	"POST /leads/notes/{site}/{lead}":                     "addNote",
	"POST /leads/tags/{site}/{lead}":                      "setLeadTags",
	"POST /leads/sale/{site}/{lead}":                      "setLeadSale",
	"POST /leads/parts/{site}/{lead}":                     "mergeLeads",
	"POST /leads/parts/{site}/{lead}/removal":             "splitLeads",
	"GET /leads/refused":                                  "listRefused",
	"GET /leads/refused/{site}/{refused}/text":            "getRefused",
	"POST /leads/refused":                                 "makeLeadOfRefused",
	"POST /leads/refused/{site}/{refused}":                "makeLeadOfRefused",
	"GET /leads/forms":                                    "listForms",
	"POST /leads/forms/{site}":                            "setCaptures",
	"GET /chats":                                          "listChats",
	"GET /chats/waits":                                    "listWaits",
	"GET /chats/{site}/{conversation}":                    "getChat listMessages",
	"GET /chats/{site}/{conversation}/messages":           "listMessages",
	"GET /chats/{site}/{conversation}/messages/{message}": "listMessages",
	"GET /chats/{site}/{conversation}/files/{file}":       "getFile",
	"POST /chats/{site}/{conversation}/messages":          "say",
	"POST /chats/{site}/{conversation}/files":             "sendFile",
	"POST /chats/{site}/{conversation}/read":              "readChat",
	"POST /chats/{site}/{conversation}/typing":            "reason: a program does not type, it has written",
	"POST /chats/{site}/{conversation}/work":              "claimChat takeChat makeLeadOfChat closeChat returnChat banVisitor handChat",
	"POST /chats/{site}/{conversation}/tags":              "setChatTags",
	"GET /calls":                                          "listCalls getCall",
	"GET /calls/export":                                   "listCalls",
	"POST /calls/{site}/{call}/lead":                      "makeLeadOfCall",
	"GET /callbacks":                                      "listCallbacks",
	"GET /callbacks/new":                                  ofForms,
	"GET /callbacks/{site}/{callback}":                    "getCallback",
	"POST /callbacks":                                     "makeCallback",
	"POST /callbacks/{site}/{callback}/call":              "callNow",
	"POST /callbacks/{site}/{callback}/closing":           "closeCallback",
	"POST /callbacks/{site}/{callback}/postponement":      "postponeCallback",

	"GET /numbers":                                   "getNumbers listPrinted",
	"GET /numbers/pools":                             "getNumbers getPool",
	"GET /numbers/{site}/new":                        ofForms,
	"GET /numbers/{site}/who":                        "foreseeNumbers",
	"GET /numbers/{site}/{number}":                   "getNumbers",
	"GET /numbers/{site}/roster":                     ofForms,
	"POST /numbers/{site}/roster":                    "importNumbers",
	"POST /numbers/{site}":                           "setNumber",
	"POST /numbers/{site}/{number}/removal":          "removeNumber",
	"GET /pools/{site}/new":                          ofForms,
	"GET /pools/{site}/{pool}":                       "getPool",
	"POST /pools/{site}":                             "setPool",
	"POST /pools/{site}/{pool}/release":              "releaseNumbers",
	"POST /pools/{site}/{pool}/removal":              "removePool",
	"GET /reports":                                   "report",
	"GET /reports/export":                            "report",
	"GET /reports/rows":                              "listReportRows",
	"GET /reports/rows/export":                       "listReportRows",
	"GET /reports/paths":                             "listPaths",
	"GET /reports/paths/export":                      "listPaths",
	"GET /reports/saved":                             "listSavedReports getSavedReport",
	"POST /reports/saved":                            "saveReport",
	"POST /reports/saved/{saved}":                    "setSavedReport",
	"POST /reports/saved/{saved}/removal":            "removeSavedReport",
	"GET /reports/links":                             "listReportLinks",
	"POST /reports/links":                            "makeReportLink",
	"POST /reports/links/{site}/{link}/removal":      "endReportLink",
	"GET /reports/mail":                              "listBulletins getBulletin",
	"POST /reports/mail":                             "addBulletin",
	"POST /reports/mail/{site}/{subscriber}/paused":  "pauseBulletin",
	"POST /reports/mail/{site}/{subscriber}/test":    "testBulletin",
	"POST /reports/mail/{site}/{subscriber}/removal": "removeBulletin",
	"GET /costs":                                     "listCosts",
	"GET /costs/{site}":                              "listCosts",
	"GET /costs/{site}/imports/{import}":             "getCost",
	"POST /costs/{site}/entries":                     "addCost",
	"POST /costs/{site}/files":                       "addCostFile",
	"POST /costs/{site}/imports/{import}":            "confirmCost",
	"POST /costs/{site}/imports/{import}/removal":    "undoCost",

	"GET /sites":                                            "listSites",
	"POST /sites":                                           "addSite",
	"GET /sites/{site}":                                     "getSite listLimits listIncidents",
	"GET /sites/{site}/check":                               "getCheck",
	"POST /sites/{site}/retired":                            "retireSite",
	"POST /sites/{site}/suspended":                          "suspendSite",
	"POST /sites/{site}/guide":                              "changeSettings",
	"POST /sites/{site}/supersede":                          "changeSettings",
	"GET /sites/{site}/settings":                            "getSettings",
	"POST /sites/{site}/settings":                           "changeSettings",
	"GET /sites/{site}/widget":                              "getSettings",
	"POST /sites/{site}/widget":                             "changeSettings",
	"POST /sites/{site}/widget/look":                        ofForms,
	"GET /sites/{site}/widget/stage":                        ofForms,
	"GET /sites/{site}/captures":                            "getCaptures",
	"GET /sites/{site}/captures/{capture}":                  "getCaptures",
	"POST /sites/{site}/captures":                           "setCaptures",
	"POST /sites/{site}/captures/{capture}/removal":         "setCaptures",
	"POST /sites/{site}/captures/{capture}/up":              "setCaptures",
	"GET /sites/{site}/groups":                              "listGroups",
	"GET /sites/{site}/groups/new":                          ofForms,
	"GET /sites/{site}/groups/{group}":                      "getGroup",
	"POST /sites/{site}/groups":                             "addGroup setGroup",
	"POST /sites/{site}/groups/{group}/removal":             "removeGroup",
	"GET /sites/{site}/replies":                             "listReplies getReply",
	"POST /sites/{site}/replies":                            "addReply setReply",
	"POST /sites/{site}/replies/{reply}/removal":            "removeReply",
	"GET /sites/{site}/deliveries":                          "listEndpoints listDeliveries",
	"GET /sites/{site}/endpoints/new":                       ofForms,
	"GET /sites/{site}/endpoints/{endpoint}":                "getEndpoint",
	"POST /sites/{site}/endpoints":                          "addEndpoint setEndpoint",
	"POST /sites/{site}/endpoints/{endpoint}/test":          "testEndpoint",
	"POST /sites/{site}/endpoints/{endpoint}/paused":        "pauseEndpoint",
	"POST /sites/{site}/endpoints/{endpoint}/secret":        "rotateSecret endEarlierSecret",
	"POST /sites/{site}/endpoints/{endpoint}/again":         "deliverAgain",
	"POST /sites/{site}/endpoints/{endpoint}/failed":        "deliverFailedAgain",
	"POST /sites/{site}/endpoints/{endpoint}/removal":       "removeEndpoint",
	"GET /sites/{site}/conversions":                         "listDestinations",
	"GET /sites/{site}/conversions/new":                     ofForms,
	"GET /sites/{site}/conversions/{destination}":           "getDestination",
	"GET /sites/{site}/conversions/{destination}/{table}":   "getDestinationFile",
	"POST /sites/{site}/conversions":                        "addDestination setDestination",
	"POST /sites/{site}/conversions/{destination}/password": "makeDestinationPassword",
	"GET /operators":                                        "listOperators",
	"GET /operators/{operator}":                             "getOperator",
	"POST /operators":                                       "addOperator",
	"POST /operators/{operator}":                            "setOperator",
	"POST /operators/{operator}/sites":                      "setOperator",
	"POST /operators/{operator}/disabled":                   "disableOperator",
	"POST /operators/{operator}/password":                   "setPassword",
	"POST /operators/{operator}/sessions/removal":           "endSessions",
	"POST /operators/{operator}/two-step/removal":           "turnOffTwoStep",
	"POST /operators/{operator}/face":                       "setFace",
	"POST /operators/{operator}/face/removal":               "removeFace",
	"POST /operators/{operator}/removal":                    "removeOperator",
}

// Whatever the console tells and changes, programs do as well, or it is said here why they do not.
func TestProgramsDoWhatTheConsoleDoes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		require.ElementsMatch(t, slices.Collect(maps.Keys(equals)), console.Patterns(), "say which operations do what the route does, or why none does")
		operations := o.operations()
		for pattern, does := range equals {
			if reason, found := strings.CutPrefix(does, "reason: "); found {
				require.NotEmpty(t, reason, pattern)
				continue
			}
			if does == notYet {
				continue
			}
			for id := range strings.FieldsSeq(does) {
				require.Contains(t, operations, id, pattern)
			}
		}
	})
}
