package lead

import "slices"

// State is how far a lead has been worked on. The numbers are stored.
type State int64

// The states.
const (
	Fresh  State = 0
	InWork State = 1
	Done   State = 2
	Spam   State = 3
)

// stateNames are the states' names, by their numbers.
var stateNames = []string{"new", "work", "done", "spam"}

// States are all states.
var States = []State{Fresh, InWork, Done, Spam}

// String is the state's name: new, work, done or spam.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return stateNames[0] // of a newer program
	}
	return stateNames[s]
}

// StateOf is the state of the name; ok is false when there is none.
func StateOf(name string) (s State, ok bool) {
	i := slices.Index(stateNames, name)
	return State(i), i >= 0
}
