package phone

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"

	"github.com/stretchr/testify/require"
)

// A number for which none is shown is not searched: it is not found and hides no other. A form that it shares with
// another number belongs to that one.
func TestNumbersThatAreNotShown(t *testing.T) {
	v, sets := readVectors(t)
	all := []pair{{"14951234567", "14957654321"}, {"4951234567", "4957654321"}}
	for _, numbers := range v.Sets {
		for _, n := range numbers {
			if n.Number != all[0].old && n.Number != all[1].old {
				all = append(all, pair{n.Number, n.Replacement})
			}
		}
	}
	for i := len(all) - 1; i > 1; i-- { // a number may be in several sets
		for k := range i {
			if all[k].old == all[i].old {
				all = append(all[:i], all[i+1:]...)
				break
			}
		}
	}
	whole, err := compilePairs(all)
	require.NoError(t, err)
	for name, numbers := range v.Sets {
		t.Run(name, func(t *testing.T) {
			some := &replacing{whole.Set, make(Shown, len(all))}
			index := make([]int, len(numbers)) // index of each of the set's numbers among all
			for i, n := range numbers {
				for k := range all {
					if all[k].old == n.Number {
						index[i], some.shown[k] = k, sets[name].shown[i]
					}
				}
			}
			for i := range numbers {
				require.Equal(t, sets[name].script(i), some.script(index[i]))
			}
			for _, c := range v.Cases {
				charset, text := c.encode(t, c.Text)
				want := newPage(sets[name].NewMatcher(charset), text, 1).run(t, c.kind())
				require.Equal(t, want, newPage(some.NewMatcher(charset), text, 1).run(t, c.kind()), c.Name)
			}
		})
	}
}

// A new matcher finds all numbers and changes none.
func TestNothingIsShownUntilItIsTold(t *testing.T) {
	s, err := Compile([]string{"74951234567", "442079460018"})
	require.NoError(t, err)
	m := s.NewMatcher(char.UTF8)
	text := []byte("8 (495) 123-45-67, 020 7946 0018.")
	found := append(append([]Match(nil), m.Text(0, text)...), m.Break()...)
	require.Len(t, found, 2)
	require.Empty(t, found[0].Edits)
	require.Empty(t, found[1].Edits)
	m.Show(nil)
	m.Reset(Text)
	require.Empty(t, append(m.Text(0, text), m.Break()...))
}
