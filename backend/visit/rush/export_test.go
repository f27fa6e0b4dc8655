package rush

// Sites is of how many sites something is under way.
func (l *Lines) Sites() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sites)
}
