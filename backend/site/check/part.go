package check

import "time"

// Name is that of a part of a site's installation.
type Name string

// The parts.
const (
	Page   Name = "page"   // a page has passed
	Code   Name = "code"   // a page has got the code
	Script Name = "script" // a browser has loaded the script
	Hit    Name = "hit"    // a visitor was counted
	Number Name = "number" // a number was replaced
	Form   Name = "form"   // a form has passed
	Call   Name = "call"   // a call was received
)

// State is how a part does.
type State string

// The states.
const (
	Well    State = "well"
	Old     State = "old"     // it was seen earlier
	Missing State = "missing" // it was not seen
	Unset   State = "unset"   // nothing is set up for it
)

// Advice is what to do about a part.
type Advice string

// The advice.
const (
	OpenPage       Advice = "open_page"       // open a page of the site: nothing has passed
	OpenBrowser    Advice = "open_browser"    // open one in a browser: only what is no page has passed
	FindCause      Advice = "find_cause"      // pages go out as the site sends them: look why, in [Check.Bare]
	OpenScript     Advice = "open_script"     // open the script's address: something else may answer there
	ScriptKept     Advice = "script_kept"     // visitors are counted: browsers may have kept the script
	Visit          Advice = "visit"           // open a page in a browser, and agree if the site asks for consent
	AddNumber      Advice = "add_number"      // no number is tracked: add one if calls are to tell where they came from
	CompareNumber  Advice = "compare_number"  // the tracked number stands on none of the pages seen: compare how they write it
	FollowCampaign Advice = "follow_campaign" // open a page by an address that a campaign is for
	SendForm       Advice = "send_form"       // send a form of the site
	NoCalls        Advice = "no_calls"        // nothing: no number is tracked, so no calls are expected
	CallNumber     Advice = "call_number"     // call a tracking number: the telephone platform may not report to this server
)

// Part is a part of the installation.
type Part struct {
	Name   Name
	State  State
	At     time.Time // when it was seen last; zero for never
	Advice Advice    // empty if nothing is to be done
	// Log is what to look for in the server's log; empty for nothing. What begins with [AccessLine] stands in the access log.
	Log string
}

// AccessLine begins the lines of the access log, which has to be switched on.
const AccessLine = "handled request"

// These bound for how long a part counts as at work that is not seen again. Some sites go weeks without a call.
const often, rarely = 7 * 24 * time.Hour, 30 * 24 * time.Hour

// state is that of a part that was seen at the time. It is unset if nothing is set up for it.
func state(at, now time.Time, lasting time.Duration, unset bool) State {
	switch {
	case !at.IsZero() && now.Sub(at) < lasting:
		return Well
	case unset:
		return Unset
	case !at.IsZero():
		return Old
	}
	return Missing
}

// parts are those of the site of the key, under whose prefix the server answers for it.
func parts(s seen, key, prefix string, now time.Time) []Part {
	access := func(path string) string { return AccessLine + " … " + path }
	shown := s.replaced
	if s.onPages && s.given.After(shown) { // the script shows it there
		shown = s.given
	}
	all := []Part{
		{Page, state(s.page, now, often, false), s.page, OpenPage, access(`"host":"` + key + `"`)},
		{Code, state(s.code, now, often, false), s.code, FindCause, "the settings of a site cannot be put into effect"},
		{Script, state(s.script, now, often, false), s.script, OpenScript, access(prefix + "svc.js")},
		{Hit, state(s.hit, now, often, false), s.hit, Visit, access(prefix + "v1/hit")},
		{Number, state(shown, now, rarely, !s.tracked), shown, FollowCampaign, "numbers of a visitor could not be chosen"},
		{Form, state(s.form, now, rarely, false), s.form, SendForm, "a form was not kept"},
		{Call, state(s.call, now, rarely, !s.tracked), s.call, CallNumber, "what a telephone platform tells could not be stored or looked up"},
	}
	for i := range all {
		switch p := &all[i]; {
		case p.State == Well:
			p.Advice, p.Log = "", ""
		case p.Name == Number && !s.tracked:
			p.Advice, p.Log = AddNumber, ""
		case p.Name == Number && !s.onPages:
			p.Advice = CompareNumber
		case p.Name == Call && !s.tracked:
			p.Advice, p.Log = NoCalls, ""
		case p.Name == Page && s.others:
			p.Advice = OpenBrowser
		case p.Name == Script && !s.hit.IsZero() && now.Sub(s.hit) < often:
			p.Advice = ScriptKept
		}
	}
	return all
}
