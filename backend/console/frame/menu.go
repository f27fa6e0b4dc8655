package frame

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// MenuEntry is a line of the menu.
type MenuEntry struct {
	Link, Icon string
	Title      string   // name of the words
	Pages      []string // on which it is the one that is looked at
	Admin      bool     // it is for admins alone
	Reader     bool     // it is for analysts too
	// Class tells at which widths it is shown: not-small, only-small, or all of them. AdminClass is for admins, if it is
	// not empty.
	Class, AdminClass string
	// Badge is the id of the element that says how much there is to do; empty for none. Count counts that, and News are
	// the name of the words of what announces more.
	Badge, News string
	Count       func(ctx context.Context, p *Page) (int, error)
}

// menuLine is an entry as a page shows it.
type menuLine struct {
	MenuEntry
	Here  bool
	Shown string // class
}

// menuOf is the menu of the page.
func (f *Frame) menuOf(p Page) (menu []menuLine) {
	admin := p.Operator.Role == operator.Admin
	reader := p.Operator.ID != 0 && !p.SeesPersons() // while the database is away, nobody knows who it is
	for _, room := range f.rooms {
		for _, e := range room.Menu {
			if e.Admin && !admin || !e.Reader && reader {
				continue
			}
			shown := menuLine{MenuEntry: e, Here: slices.Contains(e.Pages, p.Page), Shown: e.Class}
			if admin && e.AdminClass != "" {
				shown.Shown = e.AdminClass
			}
			menu = append(menu, shown)
		}
	}
	return menu
}

// helpOf is where the documentation tells of the page.
func (f *Frame) helpOf(page string) string {
	for _, room := range f.rooms {
		if to := room.Help[page]; to != "" {
			return to
		}
	}
	return ""
}

// count counts what there is to do, for the badges.
func (f *Frame) count(ctx context.Context, p *Page) error {
	for _, l := range p.Menu {
		if l.Count == nil {
			continue
		}
		n, err := l.Count(ctx, p)
		if err != nil {
			return err
		}
		p.Counts[l.Badge] = n
	}
	return nil
}

// Once is what is asked for at most once while a page is made, whoever needs it.
type Once[T any] struct {
	ask func(ctx context.Context, p *Page) (T, error)
}

// AskOnce is what the function asks for.
func AskOnce[T any](ask func(ctx context.Context, p *Page) (T, error)) *Once[T] {
	return &Once[T]{ask}
}

// Of is what there is for the page.
func (o *Once[T]) Of(ctx context.Context, p *Page) (answer T, err error) {
	if known, asked := p.asked[o]; asked {
		return known.(T), nil
	}
	if answer, err = o.ask(ctx, p); err == nil {
		p.asked[o] = answer
	}
	return answer, err
}
