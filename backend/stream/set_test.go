package stream

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A set has room for some streams. They end with it, and one that does not is not waited for.
func TestSet(t *testing.T) {
	s := NewSet(2)
	s.endTime = 10 * time.Millisecond
	running, leave, ok := s.Enter()
	require.True(t, ok)
	_, stuck, ok := s.Enter()
	require.True(t, ok)
	_, _, ok = s.Enter()
	require.False(t, ok, "it is full")

	began := time.Now()
	s.Close()
	require.Less(t, time.Since(began), time.Minute)
	require.Error(t, running.Err())
	leave()
	_, _, ok = s.Enter()
	require.False(t, ok, "it is closed")
	stuck()
	s.Close()
}
