package visit

// StorePresence writes at once what pages have said so far.
func (v *Visits) StorePresence() error { return v.present.store(v) }
