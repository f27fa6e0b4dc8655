package posted

import "bytes"

// delimiter is what stands between the parts of a multipart body, with the line break before it (RFC 2046, section
// 5.1.1).
type delimiter struct {
	text []byte
	has  [256]bool // the bytes that it consists of
}

func newDelimiter(boundary string) *delimiter {
	d := &delimiter{text: []byte("\r\n--" + boundary)}
	for _, b := range d.text {
		d.has[b] = true
	}
	return d
}

// index returns where the delimiter begins in p, or -1.
//
// An occurrence covers one of the bytes that are its length apart, so only these are examined, and the bytes around one
// of them only if the delimiter contains such a byte. If many do, as in texts, the rest is searched in the usual way.
func (d *delimiter) index(p []byte) int {
	n := len(d.text)
	at := n - 1
	for chances := len(p) / n / 4; chances > 0; chances-- {
		for ; at+3*n < len(p); at += 4 * n {
			if d.has[p[at]] || d.has[p[at+n]] || d.has[p[at+2*n]] || d.has[p[at+3*n]] {
				break
			}
		}
		for at < len(p) && !d.has[p[at]] {
			at += n
		}
		if at >= len(p) {
			return -1
		}
		from := at - n + 1
		if i := bytes.Index(p[from:min(at+n, len(p))], d.text); i >= 0 {
			return from + i
		}
		at += n
	}
	from := min(at-n+1, len(p))
	if i := bytes.Index(p[from:], d.text); i >= 0 {
		return from + i
	}
	return -1
}
