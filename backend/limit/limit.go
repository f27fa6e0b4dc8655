// Package limit bounds what a site may use of the installation, as whoever hosts it has configured. Above a limit, the
// site's pages go on as if nothing were in front of them. What was refused is counted and told.
package limit

import (
	"fmt"
	"math"
)

// Kind is what a limit is of.
type Kind int

// The kinds.
const (
	Views     Kind = iota // page views that are stored on a day (UTC)
	Leads                 // leads from forms, scripts and servers on a day
	Chats                 // conversations that are open at once
	Streams               // open streams of visitors at once, on each node
	Disk                  // bytes that are stored
	Mails                 // mails on a day: news of the site and letters to its visitors
	Callbacks             // callbacks that visitors have asked for on a day
	kinds
)

// Kinds are all kinds.
var Kinds = []Kind{Views, Leads, Chats, Streams, Disk, Mails, Callbacks}

var names = [kinds]string{"views", "leads", "chats", "streams", "disk", "mails", "callbacks"}

// String returns the name of the kind, as configurations have it.
func (k Kind) String() string { return names[k] }

// KindOf returns the kind of the name.
func KindOf(name string) (k Kind, known bool) {
	for _, k := range Kinds {
		if names[k] == name {
			return k, true
		}
	}
	return 0, false
}

// IsDaily says whether the limit is of what happens on a day. Others are of what there is at a moment.
func (k Kind) IsDaily() bool {
	switch k {
	case Chats, Streams, Disk:
		return false
	}
	return true
}

// Limits are those of a site. What is nil has none.
type Limits struct {
	// How many page views of the site are stored on a day (UTC).
	Views *int64 `json:"views,omitempty"`

	// How many leads are taken on a day from its forms, its script and its servers.
	Leads *int64 `json:"leads,omitempty"`

	// How many conversations with its visitors may be open at once.
	Chats *int64 `json:"chats,omitempty"`

	// How many streams its visitors may have open at once, on each node.
	Streams *int64 `json:"streams,omitempty"`

	// How many bytes of texts, numbers and files are stored of it.
	Disk *int64 `json:"disk,omitempty"`

	// How many mails are sent on a day: news of the site, and letters to its visitors.
	Mails *int64 `json:"mails,omitempty"`

	// How many callbacks its visitors may ask for on a day.
	Callbacks *int64 `json:"callbacks,omitempty"`
}

// of returns the place of a kind.
func (l *Limits) of(k Kind) **int64 {
	return [kinds]**int64{&l.Views, &l.Leads, &l.Chats, &l.Streams, &l.Disk, &l.Mails, &l.Callbacks}[k]
}

// Set sets the limit of a kind. It returns an error for less than 1.
func (l *Limits) Set(k Kind, most int64) error {
	*l.of(k) = &most
	return l.Check()
}

// Has says whether there is a limit of the kind.
func (l *Limits) Has(k Kind) bool { return l != nil && *l.of(k) != nil }

// Check returns an error that says what was expected.
func (l *Limits) Check() error {
	if l == nil {
		return nil
	}
	for _, k := range Kinds {
		if most := *l.of(k); most != nil && (*most < 1 || *most > math.MaxInt64/2) {
			return fmt.Errorf("limits: %s %d: expected 1 or more; leave it out for no limit", k, *most)
		}
	}
	return nil
}

// Over returns the limits, and takes missing ones from the defaults.
func (l *Limits) Over(defaults *Limits) *Limits {
	if l == nil {
		return defaults
	}
	if defaults == nil {
		return l
	}
	whole := *l
	for _, k := range Kinds {
		if !whole.Has(k) {
			*whole.of(k) = *defaults.of(k)
		}
	}
	return &whole
}

// table returns the limits by kind, with 0 for none.
func (l *Limits) table() (most [kinds]int64) {
	for _, k := range Kinds {
		if l.Has(k) {
			most[k] = **l.of(k)
		}
	}
	return most
}
