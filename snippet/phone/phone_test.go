package phone

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

func TestCompileRefuses(t *testing.T) {
	good := pair{"74951234567", "74957654321"}
	for name, c := range map[string]struct {
		numbers []pair
		want    error
		word    string
	}{
		"a written number":      {[]pair{{"+7 495 123-45-67", "74957654321"}}, plan.ErrNotDigits, "number"},
		"a written replacement": {[]pair{{"74951234567", "8 (495) 765-43-21"}}, plan.ErrNotDigits, "replacement"},
		"nothing":               {[]pair{{"", "74957654321"}}, plan.ErrNotNumber, "number"},
		"a short number":        {[]pair{{"112", "74957654321"}}, plan.ErrNotNumber, "number"},
		"a short replacement":   {[]pair{{"74951234567", "0530"}}, plan.ErrNotNumber, "replacement"},
		"a local number":        {[]pair{{"1234567", "74957654321"}}, plan.ErrNotNumber, "number"},
		"a number too long":     {[]pair{{"7495123456789012345", "74957654321"}}, plan.ErrNotNumber, "number"},
		"a trunk prefix within": {[]pair{{"4402079460018", "442079460999"}}, plan.ErrNotNumber, "number"},
		"a number twice":        {[]pair{good, good}, ErrTwice, "number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compilePairs(c.numbers)
			require.ErrorIs(t, err, c.want)
			require.True(t, strings.HasPrefix(err.Error(), c.word+" "), err.Error())
		})
	}
}

func TestEmptySetFindsNothing(t *testing.T) {
	s, err := Compile(nil)
	require.NoError(t, err)
	require.Zero(t, s.Len())
	text := "+7 (495) 123-45-67 &#43;7 ٠٤ 1 (2"
	out, changed := s.NewMatcher(char.UTF8).Rewrite(nil, []byte(text), Text)
	require.False(t, changed)
	require.Equal(t, text, string(out))
}

func TestMatchTellsTheWriting(t *testing.T) {
	s, err := compilePairs([]pair{{"442079460018", "442079460999"}, {"74951234567", "442079460999"}})
	require.NoError(t, err)
	require.Equal(t, 2, s.Len())
	for text, want := range map[string]Match{
		"a (+44 20) 7946 0018.":  {Start: 2, End: 20, Form: plan.International, Plus: true, Poured: true},
		"a 442079460018.":        {Start: 2, End: 14, Form: plan.International, Poured: true},
		"a (020) 7946 0018.":     {Start: 2, End: 17, Form: plan.Trunk, Poured: true},
		"a (020 7946 0018).":     {Start: 3, End: 16, Form: plan.Trunk, Poured: true},
		"a 20 7946 0018.":        {Start: 2, End: 14, Form: plan.National, Poured: true},
		"a 0044 20 7946 0018.":   {Start: 2, End: 19, Form: plan.Dialled, Poured: true},
		"a +44 (0)20 7946 0018.": {Start: 2, End: 21, Form: plan.CountryTrunk, Plus: true, Poured: true},
		"a 8 495 1234567.":       {Start: 2, End: 15, Number: 1, Form: plan.Trunk},
	} {
		m := s.NewMatcher(char.UTF8)
		matches := append([]Match(nil), m.Text(0, []byte(text))...)
		matches = append(matches, m.Break()...)
		require.Len(t, matches, 1, text)
		require.NotEmpty(t, matches[0].Edits)
		matches[0].Edits = nil
		require.Equal(t, want, matches[0], text)
		require.Equal(t, "442079460999", s.shown[want.Number].Digits())
	}
}

// If two numbers share a form without a plus sign, it means the number whose international form it is, or none.
func TestSharedDigits(t *testing.T) {
	s, err := compilePairs([]pair{
		{"74951234567", "74957654321"}, // its national form is the next number
		{"4951234567", "4957654321"},
		{"14951234567", "14957654321"}, // shares the national form with the first
	})
	require.NoError(t, err)
	for text, want := range map[string]string{
		"8 495 123-45-67":  "8 495 765-43-21",
		"+49 51234567":     "+49 57654321",
		"4951234567":       "4957654321",
		"+1 495 123 45 67": "+1 495 765 43 21",
	} {
		out, _ := s.NewMatcher(char.UTF8).Rewrite(nil, []byte(text), Text)
		require.Equal(t, want, string(out))
	}
	s, err = compilePairs([]pair{{"74951234567", "74957654321"}, {"14951234567", "12125559876"}})
	require.NoError(t, err)
	_, changed := s.NewMatcher(char.UTF8).Rewrite(nil, []byte("495 123-45-67"), Text)
	require.False(t, changed)
}

func TestBreakParts(t *testing.T) {
	s, err := compilePairs([]pair{{"74951234567", "74957654321"}})
	require.NoError(t, err)
	m := s.NewMatcher(char.UTF8)
	require.Empty(t, m.Text(0, []byte("8 (495) ")))
	require.Empty(t, m.Break())
	require.Empty(t, m.Text(20, []byte("123-45-67")))
	require.Empty(t, m.Break())
	// Digits of another block do not matter.
	require.Empty(t, m.Text(40, []byte("12")))
	require.Empty(t, m.Break())
	require.Empty(t, m.Text(60, []byte("84951234567")))
	require.Len(t, m.Break(), 1)
}

func TestMarkupWithoutEndIsBounded(t *testing.T) {
	s, err := compilePairs([]pair{{"74951234567", "74957654321"}})
	require.NoError(t, err)
	m := s.NewMatcher(char.UTF8)
	at := int64(0)
	for range 10 * maxCuts {
		m.Text(at, []byte(" "))
		m.Text(at+1, []byte("1"))
		m.Inline()
		at += 10
		held, _ := m.Held()
		require.Less(t, at-held, int64(20*(maxCuts+1)))
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	s, err := compilePairs([]pair{{"74951234567", "74957654321"}, {"78005553535", "442079460018"}})
	require.NoError(t, err)
	m := s.NewMatcher(char.UTF8)
	text := []byte(strings.Repeat("call +7 (495) 123-45-67 or 8&nbsp;800&nbsp;555-35-35 since 1994, ", 50))
	found := 0
	read := func() {
		m.Reset(Text)
		found = len(m.Text(0, text)) + len(m.Break())
	}
	read()
	require.Equal(t, 100, found)
	require.Zero(t, testing.AllocsPerRun(20, read))
}

func TestCharsetOf(t *testing.T) {
	for label, want := range map[string]bool{
		"utf-8": true, "UTF8": true, "windows-1251": true, "cp1251": true, "koi8-r": true, "latin1": true, "shift_jis": true,
		"gb18030": true, "utf-16": false, "utf-16be": false, "utf-7": false, "": false, "iso-2022-kr": false, "iso-2022-jp": false,
	} {
		_, ok := char.CharsetOf(label)
		require.Equal(t, want, ok, label)
	}
	c, _ := char.CharsetOf("windows-1251")
	require.Equal(t, char.Space, c.Kinds[0xA0])
	require.Equal(t, char.Dash, c.Kinds[0x96])
	c, _ = char.CharsetOf("koi8-r")
	require.Equal(t, char.Space, c.Kinds[0x9A])
}
