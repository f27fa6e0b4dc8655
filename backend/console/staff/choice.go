package staff

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// siteChoice is which sites an account or a token is to see, as a form has it.
type siteChoice struct {
	All    bool // may be chosen
	Chosen scope.Sites
	Sites  []siteOption
	Typed  bool   // their hosts are typed, because there are too many to offer
	Hosts  string // those that were typed, or are chosen, each on a line of its own
}

type siteOption struct {
	ID     int64
	Key    string
	Chosen bool
}

// choose offers the sites that the admin sees.
func choose(f frame.Page, chosen scope.Sites) siteChoice {
	choice := siteChoice{All: f.Operator.Sites.All(), Chosen: chosen, Typed: f.ManySites()}
	for _, s := range f.Sites {
		has := !chosen.All() && chosen.Has(s.ID)
		switch {
		case !choice.Typed:
			choice.Sites = append(choice.Sites, siteOption{s.ID, s.Key, has})
		case has:
			choice.Hosts += words.Host(s.Key) + "\n"
		}
	}
	return choice
}

// keep leaves in the field what was typed.
func (choice siteChoice) keep(r *http.Request) siteChoice {
	if r.PostForm.Has("hosts") {
		choice.Hosts = r.PostFormValue("hosts")
	}
	return choice
}

// chosenSites are those that the form names, of the sites that the admin sees. If a host of no such site was typed, the problem says which.
func chosenSites(r *http.Request, f frame.Page) (chosen scope.Sites, problem string) {
	if r.PostFormValue("all") == "true" {
		return scope.All(), ""
	}
	named := make(map[int64]bool)
	for _, text := range r.PostForm["sites"] {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			named[id] = true
		}
	}
	hosts := make(map[string]int64)
	for _, s := range f.Sites {
		hosts[strings.ToLower(words.Host(s.Key))], hosts[s.Key] = s.ID, s.ID
	}
	for host := range strings.FieldsFuncSeq(r.PostFormValue("hosts"), func(c rune) bool { return c == ',' || c == ';' || c <= ' ' }) {
		id, found := hosts[strings.ToLower(host)]
		if !found {
			return scope.Sites{}, f.Words.Text("filter.noSite", "host", host)
		}
		named[id] = true
	}
	var ids []int64
	for _, s := range f.Sites {
		if named[s.ID] {
			ids = append(ids, s.ID)
		}
	}
	return scope.Of(ids...), ""
}
