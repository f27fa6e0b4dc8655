package steps

import "sync/atomic"

// walked counts the bytes of all walks in this process.
var walked atomic.Int64

// Walk counts a walk over n bytes that came from outside: each of them is looked at once. Work that takes as long as a
// walk over n bytes counts as one. It is safe for concurrent use, and cheap: it is called once for a walk.
func Walk(n int) { walked.Add(int64(n)) }

// Walked is how many bytes were walked over in this process, each as often as it was.
func Walked() int64 { return walked.Load() }
