package visit

// StorePresence writes the gathered reports of pages at once.
func (v *Visits) StorePresence() error { return v.present.store(v) }
