package posted

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// The delimiter is found where the library finds it.
func FuzzDelimiter(f *testing.F) {
	long := bytes.Repeat([]byte{0}, 1000)
	for _, at := range []int{0, 1, 20, 21, 22, 500, 977, 978} {
		f.Add("frontdesk-bench....", append(append(bytes.Clone(long[:at]), "\r\n--frontdesk-bench...."...), long...))
	}
	f.Add("b", append(bytes.Repeat([]byte("\r\n--a-b"), 90), "\r\n--b"...))
	f.Fuzz(func(t *testing.T, boundary string, body []byte) {
		d := newDelimiter(boundary)
		require.Equal(t, bytes.Index(body, d.text), d.index(body))
		require.Equal(t, bytes.Index(append(body, d.text...), d.text), d.index(append(body, d.text...)))
	})
}
