package frontdesk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed-3405227d/frontdesk"

// mayImport says, for each folder, which folders of the project its programs
// may import. "/..." is a folder with all that is in it. A folder that is not
// named follows the nearest folder above it that is.
var mayImport = map[string][]string{
	".":                           {"caddymodule", "caddymodule/command"},
	"cmd":                         {"."},
	"caddymodule/spot":            {},
	"caddymodule/placeholder":     {},
	"caddymodule/command/account": {"backend/operator/passkey", "backend/operator/twostep", "backend/operator", "backend/operator/passwords", "backend/operator/token", "backend/scope", "backend/site", "backend/db"},
	"caddymodule/command/sites":   {"backend", "backend/transfer", "backend/transfer/rows", "backend/site", "backend/db", "snippet"},
	"caddymodule/limits":          {"backend/limit"},
	"caddymodule/certificates":    {},
	"caddymodule/metrics":         {"backend/health", "backend/limit", "backend", "backend/api/gate", "backend/call", "backend/chat", "backend/forward", "backend/lead", "backend/lease", "backend/notify", "backend/telephony/...", "edge", "edge/post", "snippet/page"},
	"caddymodule/networks":        {"backend/visit/place"},
	"caddymodule":                 {"caddymodule/...", "edge/...", "backend/...", "snippet", "snippet/page/...", "snippet/survey"},
	"edge":                        {"backend/limit", "edge/region", "backend/aside", "backend", "backend/api", "backend/api/gate", "backend/api/platforms", "backend/api/tracker", "backend/api/view", "backend/capture", "backend/intake", "backend/number/...", "backend/preview", "backend/sighting", "backend/site", "backend/spool", "edge/effect", "edge/post", "edge/relay", "snippet", "snippet/page", "snippet/survey", "snippet/weave/rival", "locales"},
	"edge/effect":                 {"backend/limit", "edge/region", "backend", "backend/api/gate", "backend/api/view", "backend/api/widget", "backend/attribution", "backend/callback", "backend/capture", "backend/forward", "backend/lease", "backend/number/...", "backend/preview", "backend/site", "backend/visit/...", "snippet", "snippet/page", "snippet/picture", "backend/site/appearance"},
	"edge/post":                   {"backend", "backend/aside", "backend/api/gate", "backend/api/leads", "backend/api/view", "backend/capture", "backend/capture/posted", "backend/form", "backend/forward", "backend/intake", "backend/pace", "backend/site", "backend/spool", "edge/effect", "snippet", "snippet/page", "snippet/page/header"},
	"edge/region":                 {},
	"edge/relay":                  {"backend/api/gate", "backend/forward", "edge/effect", "backend/aside"},
	"locales":                     {"locales"},
	"docs":                        {},
	"snippet":                     {"snippet/asset", "snippet/phone/...", "snippet/weave", "snippet/weave/rival", "locales"},
	"snippet/page":                {"snippet", "snippet/coding", "snippet/page/budget", "snippet/page/header", "snippet/page/outlet", "snippet/page/validator", "snippet/steps", "snippet/weave/head"},
	"snippet/browser":             {"snippet/phone/...", "snippet/weave/link", "snippet/weave/token"},
	"snippet/steps":               {"snippet/steps"},
	"snippet/asset":               {"snippet/asset"},
	"snippet/survey":              {"snippet/phone/...", "snippet/weave/link", "snippet/weave/token"},
	"snippet/weave":               {"snippet/phone/...", "snippet/steps", "snippet/weave/..."},
	"snippet/phone":               {"snippet/phone/char", "snippet/phone/forms", "snippet/phone/plan", "snippet/steps"},
	"backend":                     {"backend/..."},
	"backend/open":                {"backend/bulletin", "backend/call", "backend/callback", "backend/chat", "backend/chat/overview", "backend/chat/reply", "backend/conversion", "backend/form", "backend/incident", "backend/journal", "backend/lead", "backend/lead/inbox", "backend/lead/refused", "backend/lease", "backend/limit", "backend/notify", "backend/number", "backend/number/inventory", "backend/open/destinations", "backend/open/endpoints", "backend/open/events", "backend/open/frame", "backend/open/handouts", "backend/open/inquiries", "backend/open/numbers", "backend/open/once", "backend/open/persons", "backend/open/reference", "backend/open/reports", "backend/open/sites", "backend/open/staff", "backend/open/visitors", "backend/operator", "backend/operator/group", "backend/operator/signin", "backend/operator/token", "backend/operator/twostep", "backend/person", "backend/report", "backend/report/cost", "backend/report/link", "backend/report/saved", "backend/site", "backend/site/check", "backend/site/foresight", "backend/visit", "backend/visit/card", "backend/visit/onsite"},
	"backend/open/destinations":   {"backend/conversion", "backend/conversion/platform", "backend/notify", "backend/open/frame", "backend/operator/token"},
	"backend/open/endpoints":      {"backend/notify", "backend/open/frame", "backend/operator/token"},
	"backend/open/events":         {"backend/journal", "backend/open/frame", "backend/operator/token", "backend/scope", "backend/stream"},
	"backend/open/frame":          {"backend/intake", "backend/open/once", "backend/operator", "backend/operator/token", "backend/pace", "backend/site"},
	"backend/open/handouts":       {"backend/bulletin", "backend/open/frame", "backend/operator", "backend/operator/token", "backend/report", "backend/report/credit", "backend/report/link", "backend/report/period", "backend/report/saved", "backend/report/wanted", "backend/scope", "backend/site"},
	"backend/open/inquiries":      {"backend/call", "backend/callback", "backend/callback/request", "backend/capture/naming", "backend/chat", "backend/chat/file", "backend/lead", "backend/lead/inbox", "backend/lead/search", "backend/lead/submission", "backend/limit", "backend/open/frame", "backend/operator", "backend/operator/group", "backend/operator/token", "backend/scope", "backend/site", "backend/tag", "backend/visit", "backend/visit/source", "backend/lead/refused"},
	"backend/open/numbers":        {"backend/number", "backend/number/roster", "backend/number/inventory", "backend/open/frame", "backend/attribution", "backend/operator/token", "backend/site", "backend/site/foresight", "backend/site/numbering", "backend/lease", "backend/visit/source"},
	"backend/open/once":           {"backend/db"},
	"backend/open/persons":        {"backend/open/frame", "backend/operator/token", "backend/person", "backend/trace", "backend/visit"},
	"backend/open/reference":      {},
	"backend/open/reports":        {"backend/chat/overview", "backend/open/frame", "backend/operator/token", "backend/report", "backend/report/cost", "backend/report/credit", "backend/report/period", "backend/site"},
	"backend/open/sites":          {"backend/capture", "backend/chat/reply", "backend/form", "backend/incident", "backend/limit", "backend/open/frame", "backend/operator/group", "backend/operator/token", "backend/scope", "backend/site", "backend/site/appearance", "backend/site/check"},
	"backend/open/visitors":       {"backend/chat", "backend/open/frame", "backend/operator", "backend/operator/token", "backend/visit", "backend/visit/card", "backend/visit/contact", "backend/visit/onsite", "backend/visit/source"},
	"backend/open/staff":          {"backend/journal", "backend/open/frame", "backend/operator", "backend/operator/face", "backend/operator/passwords", "backend/operator/signin", "backend/operator/token", "backend/operator/twostep", "backend/scope"},
	"backend/site/check":          {"backend/call", "backend/form", "backend/number/inventory", "backend/scope", "backend/sighting", "backend/site", "backend/visit/days"},
	"backend/site/foresight":      {"backend/attribution", "backend/lease", "backend/number", "backend/site", "backend/site/numbering", "backend/visit/source"},
	"backend/site/numbering":      {"backend/number", "backend/number/inventory", "backend/site"},
	"backend/report/wanted":       {"backend/report", "backend/report/credit", "backend/report/period"},
	"backend/scope":               {"backend/scope"},
	"backend/aside":               {"backend/aside"},
	"backend/api":                 {"backend/sighting", "backend/api/...", "backend/callback", "backend/captcha", "backend/chat", "backend/lead/...", "backend/visit/...", "backend/chat/live", "backend/chat/letter", "backend/chat/rating", "backend/bulletin"},
	"backend/console":             {"backend/operator/passkey", "backend/operator/twostep", "backend/operator/invitation", "backend/limit", "backend/operator/token", "backend/bulletin", "backend/report", "backend/report/link", "backend/report/saved", "backend/report/cost", "backend/inquiry", "backend/incident", "backend/scope", "backend/tag", "backend/callback/request", "backend/callback", "backend/chat", "backend/console/...", "backend/conversion", "backend/db", "backend/form", "backend/journal", "backend/lead/...", "backend/call", "backend/lease", "backend/notify", "backend/number/...", "backend/operator", "backend/person", "backend/preview", "backend/site", "backend/site/check", "backend/site/foresight", "backend/spool", "backend/visit/...", "backend/operator/group", "backend/operator/presence", "backend/operator/signin", "backend/chat/overview", "backend/chat/reply", "backend/chat/rating"},
	"backend/inquiry":             {"backend/call", "backend/callback", "backend/chat", "backend/chat/overview", "backend/lead", "backend/lead/inbox", "backend/lead/search", "backend/visit", "backend/visit/card", "backend/visit/source", "backend/scope", "backend/db"},
	"backend/incident":            {"backend/aside", "backend/journal", "backend/trace", "backend/scope", "backend/db"},
	"backend/tag":                 {"backend/scope", "backend/trace", "backend/db"},
	"backend/lead":                {"backend/tag", "backend/lead/search", "backend/lead/repeat", "backend/lead/submission", "backend/visit/...", "backend/journal", "backend/trace", "backend/scope", "backend/db"},
	"backend/chat":                {"backend/tag", "backend/chat/file", "backend/chat/typing", "backend/lead/...", "backend/visit/...", "backend/queue", "backend/journal", "backend/trace", "backend/scope", "backend/db", "backend/operator/presence"},
	"backend/number/roster":       {"backend/number", "backend/sheet"},
	"backend/number":              {"backend/number/pattern", "backend/visit/...", "snippet", "snippet/picture"},
	"backend/lease":               {"backend/incident", "backend/number/...", "backend/visit", "backend/visit/onsite", "backend/trace", "backend/db"},
	"backend/call":                {"backend/aside", "backend/lead", "backend/lead/submission", "backend/lease", "backend/queue", "backend/number", "backend/number/inventory", "backend/journal", "backend/visit", "backend/visit/clip", "backend/visit/contact", "backend/visit/source", "backend/telephony", "backend/trace", "backend/scope", "backend/db"},
	"backend/preview":             {"backend/visit/source", "backend/db"},
	"backend/visit":               {"backend/db/partition", "backend/visit/clip", "backend/visit/contact", "backend/visit/days", "backend/visit/key", "backend/visit/place", "backend/visit/quota", "backend/visit/rush", "backend/visit/source", "backend/journal", "backend/trace", "backend/db"},
	"backend/report":              {"backend/aside", "backend/report/cost", "backend/report/channel", "backend/report/column", "backend/report/credit", "backend/report/fact", "backend/report/kept", "backend/report/period", "backend/visit/key", "backend/db"},
	"backend/report/channel":      {"backend/visit/source"},
	"backend/report/column":       {},
	"backend/report/fact":         {"backend/report/column", "backend/db"},
	"backend/report/keeper":       {"backend/aside", "backend/lead", "backend/lead/submission", "backend/report", "backend/report/fact", "backend/telephony", "backend/visit/agent", "backend/visit/clip", "backend/visit/key", "backend/visit/source", "backend/db", "backend/db/duties"},
	"backend/report/saved":        {"backend/db", "backend/operator", "backend/scope"},
	"backend/report/link":         {"backend/journal", "backend/pace", "backend/report/saved", "backend/scope", "backend/db"},
	"backend/sheet":               {},
	"backend/report/cost":         {"backend/sheet", "backend/report/period", "backend/visit/clip", "backend/visit/source", "backend/journal", "backend/db"},
	"backend/report/credit":       {},
	"backend/report/kept":         {},
	"backend/report/period":       {},
	"backend/person":              {"backend/aside", "backend/person", "backend/operator", "backend/trace", "backend/visit", "backend/visit/contact", "backend/scope", "backend/db", "backend/db/duties"},
	"backend/trace":               {"backend/db", "backend/scope"},
	"backend/operator":            {"backend/operator/face", "backend/operator/passwords", "backend/journal", "backend/scope", "backend/db", "backend/operator"},
	"backend/site":                {"backend/aside", "backend/attribution", "backend/callback", "backend/number", "backend/capture", "backend/journal", "backend/scope", "backend/db", "snippet", "locales", "backend/site/appearance"},
	"backend/capture":             {"backend/capture/naming", "backend/capture/posted", "backend/visit/...", "snippet/steps"},
	"backend/intake":              {"backend/pace"},
	"backend/captcha":             {"backend/db"},
	"backend/limit":               {"backend/aside", "backend/db", "backend/incident", "backend/db/table", "backend/db/duties"},
	"backend/sighting":            {"backend/aside", "backend/trace", "backend/db"},
	"backend/health":              {"backend/db", "backend/incident", "backend/journal", "backend/scope"},
	"backend/spool":               {"backend/aside"},
	"backend/stream":              {},
	"backend/silence":             {},
	"backend/callback":            {"backend/callback/request", "backend/aside", "backend/captcha", "backend/visit/...", "backend/telephony", "backend/queue", "backend/journal", "backend/trace", "backend/scope", "backend/db", "backend/operator/group"},
	"backend/form":                {"backend/aside", "backend/incident", "backend/journal", "backend/trace", "backend/scope", "backend/db"},
	"backend/declarer":            {"backend/db"},
	"backend/transfer":            {"backend/aside", "backend/chat/reply", "backend/db", "backend/lead", "backend/notify", "backend/operator", "backend/operator/group", "backend/person", "backend/report/keeper", "backend/scope", "backend/site", "backend/transfer/rows", "backend/visit/key", "backend/visit/retain", "backend/db/duties"},
	"backend/transfer/rows":       {"backend/aside", "backend/chat/file", "backend/db", "backend/db/table", "backend/number", "backend/report", "backend/report/fact", "backend/report/wanted", "backend/site", "backend/visit/key", "backend/db/partition"},
	"backend/notify":              {"backend/aside", "backend/incident", "backend/site", "backend/visit/...", "backend/lead", "backend/call", "backend/telephony", "backend/queue", "backend/signature", "backend/journal", "backend/trace", "backend/db", "locales", "backend/notify/..."},
	"backend/conversion":          {"backend/aside", "backend/call", "backend/chat", "backend/conversion/...", "backend/journal", "backend/lead", "backend/notify", "backend/notify/attempt", "backend/site", "backend/telephony", "backend/trace", "backend/visit/...", "backend/db", "locales"},
	"backend/bulletin":            {"backend/aside", "backend/journal", "backend/notify", "backend/notify/attempt", "backend/notify/mail", "backend/queue", "backend/report/period", "backend/scope", "backend/site", "backend/visit/key", "backend/db", "locales", "backend/db/duties"},
	"backend/queue":               {"backend/aside", "backend/scope", "backend/db"},
	"backend/forward":             {"backend/queue", "backend/trace", "backend/db"},
	"backend/journal":             {"backend/aside", "backend/trace", "backend/scope", "backend/db"},
	"backend/db":                  {"backend/aside", "backend/db/..."},
	"bench":                       nil,
	"e2e":                         nil,
	"examples":                    nil,
	"system":                      nil,

	"snippet/page/header":    {"snippet/page/header"},
	"snippet/page/budget":    {"snippet/page/budget"},
	"snippet/page/validator": {"snippet/page/header"},
	"snippet/page/outlet":    {"snippet", "snippet/page/budget", "snippet/phone/...", "snippet/weave", "snippet/weave/head", "snippet/weave/rival"},

	"snippet/phone/char":      {"snippet/steps"},
	"snippet/phone/plan":      {"snippet/phone/plan"},
	"snippet/phone/forms":     {"snippet/phone/plan"},
	"snippet/weave/token":     {"snippet/phone/...", "snippet/steps"},
	"snippet/weave/head":      {"snippet/steps", "snippet/weave/rival", "snippet/weave/token"},
	"snippet/weave/rival":     {"snippet/steps", "snippet/weave/edit", "snippet/weave/framework", "snippet/weave/token"},
	"snippet/weave/link":      {"snippet/weave/token"},
	"snippet/weave/nest":      {"snippet/weave/token"},
	"snippet/weave/sweep":     {"snippet/phone/...", "snippet/steps", "snippet/weave/nest", "snippet/weave/token"},
	"snippet/weave/selector":  {"snippet/weave/token"},
	"snippet/weave/tree":      {"snippet/steps", "snippet/weave/nest", "snippet/weave/selector", "snippet/weave/token"},
	"snippet/weave/framework": {"snippet/weave/framework"},
	"snippet/weave/edit":      {"snippet/weave/edit"},
	"snippet/weave/skim":      {"snippet/phone/...", "snippet/steps", "snippet/weave/framework", "snippet/weave/nest", "snippet/weave/selector", "snippet/weave/sweep", "snippet/weave/token", "snippet/weave/tree"},

	"backend/notify/attempt":  {"backend/notify/attempt"},
	"backend/notify/told":     {"backend/call", "backend/incident", "backend/lead", "backend/visit/..."},
	"backend/notify/mail":     {"backend/notify/attempt", "backend/notify/template"},
	"backend/notify/template": {"backend/notify/template"},
	"backend/notify/webhook":  {"backend/notify/attempt", "backend/signature"},
	"backend/capture/naming":  {"snippet/steps"},
	"backend/capture/posted":  {"backend/capture/naming", "snippet/steps"},
	"backend/lead/inbox":      {"backend/lead", "backend/lead/search", "backend/journal", "backend/trace", "backend/scope", "backend/db"},
	"backend/lead/refused":    {"backend/lead", "backend/lead/submission", "backend/capture/naming", "backend/visit/...", "backend/trace", "backend/scope", "backend/db"},
	"backend/lead/repeat":     {"backend/lead/submission", "backend/db"},
	"backend/lead/search":     {"backend/aside", "backend/visit/...", "backend/db", "snippet/steps"},
	"backend/lead/submission": {"backend/capture/naming", "backend/visit/...", "snippet/steps"},

	"backend/conversion/platform":   {"backend/notify/attempt", "backend/visit/client", "backend/visit/source"},
	"backend/conversion/ga4":        {"backend/conversion/platform", "backend/notify/attempt", "backend/notify/webhook"},
	"backend/conversion/meta":       {"backend/conversion/platform", "backend/notify/attempt", "backend/notify/webhook"},
	"backend/conversion/matomo":     {"backend/conversion/platform", "backend/notify/attempt", "backend/notify/webhook"},
	"backend/conversion/feed":       {"backend/conversion/platform", "backend/notify/attempt"},
	"backend/db/sqlite":             {"backend/aside", "backend/db/wire"},
	"backend/db/postgres":           {"backend/db/replica", "backend/db/wire", "backend/silence"},
	"backend/db/topic":              {"backend/aside"},
	"backend/db/table":              {"backend/db"},
	"backend/db/duties":             {"backend/aside", "backend/db"},
	"backend/db/verify":             {"backend/db", "backend/db/migrations", "backend/db/sqlite", "backend/db/wire"},
	"backend/db/upgrade":            {"backend/aside", "backend/db", "backend/db/migrations", "backend/db/duties"},
	"backend/db/replica":            {"backend/db/wire"},
	"backend/db/partition":          {"backend/aside", "backend/db"},
	"backend/db/wire":               {"backend/db/wire"},
	"backend/db/migrations":         {"backend/db/migrations"},
	"backend/telephony":             {"backend/signature", "snippet/steps"},
	"backend/attribution":           {"backend/number", "backend/visit/..."},
	"backend/number/pattern":        {"backend/number/pattern"},
	"backend/number/inventory":      {"backend/number", "backend/visit/contact", "backend/trace", "backend/db"},
	"backend/telephony/sip":         {"backend/aside", "backend/telephony", "backend/telephony/sip/trunk", "snippet/steps"},
	"backend/telephony/sip/trunk":   {"backend/aside"},
	"backend/operator/operatortest": {"backend/operator", "backend/journal/...", "backend/scope", "backend/db"},
	"backend/operator/group":        {"backend/operator", "backend/journal", "backend/db"},
	"backend/operator/presence":     {"backend/operator", "backend/operator/group", "backend/db"},
	"backend/operator/token":        {"backend/operator", "backend/journal", "backend/scope", "backend/db"},
	"backend/operator/passkey":      {"backend/operator", "backend/db"},
	"backend/operator/twostep":      {"backend/operator", "backend/db"},
	"backend/operator/invitation":   {"backend/operator", "backend/queue", "backend/db", "locales"},
	"backend/operator/signin":       {"backend/operator", "backend/scope", "backend/db"},
	"backend/journal/journaltest":   {"backend/db", "backend/journal"},
	"backend/chat/chattest":         {"backend/chat", "backend/db", "backend/db/dbtest", "backend/visit", "backend/visit/visittest"},
	"backend/chat/dispatch":         {"backend/aside", "backend/chat", "backend/journal", "backend/operator/group", "backend/operator/presence", "backend/db", "backend/db/duties"},
	"backend/chat/file":             {"backend/chat/pixels", "backend/db", "backend/visit/clip"},
	"backend/chat/live":             {"backend/aside", "backend/chat", "backend/chat/typing", "backend/journal", "backend/operator", "backend/scope", "backend/visit", "backend/db"},
	"backend/chat/pixels":           {"backend/chat/pixels"},
	"backend/chat/overview":         {"backend/chat", "backend/scope", "backend/db"},
	"backend/chat/rating":           {"backend/chat", "backend/journal", "backend/trace", "backend/db"},
	"backend/chat/reply":            {"backend/chat", "backend/db"},
	"backend/chat/typing":           {"backend/visit", "backend/db"},
	"backend/chat/letter":           {"backend/chat", "backend/queue", "backend/visit/...", "backend/db", "locales"},
	"backend/site/appearance":       {"backend/site/appearance", "backend/number", "locales", "snippet"},
	"backend/signature":             {"backend/signature"},
	"backend/operator/passwords":    {"backend/operator/passwords"},
	"backend/operator/face":         {},

	// What stands below the rooms of the API, and then the rooms, none of which imports another.
	"backend/api/widget":       {"locales", "backend/site/appearance"},
	"backend/api/gate":         {"backend/limit", "backend/api/widget", "backend/callback", "backend/forward", "backend/intake", "backend/pace", "backend/visit/...", "snippet/steps"},
	"backend/api/view":         {"backend/limit", "backend/api/gate", "backend/visit/..."},
	"backend/api/tracker":      {"backend/limit", "backend/sighting", "backend/api/gate", "backend/api/view", "backend/visit/..."},
	"backend/api/leads":        {"backend/limit", "backend/api/gate", "backend/api/view", "backend/capture", "backend/forward", "backend/lead/...", "backend/pace", "backend/visit/...", "snippet/steps"},
	"backend/api/panel":        {"backend/limit", "backend/callback/request", "backend/api/gate", "backend/api/view", "backend/api/widget", "backend/callback", "backend/captcha", "backend/pace", "backend/site/appearance"},
	"backend/api/conversation": {"backend/limit", "backend/operator/face", "backend/api/gate", "backend/api/view", "backend/aside", "backend/chat", "backend/chat/file", "backend/pace", "backend/visit/...", "backend/chat/live", "backend/chat/letter", "backend/chat/rating", "backend/silence", "backend/stream"},
	"backend/api/bulletins":    {"backend/api/gate", "backend/bulletin", "backend/chat/letter"},
	"backend/api/platforms":    {"backend/api/gate", "backend/call", "backend/callback", "backend/telephony"},

	"backend/callback/request": {"backend/visit/contact"},
	"backend/visit/source":     {"backend/visit/clip", "snippet/steps"},
	"backend/visit/contact":    {"snippet/steps"},
	"backend/visit/client":     {"backend/aside", "backend/trace", "backend/visit/key", "backend/db", "snippet/steps"},
	"backend/visit/clip":       {"backend/visit/clip"},
	"backend/visit/key":        {"backend/db", "backend/db/partition"},
	"backend/visit/place":      {"backend/aside", "backend/visit/clip"},
	"backend/visit/quota":      {"backend/visit/clip", "backend/visit/key", "backend/db"},
	"backend/visit/rush":       {},
	"backend/visit/days":       {"backend/visit/source", "backend/db"},
	"backend/visit/retain":     {"backend/aside", "backend/trace", "backend/db", "backend/db/partition"},
	"backend/visit/card":       {"backend/scope", "backend/visit", "backend/visit/contact", "backend/visit/key", "backend/visit/source", "backend/db"},
	"backend/visit/onsite":     {"backend/aside", "backend/visit", "backend/visit/card", "backend/visit/key", "backend/visit/source", "backend/scope", "backend/db"},
	"backend/visit/visittest":  {"backend/visit/...", "backend/db/..."},

	// What stands below the rooms of the console, and then the rooms, none of which imports another.
	"backend/console/words":      {"backend/visit/contact", "backend/visit/source", "snippet/steps", "locales"},
	"backend/console/session":    {"backend/operator", "backend/scope", "backend/operator/signin"},
	"backend/console/table":      {"backend/aside", "backend/console/words", "snippet/steps"},
	"backend/console/frame":      {"backend/console/session", "backend/console/table", "backend/console/words", "backend/intake", "backend/journal", "backend/operator", "backend/scope", "backend/site", "snippet", "snippet/asset", "locales", "backend/operator/group", "backend/operator/presence", "backend/operator/signin"},
	"backend/console/attempts":   {"backend/console/words", "backend/operator", "backend/operator/passkey", "backend/operator/twostep", "backend/pace"},
	"backend/console/door":       {"backend/console/attempts", "backend/visit/agent", "backend/operator/passkey", "backend/operator/twostep", "backend/operator/invitation", "backend/operator/face", "backend/console/frame", "backend/console/session", "backend/console/words", "backend/operator", "backend/operator/passwords", "backend/pace", "backend/scope", "backend/operator/signin"},
	"backend/console/live":       {"backend/console/frame", "backend/console/words", "backend/aside", "backend/db", "backend/journal", "backend/operator", "backend/scope", "backend/site", "backend/operator/presence", "backend/operator/signin", "backend/stream"},
	"backend/console/figures":    {"backend/console/frame", "backend/console/words", "backend/report", "backend/report/credit", "backend/report/period", "backend/report/wanted"},
	"backend/console/overview":   {"backend/console/figures", "backend/console/frame", "backend/console/rows", "backend/console/words", "backend/incident", "backend/report", "backend/report/wanted", "backend/visit/days"},
	"backend/console/reports":    {"backend/call", "backend/callback", "backend/chat", "backend/console/figures", "backend/console/frame", "backend/console/rows", "backend/console/table", "backend/console/words", "backend/lead", "backend/pace", "backend/report/...", "backend/report/wanted", "backend/site", "backend/visit/..."},
	"backend/console/costs":      {"backend/console/frame", "backend/console/words", "backend/report", "backend/report/cost", "backend/report/credit", "backend/report/period", "backend/site"},
	"backend/console/rows":       {"backend/tag", "backend/incident", "backend/console/frame", "backend/console/words", "backend/callback", "backend/chat", "backend/scope", "backend/lead", "backend/attribution", "backend/call", "backend/lease", "backend/number/...", "backend/operator", "backend/site", "backend/site/numbering", "backend/telephony", "backend/visit/...", "backend/operator/group"},
	"backend/console/bulletins":  {"backend/bulletin", "backend/console/figures", "backend/console/frame", "backend/console/words", "backend/incident", "backend/report", "backend/report/credit", "backend/report/wanted", "backend/scope", "backend/site"},
	"backend/console/calls":      {"backend/callback/request", "backend/console/frame", "backend/console/live", "backend/console/rows", "backend/console/table", "backend/console/words", "backend/callback", "backend/journal", "backend/lead", "backend/call", "backend/number", "backend/operator", "backend/site", "backend/telephony", "backend/visit/...", "backend/operator/group"},
	"backend/console/deliveries": {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/notify/...", "backend/site"},
	"backend/console/help":       {"backend/console/frame", "docs"},
	"backend/console/inbox":      {"backend/tag", "backend/console/frame", "backend/console/live", "backend/console/rows", "backend/console/table", "backend/console/words", "backend/call", "backend/callback", "backend/capture", "backend/form", "backend/journal", "backend/lead/...", "backend/number", "backend/operator", "backend/site", "backend/visit/..."},
	"backend/console/inquiries":  {"backend/console/frame", "backend/console/live", "backend/console/rows", "backend/console/table", "backend/console/words", "backend/call", "backend/callback", "backend/chat", "backend/inquiry", "backend/journal", "backend/lead", "backend/lead/search", "backend/operator", "backend/operator/group", "backend/tag", "backend/visit/..."},
	"backend/console/lookup":     {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/call", "backend/chat", "backend/chat/overview", "backend/lead", "backend/lead/inbox", "backend/lead/search", "backend/visit/card", "backend/visit/contact"},
	"backend/console/numbers":    {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/attribution", "backend/number/...", "backend/preview", "backend/site", "backend/site/foresight", "backend/visit/..."},
	"backend/console/people":     {"backend/console/frame", "backend/console/live", "backend/console/rows", "backend/console/words", "backend/callback", "backend/journal", "backend/person", "backend/scope", "backend/site", "backend/trace", "backend/visit/..."},
	"backend/console/pools":      {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/lease", "backend/number", "backend/site", "backend/visit/..."},
	"backend/console/settings":   {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/attribution", "backend/callback", "backend/capture", "backend/number", "backend/site"},
	"backend/console/sites":      {"backend/limit", "backend/console/frame", "backend/console/live", "backend/incident", "backend/journal", "backend/console/rows", "backend/console/words", "backend/lead", "backend/attribution", "backend/number", "backend/operator", "backend/scope", "backend/site", "backend/site/check", "backend/visit/...", "backend/operator/group", "backend/chat/reply"},
	"backend/console/staff":      {"backend/operator/signin", "backend/operator/passkey", "backend/operator/twostep", "backend/operator/invitation", "backend/operator/token", "backend/bulletin", "backend/console/door", "backend/console/frame", "backend/console/words", "backend/journal", "backend/notify", "backend/number", "backend/operator", "backend/report/link", "backend/scope", "backend/report/cost", "backend/site", "backend/operator/group"},
	"backend/console/chats":      {"backend/tag", "backend/console/frame", "backend/console/live", "backend/console/rows", "backend/console/words", "backend/chat", "backend/chat/file", "backend/chat/typing", "backend/intake", "backend/journal", "backend/operator", "backend/scope", "backend/visit/...", "backend/operator/group", "backend/chat/overview", "backend/chat/reply", "backend/chat/rating"},
	"backend/console/widget":     {"backend/console/frame", "backend/console/rows", "backend/console/words", "backend/site", "snippet", "locales", "backend/site/appearance"},

	"backend/console/conversions": {"backend/console/frame", "backend/console/words", "backend/conversion", "backend/conversion/platform", "backend/notify", "backend/pace", "backend/site"},
}

// onlyIn says which folder alone may import what begins with a path.
var onlyIn = map[string]string{
	"github.com/caddyserver/":  "caddymodule",
	"modernc.org/sqlite":       "backend/db",
	"github.com/jackc/pgx/":    "backend/db",
	"github.com/pressly/goose": "backend/db",
	"github.com/emiago/sipgo":  "backend/telephony/sip",
	"github.com/xuri/":         "backend/console/table",
}

// programsOfTheirOwn stand beside the product: they run or measure it.
var programsOfTheirOwn = []string{"bench", "e2e", "examples", "system"}

func TestImportDirections(t *testing.T) {
	imports := importsByFolder(t)
	require.Contains(t, imports, "caddymodule")
	require.Contains(t, imports, "backend/db")
	for folder, imported := range imports {
		rule, beside := ruleOf(folder)
		for _, name := range imported {
			if inside, ok := strings.CutPrefix(name+"/", module+"/"); ok {
				inside = path.Clean(inside)
				require.True(t, beside || inside == folder || allows(mayImport[rule], inside), "%s imports %s: expected one of %v", folder, inside, mayImport[rule])
				continue
			}
			for library, home := range onlyIn {
				if strings.HasPrefix(name+"/", library) && !beside && folder != "cmd/caddy" {
					require.True(t, within(folder, home), "%s imports %s, which belongs to %s alone", folder, name, home)
				}
			}
		}
	}
}

// ruleOf is the key of mayImport that the folder follows, or the program of its own that it belongs to.
func ruleOf(folder string) (rule string, beside bool) {
	for rule = folder; mayImport[rule] == nil && rule != "." && !slices.Contains(programsOfTheirOwn, rule); {
		rule = path.Dir(rule)
	}
	return rule, slices.Contains(programsOfTheirOwn, rule)
}

// TestGoroutinesOutlivePanics holds that whatever runs beside requests is begun by [aside], which
// outlives a panic in it. Anywhere else it would end Caddy with all its sites.
func TestGoroutinesOutlivePanics(t *testing.T) {
	guarded := func(f ast.Expr) (found bool) {
		literal, is := f.(*ast.FuncLit)
		if !is {
			return false
		}
		for _, statement := range literal.Body.List {
			ast.Inspect(statement, func(n ast.Node) bool {
				if _, inner := n.(*ast.FuncLit); inner {
					return false
				}
				if call, is := n.(*ast.SelectorExpr); is {
					name, is := call.X.(*ast.Ident)
					found = found || is && name.Name == "aside"
				}
				return true
			})
		}
		return found
	}
	goroutines := 0
	eachProgram(t, 0, func(name string, files *token.FileSet, parsed *ast.File) {
		folder := path.Dir(name)
		if folder == "backend/aside" || strings.HasSuffix(folder, "test") || !slices.ContainsFunc([]string{"backend", "edge", "caddymodule", "snippet"}, func(tree string) bool { return within(folder, tree) }) {
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: begin the goroutine with aside.Go", files.Position(n.Pos()))
			case *ast.CallExpr:
				called, is := n.Fun.(*ast.SelectorExpr)
				if !is || called.Sel.Name != "Go" && called.Sel.Name != "AfterFunc" {
					break
				}
				goroutines++
				if of, is := called.X.(*ast.Ident); is && (of.Name == "aside" || of.Name == "context") {
					break
				}
				if !guarded(n.Args[len(n.Args)-1]) {
					t.Errorf("%s: what runs beside all else has to be run by aside.Do or aside.Keep", files.Position(n.Pos()))
				}
			}
			return true
		})
	})
	require.NotZero(t, goroutines)
}

func TestPackageNames(t *testing.T) {
	for folder := range importsByFolder(t) {
		require.NotContains(t, []string{"util", "utils", "common", "helpers", "models"}, path.Base(folder), folder)
	}
}

// TestVersions holds together what names the version of Caddy.
func TestVersions(t *testing.T) {
	file, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^\s*(?:require )?github\.com/caddyserver/caddy/v2 (v\S+)`).FindSubmatch(file)
	require.NotNil(t, required, "go.mod requires Caddy")
	for _, name := range []string{"xcaddy.Dockerfile", "docs/hosting.md"} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		built := regexp.MustCompile(`xcaddy build (v\S+)`).FindSubmatch(content)
		require.NotNil(t, built, "%s pins Caddy", name)
		require.Equal(t, string(required[1]), string(built[1]), name)
	}
	require.NotRegexp(t, `(?m)^\s*replace\b`, string(file), "those who build with xcaddy do not get replacements")
}

// importsByFolder are the imports of all programs, tests left out.
func importsByFolder(t *testing.T) map[string][]string {
	t.Helper()
	imports := make(map[string][]string)
	eachProgram(t, parser.ImportsOnly, func(name string, _ *token.FileSet, parsed *ast.File) {
		folder := path.Dir(name)
		if imports[folder] == nil {
			imports[folder] = []string{}
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			imports[folder] = append(imports[folder], imported)
		}
	})
	return imports
}

// eachProgram parses all programs, tests left out.
func eachProgram(t *testing.T, mode parser.Mode, do func(name string, files *token.FileSet, parsed *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != "."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, name, nil, mode)
		if err != nil {
			return err
		}
		do(filepath.ToSlash(name), files, parsed)
		return nil
	})
	require.NoError(t, err)
}

func allows(rules []string, folder string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		if tree, ok := strings.CutSuffix(rule, "/..."); ok {
			return within(folder, tree)
		}
		return folder == rule
	})
}

func within(folder, tree string) bool { return folder == tree || strings.HasPrefix(folder, tree+"/") }
