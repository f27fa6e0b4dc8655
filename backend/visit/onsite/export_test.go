package onsite

// StorePresence writes the gathered reports of pages at once.
func (o *Visitors) StorePresence() error { return o.gathered.store(o) }
