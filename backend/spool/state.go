package spool

import "time"

// State is what the spool holds.
type State struct {
	// File is the file that this process has, or is to have.
	File string
	// Size is how many bytes are to be reserved.
	Size int64
	// Waiting is how many records there are.
	Waiting int
	// Room is how many bytes are free.
	Room int64
	// Trouble is why the space is not reserved, or nil.
	Trouble error
}

// Full says whether there is hardly any room: a long record would find none.
func (s State) Full() bool { return s.Room < min(s.Size/16, maxRecord) }

// State returns the state. It is cheap.
func (s *Spool) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{File: s.settings.File, Size: s.settings.Size, Waiting: s.count, Room: s.settings.Size, Trouble: s.trouble}
	if s.own != nil {
		state.File, state.Room = s.own.name, s.own.room()
	}
	return state
}

// Oldest is when the oldest record was put in, or zero where none waits.
func (s *Spool) Oldest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := uint64(0)
	for sequence := range s.records { // which are numbered by the clock
		if oldest == 0 || sequence < oldest {
			oldest = sequence
		}
	}
	if oldest == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(oldest))
}
