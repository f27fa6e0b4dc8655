package stepstest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestOf(t *testing.T) {
	var kept []byte
	spent := stepstest.Of(func() {
		steps.Walk(10)
		kept = make([]byte, 1<<20)
		steps.Walk(len(kept))
	})
	require.Equal(t, int64(10+1<<20), spent.Walked)
	require.GreaterOrEqual(t, spent.Allocated, int64(1<<20))
	require.Less(t, spent.Allocated, int64(2<<20))
}

// A library may make things ready when it is first asked, and again when the scheduler has moved the work.
func TestWhatIsDearNowAndThenIsHeld(t *testing.T) {
	var kept []byte
	calls := 0
	stepstest.Hold(t, 0, func() {
		if calls++; calls <= 3 {
			kept = make([]byte, 1<<20)
		}
	})
	require.Len(t, kept, 1<<20)
}

func TestWhatIsAlwaysDearIsNot(t *testing.T) {
	failed := &failing{TB: t}
	func() {
		defer func() { require.Equal(t, failed, recover()) }()
		stepstest.Hold(failed, 0, func() { steps.Walk(1 << 20) })
	}()
	require.Contains(t, failed.why, "bytes walked over for 0")
}

// failing is a test that notes why it failed.
type failing struct {
	testing.TB
	why string
}

func (f *failing) Errorf(format string, args ...any) { f.why += fmt.Sprintf(format, args...) }

func (f *failing) FailNow() { panic(f) }
