package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// rulesSource is the source that rules writes.
const rulesSource = "numbers/rules.ts"

// rules is the source of what the script has to know as the server does: it is written
// from the server's own tables.
func rules() []byte {
	var b bytes.Buffer
	numbers := phone.RulesOfScript()
	b.WriteString("// Written by snippet/browser/build from the tables of snippet/phone and snippet/weave: change them there.\n")

	// esbuild writes into its places what stands before all that is no number or text.
	b.WriteString("\n/** Stands in a text for inline markup. */\nexport const mark = '\\0';\n")
	for _, limit := range numbers.Limits {
		fmt.Fprintf(&b, "\n/** %s */\nexport const %s = %d;\n", limit.About, limit.Name, limit.Value)
	}
	fmt.Fprintf(&b, "\n/** They announce a figure that is no telephone number. */\nexport const otherNames =\n  '%s';\n", numbers.OtherNames)
	fmt.Fprintf(&b, "\n/** They follow a price. */\nexport const currencies =\n  '%s';\n", numbers.Currencies)
	fmt.Fprintf(&b, "\n/** They begin a further number that is dialled afterwards. */\nexport const extensions = '%s';\n", numbers.Extensions)
	fmt.Fprintf(&b, "\n/** The scripts from here on are written without spaces between words. */\nexport const firstUnspaced = '%s';\n", escaped(numbers.FirstUnspaced))
	fmt.Fprintf(&b, "\n/** Characters that may stand before the first digit, for the brackets of a regular expression. */\nexport const leading = '%s';\n", ranges(numbers.Leading))

	b.WriteString("\n/** Which digits of a number are written: see docs/numbers.md. */\nexport const enum Form {\n")
	for _, name := range numbers.Forms {
		fmt.Fprintf(&b, "  %s,\n", name)
	}
	b.WriteString("}\n\n/** What a character is to a writing. Those that may stand between two digits are bits, so that a gap is a sum of them. */\n" +
		"export const enum Kind {\n  Other = 0,\n")
	for _, g := range numbers.Gaps {
		if g.About != "" {
			fmt.Fprintf(&b, "  /** %s */\n", g.About)
		}
		fmt.Fprintf(&b, "  %s = %d,\n", g.Name, g.Bits)
	}
	b.WriteString("  Figure = 32768,\n}\n\nexport const kinds: [Kind, RegExp][] = [\n  [Kind.Tag, /\\0/],\n")
	for _, g := range numbers.Gaps {
		if len(g.Characters) > 0 {
			fmt.Fprintf(&b, "  [Kind.%s, /[%s]/],\n", g.Name, ranges(g.Characters))
		}
	}
	b.WriteString("];\n\n/** The zeros of the scripts whose digits are read; the nine others follow each. */\nexport const zeros = [")
	for i, zero := range numbers.Zeros {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%#x", zero)
	}
	fmt.Fprintf(&b, "];\n\n/** Signs of prices. */\nexport const currencySign = /[\\p{Sc}%s]/u;\n", ranges([]rune(numbers.CurrencySigns)))
	fmt.Fprintf(&b, "\n/** Elements at whose tags a line ends. */\nexport const breaking = /* @__PURE__ */ new Set(\n  /* @__PURE__ */ '%s'.split(' '),\n);\n", strings.Join(token.Names(token.Breaks), " "))
	var onWeb, others []string
	for _, address := range link.Messengers {
		if path, found := strings.CutPrefix(address, "//"); found {
			onWeb = append(onWeb, literal(path))
		} else {
			others = append(others, literal(address))
		}
	}
	schemes := slices.Concat(link.Calls[:], link.Texts[:])
	fmt.Fprintf(&b, "\n/** Links that call or write to a number: the first group leads to it, the second is it. */\nexport const links =\n  /^(\\s*(?:%s|(?:https?:)?\\/\\/(?:%s)|%s))([^?&]*)/i;\n",
		strings.Join(schemes, "|"), strings.Join(onWeb, "|"), strings.Join(others, "|"))
	fmt.Fprintf(&b, "\n/** What leads to a number that a link calls. */\nexport const calls = /^\\s*(?:%s)$/i;\n", strings.Join(link.Calls[:], "|"))
	var selectors []string
	for _, part := range slices.Concat(schemes, link.Messengers[:]) {
		if selector := fmt.Sprintf(`[href*="%s" i]`, part[max(0, len(part)-linkEnd):]); !slices.Contains(selectors, selector) {
			selectors = append(selectors, selector)
		}
	}
	fmt.Fprintf(&b, "\n/** Elements that have such links, and few others. */\nexport const linked =\n  '%s';\n", strings.Join(selectors, ","))
	return b.Bytes()
}

// linkEnd is how much of what leads to a number tells it from most other addresses.
const linkEnd = 6

// ranges writes characters, which are in order, as they stand in the brackets of a
// regular expression.
func ranges(characters []rune) string {
	var b strings.Builder
	for i := 0; i < len(characters); {
		k := i
		for k+1 < len(characters) && characters[k+1] == characters[k]+1 {
			k++
		}
		b.WriteString(escaped(characters[i]))
		switch {
		case k > i+1:
			b.WriteString("-" + escaped(characters[k]))
		case k > i:
			b.WriteString(escaped(characters[k]))
		}
		i = k + 1
	}
	return b.String()
}

func escaped(char rune) string {
	switch {
	case strings.ContainsRune(`-\]^`, char):
		return `\` + string(char)
	case char >= ' ' && char < 0x7f:
		return string(char)
	case char < 0x100:
		return fmt.Sprintf(`\x%02x`, char)
	case char < 0x10000:
		return fmt.Sprintf(`\u%04x`, char)
	}
	high, low := utf16.EncodeRune(char)
	return escaped(high) + escaped(low)
}

// literal is a text as a regular expression that finds it.
func literal(text string) string {
	var b strings.Builder
	for _, char := range text {
		if strings.ContainsRune(`\^$.*+?()[]{}|/`, char) {
			b.WriteByte('\\')
		}
		b.WriteRune(char)
	}
	return b.String()
}
