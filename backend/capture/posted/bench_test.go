package posted

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkFile is what a file costs that passes in a form, beside what reads it.
func BenchmarkFile(b *testing.B) {
	for name, fill := range map[string]func(i int) byte{
		"zeros": func(int) byte { return 0 },
		"bytes": func(int) byte { return byte(rand.Uint32()) },
		"text":  func(i int) byte { return "The Form Boundary of a Web Kit\r\n-- 7"[i%36] },
	} {
		b.Run(name, func(b *testing.B) {
			piece := make([]byte, 32<<10)
			for i := range piece {
				piece[i] = fill(i)
			}
			body := New("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW")
			body.Write([]byte("------WebKitFormBoundary7MA4YWxkTrZu0gW\r\nContent-Disposition: form-data; name=photo; filename=a.jpg\r\n\r\n"))
			b.SetBytes(int64(len(piece)))
			for b.Loop() {
				body.Write(piece)
			}
		})
	}
}
