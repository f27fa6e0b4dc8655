package person

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// maxMarks bounds by how much a person is known.
const maxMarks = 100_000

// marks are those that the person is looked for by.
func (p *Persons) marks(ctx context.Context, s Sought) ([]trace.Mark, error) {
	marks := newMarks(s.Sites)
	var regions []string
	if len(s.Phones) > 0 {
		regions = p.regions(ctx)
	}
	for _, text := range s.Phones {
		typed := contact.Digits(text)
		if len(typed) < minDigits {
			return nil, ErrNobody
		}
		marks.add(trace.Mark{Kind: trace.Written, Text: typed})
		readings := []string{contact.ReadPhone(text, "").Digits, contact.ReadPhone("+"+typed, "").Digits}
		for _, region := range regions {
			readings = append(readings, contact.ReadPhone(text, region).Digits)
		}
		for _, digits := range readings {
			if digits == "" {
				continue
			}
			marks.add(trace.Mark{Kind: trace.Phone, Text: digits})
			for _, writing := range contact.Writings(digits) {
				if len(writing) >= minDigits {
					marks.add(trace.Mark{Kind: trace.Written, Text: writing})
				}
			}
		}
	}
	for _, address := range s.Emails {
		marks.add(trace.Mark{Kind: trace.Email, Text: lower(address)})
	}
	for _, v := range s.Visitors {
		if v.ID > 0 {
			marks.add(trace.Mark{Kind: trace.Visitor, SiteID: v.SiteID, ID: int64(v.ID)})
		}
	}
	if len(marks.list) == 0 {
		return nil, ErrNobody
	}
	return marks.list, nil
}

// name is the hash by which the person of these marks is noted.
func (p *Persons) name(marks []trace.Mark) string {
	var all []string
	for _, m := range marks {
		if m.Kind != trace.Written {
			all = append(all, fmt.Sprint(m.Kind, " ", m.SiteID, " ", m.ID, " ", m.Text))
		}
	}
	if all == nil {
		for _, m := range marks {
			all = append(all, m.Text)
		}
	}
	slices.Sort(all)
	return p.hash(strings.Join(all, "\n"))
}

// markSet are marks, each once.
type markSet struct {
	sites scope.Sites
	list  []trace.Mark
	at    map[trace.Mark]int // where each is, Named or not
}

func newMarks(sites scope.Sites) *markSet {
	return &markSet{sites: sites, at: make(map[trace.Mark]int)}
}

// has reports whether the mark is there, Named or not.
func (s *markSet) has(m trace.Mark) bool {
	m.Named = false
	_, has := s.at[m]
	return has
}

// add adds the mark. One that is the person's own is no more Named.
func (s *markSet) add(m trace.Mark) {
	key := m
	key.Named = false
	if at, has := s.at[key]; has {
		s.list[at].Named = s.list[at].Named && m.Named
		return
	}
	if len(s.list) >= maxMarks || m.Text == "" && !s.sites.Has(m.SiteID) {
		return
	}
	s.at[key] = len(s.list)
	s.list = append(s.list, m)
}

// follow adds all marks to which these lead. What only names the person leads to what it is one with, as merged leads are.
func (p *Persons) follow(ctx context.Context, sites scope.Sites, from []trace.Mark) ([]trace.Mark, error) {
	marks := newMarks(sites)
	for _, m := range from {
		marks.add(m)
	}
	for i := 0; i < len(marks.list); i++ {
		for _, s := range p.subjects {
			if s.Find == nil {
				continue
			}
			found, err := s.Find(ctx, p.db.Read(), marks.list[i])
			if err != nil {
				return nil, err
			}
			for _, next := range found {
				if from := marks.list[i]; from.Named {
					if next.Kind != from.Kind {
						continue
					}
					next.Named = true
				}
				marks.add(next)
			}
		}
	}
	return marks.list, nil
}
