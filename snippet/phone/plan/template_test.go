package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ digits, template, want string }{
		{"74957654321", "+7 ({area}) {rest}", "+7 (495) 765-43-21"},
		{"74957654321", "+{country}-{area}-{rest}", "+7-495-765-43-21"},
		{"74957654321", "8 {area} {rest}", "8 495 765-43-21"},
		{"74957654321", "({area}) {rest}", "(495) 765-43-21"},
		{"74957654321", "8-{rest}", "8-495 765-43-21"},
		{"74957654321", "{national}", "8 (495) 765-43-21"},
		{"74957654321", "{international}", "+7 495 765-43-21"},
		{"78007654321", "8 ({area}) {rest}", "8 (800) 765-43-21"},
		{"78007654321", "8 {rest}", "8 800 765-43-21"},
		{"73812654321", "+7 ({area}) {rest}", "+7 (381) 265-43-21"},
		{"73812654321", "+7 (3812) {rest}", "+7 (3812) 65-43-21"},
		{"73812654321", "8 (3812) {rest}", "8 (3812) 65-43-21"},
		{"442079460018", "+{country} (0){area} {rest}", "+44 (0)20 7946 0018"},
		{"442079460018", "0{area} {rest}", "020 7946 0018"},
		{"12125559876", "({area}) {rest}", "(212) 555-9876"},
		{"12125559876", "+1 ({area}) {rest}", "+1 (212) 555-9876"},
		{"33142689876", "{national}", "01 42 68 98 76"},
		{"4930654321", "0{area}/{rest}", "030/654321"},
		{"74957654321", "", "+7 495 765-43-21"},
	} {
		n, err := plan.Parse(c.digits)
		require.NoError(t, err)
		written, err := n.By(c.template)
		require.NoError(t, err, c.template)
		require.Equal(t, c.want, written.Text(), c.template)
		require.Equal(t, c.digits, written.Digits())
		require.Empty(t, n.Templated(), "a number is shared: the template makes another")
	}
}

func TestWrongTemplates(t *testing.T) {
	n, err := plan.Parse("74957654321")
	require.NoError(t, err)
	for template, want := range map[string]string{
		"+7 ({code}) {rest}":        "expected {country}, {area}, {rest}, {national} or {international} in braces",
		"+7 ({area} {rest":          "expected {country}, {area}, {rest}, {national} or {international} in braces",
		"+7 ({area}) rest":          "expected digits, spaces and + - ( ) . / around what is in braces",
		"тел. {international}":      "expected digits, spaces and + - ( ) . / around what is in braces",
		"+7 ({area})":               "expected {rest}, {national} or {international} in it, and at most 64 characters",
		"+1 ({area}) {rest}":        `it makes "+1 (495) 765-43-21" of +7 495 765-43-21, which is another number`,
		"+8 {area} {rest}":          `it makes "+8 495 765-43-21" of +7 495 765-43-21, which is another number`,
		"8 (499) {rest}":            `it makes "8 (499) " of +7 495 765-43-21, which is another number`,
		"{area} {area} {rest}":      `it makes "495 495 765-43-21" of +7 495 765-43-21, which is another number`,
		"{national} {rest}":         `it makes "8 (495) 765-43-21 " of +7 495 765-43-21: expected +, ( or a digit first, a digit last, and at most 64 characters`,
		"+7 ({area}) {rest} -":      `it makes "+7 (495) 765-43-21 -" of +7 495 765-43-21: expected +, ( or a digit first, a digit last, and at most 64 characters`,
		"{country} + {area} {rest}": `it makes "7 + 495 765-43-21" of +7 495 765-43-21, which is another number`,
	} {
		_, err := n.By(template)
		require.Error(t, err, template)
		require.EqualError(t, err, want)
	}
	faroese, err := plan.Parse("298204321")
	require.NoError(t, err)
	_, err = faroese.By("+298 ({area}) {rest}")
	require.EqualError(t, err, "{area} is not known of +298 204321: expected its digits, or {national}")
	written, err := faroese.By("+298 {rest}")
	require.NoError(t, err)
	require.Equal(t, "+298 204321", written.Text())
}
