package db

import (
	"hash/fnv"
	"time"
)

// Hash returns a number for the text: the key of writes that belong together, or what a column holds in its place. It is
// the same on each node and in each version of the program, and different texts may have the same.
func Hash(text string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return int64(hash.Sum64())
}

// Millis returns the time as it is stored: in milliseconds since 1970, with 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time returns the time that [Millis] has stored.
func Time(millis int64) (t time.Time) {
	if millis != 0 {
		t = time.UnixMilli(millis)
	}
	return t
}

// Day returns the day of the time (UTC), counted from 1970.
func Day(t time.Time) int64 { return t.UnixMilli() / (24 * time.Hour).Milliseconds() }
