package weave_test

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// Rules are compiled once for a site. What replaces the numbers is each visitor's own.
func ExampleReplacer() {
	set, err := phone.Compile([]string{"74951234567"})
	if err != nil {
		panic(err)
	}
	rules, err := weave.Compile(set, []weave.Number{{Targets: []string{"#callme"}}}, false)
	if err != nil {
		panic(err)
	}
	tracking, err := plan.Parse("74957654321")
	if err != nil {
		panic(err)
	}
	z := rules.NewReplacer()
	z.Reset(char.UTF8, weave.Shown{{Number: tracking}})
	var out []byte
	for _, piece := range []string{`<p>8&nbsp;(495) <b>123-4`, `5-67</b>, order 84951234567890</p><a id=callme>Call us</a>`} {
		out = z.Append(out, []byte(piece))
	}
	fmt.Printf("%s\n", z.Finish(out))
	// Output:
	// <p>8&nbsp;(495) <b>765-43-21</b>, order 84951234567890</p><a id=callme>+7 495 765-43-21</a>
}
