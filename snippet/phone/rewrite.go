package phone

// Rewrite reads a whole value and appends it to dst, with its numbers replaced. changed says whether any number was
// replaced.
func (m *Matcher) Rewrite(dst, value []byte, kind ValueKind) (rewritten []byte, changed bool) {
	m.Reset(kind)
	done := 0
	for _, matches := range [...]func() []Match{
		func() []Match { return m.Text(0, value) },
		m.Break,
	} {
		for _, match := range matches() {
			for _, e := range match.Edits {
				dst = append(dst, value[done:e.Start]...)
				dst = append(dst, e.Text...)
				done, changed = int(e.End), true
			}
		}
	}
	return append(dst, value[done:]...), changed
}
