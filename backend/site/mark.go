package site

// mark shows whether sites have been added, changed or removed: ids are used once, and versions only grow.
type mark struct{ sites, newest, changes int64 }

func markOf(sites map[string]Site) (m mark) {
	for _, site := range sites {
		m.sites++
		m.newest = max(m.newest, site.ID)
		m.changes += site.Version
	}
	return m
}
