package page

import (
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/coding"
	"github.com/seed-3405227d/frontdesk/snippet/page/header"
	"github.com/seed-3405227d/frontdesk/snippet/page/outlet"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// begin decides by the headers.
func (w *writer) begin(status int) {
	w.status = status
	w.stage = passing
	h := w.rw.Header()
	candidate := false
	if !w.guard("judge", func() { candidate = w.judge(status, h) }) {
		candidate, w.Outcome = false, Failed
	}
	if !candidate {
		w.stage = passing
		w.sendHeader()
		return
	}
	if w.stage == discarding {
		header.DropBody(h)
		h.Del("Content-Length")
		h.Del("Content-Encoding")
		w.sendHeader()
	}
}

// judge says whether the page may be changed, and prepares for it.
func (w *writer) judge(status int, h http.Header) bool {
	contentType := header.Value(h, "Content-Type")
	isHTML, charset := header.ParseType(contentType)
	if isHTML || isData(w.request, contentType) {
		w.visit.recall(status)
	}
	data := !isHTML && w.visit.depends() && isData(w.request, contentType)
	if data && !w.visit.Shown.Replaces() {
		w.visit.limitCaches(h, false)
		data = false
	}
	if w.bypass != "" && !data && !(isHTML && w.visit.Shown.Replaces()) {
		if w.Outcome = w.bypass; isHTML {
			header.AddVary(h, "Sec-Fetch-Dest")
			w.visit.limitCaches(h, false)
		}
		return false
	}
	if status == http.StatusNotModified && w.mark(w.code, &w.visit.Shown).AnswerNotModified(w.asked, h) {
		w.visit.limitCaches(h, true)
	}
	if w.Outcome = judgeResponse(status, h); w.Outcome != "" {
		if status == http.StatusSwitchingProtocols {
			w.Outcome = Upgrade
		}
		if 300 < status && status < 400 && len(h["Location"]) > 0 && len(w.visit.SetCookies) > 0 {
			w.visit.limitCaches(h, true) // a visit that is led on remains one
		}
		return false
	}
	encoded, ok := coding.Of(h["Content-Encoding"])
	switch {
	case data:
		if !ok {
			w.Outcome = Encoding
			return false
		}
	case !isHTML:
		w.Outcome = NotHTML
		// As net/http does, an absent type is found out; a nil one is not.
		if _, typed := h["Content-Type"]; !typed && ok && encoded == "" && w.request.Method != http.MethodHead {
			w.stage = sniffing
			w.page, w.straight = takePage()
			return true
		}
		return false
	default:
		if !w.judgeDocument(h, charset, ok) {
			return false
		}
	}
	w.visit.limitCaches(h, true)
	if len(h["Etag"]) > 0 || len(h["Last-Modified"]) > 0 {
		w.mark(w.code, &w.visit.Shown).SuffixTag(status, h)
	}
	if w.request.Method == http.MethodHead {
		w.Outcome, w.stage = Head, discarding
		return true
	}
	w.expect(h, encoded, charset, data)
	return true
}

// expect begins to read a page that may be changed, or a framework's data. encoded is its content coding, or empty.
func (w *writer) expect(h http.Header, encoded, charset string, data bool) {
	w.length = -1
	if length := header.Value(h, "Content-Length"); length != "" && encoded == "" {
		if n, err := strconv.ParseInt(length, 10, 64); err == nil && n >= 0 {
			w.length = n
		}
	}
	if w.page == nil {
		w.page, w.straight = takePage()
	}
	if encoded != "" {
		// Where the page has begun to go out decoded, there has to be memory for the rest.
		w.decoder = coding.NewDecoder(encoded, func(bytes int) bool { return w.page.mayHold(bytes) || w.sent })
	}
	if data {
		w.Outcome, w.stage = Data, sending
		w.replaceBy(outlet.NewDataExchange(&w.visit.Shown, w.length, w.visit.Now))
		return
	}
	w.charset = charset
	w.page.finder.Reset(charset != "")
	if w.code.Supersedes() {
		w.page.finder.Supersede(w.code.Own())
	}
	if w.visit.Sample != nil {
		w.page.sample = []byte{}
	}
	if w.visit.Shown.Replaces() || w.visit.Arrive != nil {
		w.began = w.visit.Now()
	}
	w.stage = searching
}

// judgeDocument says whether a page may be changed; readable, whether its coding is known.
func (w *writer) judgeDocument(h http.Header, charset string, readable bool) bool {
	switch {
	case !readable:
		w.Outcome = Encoding
	case !head.Compatible(charset):
		w.Outcome = Charset
	default:
		w.policies = snippet.HeaderPolicies(h)
		if _, allowed := w.code.ChooseForm(w.policies, w.request.Host); !allowed && w.bypass == "" {
			w.bypass = CSP
			if !w.visit.Shown.Replaces() {
				w.Outcome = CSP
			}
		}
	}
	header.AddVary(h, "Sec-Fetch-Dest")
	if w.Outcome != "" {
		w.visit.limitCaches(h, true)
		return false
	}
	return true
}
