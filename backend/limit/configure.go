package limit

// Topic is the topic of [db.DB.Subscribe] for limits that a node has stored and that were others before.
const Topic = "limits"

// Configure says which limits this node's configuration has for the sites that it serves, by their ids; nil for none.
// They stand above those that other nodes have stored. A site that is missing is not served here. It does not wait;
// Run stores the limits at once.
func (u *Uses) Configure(served map[int64]*Limits) {
	u.mu.Lock()
	for id := range u.served {
		if _, still := served[id]; !still {
			u.configure(id, nil)
		}
	}
	for id, limits := range served {
		if before, known := u.served[id]; !known || before.table() != limits.table() {
			u.configure(id, limits)
		}
	}
	u.served = served
	u.mu.Unlock()
	select {
	case u.configured <- struct{}{}:
	default: // it is about to be stored anyway
	}
}

func (u *Uses) configure(siteID int64, limits *Limits) {
	most := limits.table()
	of := u.sites[siteID]
	if of == nil {
		if most == [kinds]int64{} {
			return
		}
		of = new(use)
		u.sites[siteID] = of
	}
	// Without limits, what was stored is taken back once. From then on, those of other nodes hold.
	of.own, of.leaving, of.most = true, most == [kinds]int64{}, most
}

// State counts sites by kind: how many have a limit of it, and how many have reached it by what is known in memory.
type State struct{ Limited, Reached [kinds]int }

// State does not wait for the database, so conversations that are open count for nothing in it.
func (u *Uses) State() (s State) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	for _, of := range u.sites {
		for _, k := range Kinds {
			if of.most[k] == 0 {
				continue
			}
			s.Limited[k]++
			used := of.used(k)
			if k == Streams {
				used = of.streams
			}
			if used >= of.most[k] {
				s.Reached[k]++
			}
		}
	}
	return s
}
