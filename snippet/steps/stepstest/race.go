//go:build race

package stepstest

// Raced tells whether the race detector is on. With it, sync.Pool throws away what it is given at random, so what a
// library allocates says nothing.
const Raced = true
