package phone_test

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// A scanner gives text with its offsets in the page, says where markup stands, and applies the edits to bytes that it
// still holds.
func ExampleMatcher() {
	set, err := phone.Compile([]string{"74951234567"})
	if err != nil {
		panic(err)
	}
	fresh, err := plan.Parse("74957654321")
	if err != nil {
		panic(err)
	}
	page := []byte("<p>Call 8 (495) <b>123-45-67</b></p>")
	apply := func(matches []phone.Match) {
		for _, match := range matches {
			for _, e := range match.Edits {
				copy(page[e.Start:e.End], e.Text) // poured: the length stays the same
			}
		}
	}

	m := set.NewMatcher(char.UTF8)
	m.Show(phone.Shown{fresh})
	apply(m.Text(3, page[3:16])) // "Call 8 (495) "
	apply(m.Inline())            // <b>
	at, held := m.Held()
	fmt.Println(at, held)
	apply(m.Text(19, page[19:28])) // "123-45-67"
	apply(m.Inline())              // </b>
	apply(m.Break())               // </p>
	fmt.Println(string(page))
	// Output:
	// 8 true
	// <p>Call 8 (495) <b>765-43-21</b></p>
}

func ExampleMatcher_Rewrite() {
	set, err := phone.Compile([]string{"74951234567"})
	if err != nil {
		panic(err)
	}
	fresh, err := plan.Parse("442079460018")
	if err != nil {
		panic(err)
	}
	m := set.NewMatcher(char.UTF8)
	m.Show(phone.Shown{fresh})
	href, _ := m.Rewrite(nil, []byte("tel:8(495)123-45-67"), phone.Link)
	alt, _ := m.Rewrite(nil, []byte("Our number: 8&nbsp;(495)&nbsp;123-45-67"), phone.Text)
	fmt.Printf("%s\n%s\n", href, alt)
	// Output:
	// tel:+442079460018
	// Our number: +44&nbsp;20&nbsp;7946&nbsp;0018
}
