package rival

import "github.com/seed-3405227d/frontdesk/snippet/weave/edit"

// Replacement is what comes in the place of a loader.
type Replacement struct {
	// Address is that of Frontdesk's own script, in ASCII without quotation marks or character references.
	Address string
	// Inline says that inline scripts may change. Policies with the hash of a script forbid that.
	Inline bool
}

// Replacer puts loaders out of action in a page that streams by. It leaves all other bytes as they are. The output does not
// depend on how the page is cut into pieces. It holds back at most some 16 KiB. It is not safe for concurrent use. Reset has
// to be called before each page.
type Replacer struct {
	reader reader
	with   Replacement
	window edit.Window
	edits  edit.Edits
	sent   int64 // offset up to which the page has been appended
}

// Reset makes the replacer ready for a page, of which it is given what follows the offset at. No script is begun before.
func (z *Replacer) Reset(own Own, with Replacement, at int64) {
	z.with, z.sent = with, at
	z.window.Begin(at)
	z.edits.Reset()
	z.reader.loads, z.reader.contains = z.disarm, z.readdress
	z.reader.reset(own, at)
}

// Append reads the next piece of the page, and appends to dst the bytes that cannot change any more.
func (z *Replacer) Append(dst, p []byte) []byte {
	z.window.Next(p)
	z.reader.Feed(p)
	return z.release(dst, z.reader.certain())
}

// Finish ends the page and appends the rest of it to dst.
func (z *Replacer) Finish(dst []byte) []byte { return z.release(dst, z.reader.Offset) }

// Rest appends to dst, unchanged, what has been read and not been appended. Nothing can be appended after it.
func (z *Replacer) Rest(dst []byte) []byte { return z.window.Rest(dst, z.sent) }

func (z *Replacer) release(dst []byte, end int64) []byte {
	dst, z.sent = z.edits.Release(dst, &z.window, z.sent, end, z.reader.Offset)
	z.window.Keep(z.sent)
	return dst
}

// disarm changes the start tag of a loader by an attribute that stands before all others: of two with one name, the first
// counts.
//
// React looks for an async script by its address, and adds it if there is none. So such a script keeps the address, and
// no longer is a program. One that the page waits for becomes Frontdesk's own.
func (z *Replacer) disarm(s *script) {
	attribute := ` type="text/plain"`
	if (!s.async || s.onload) && !s.sums {
		attribute = ` src="` + z.with.Address + `"`
	}
	at := s.at + int64(len("<script"))
	z.edits.Add(at, at, []byte(attribute))
}

// readdress has an inline script load Frontdesk's own script: what waits for it then finds the methods.
func (z *Replacer) readdress(s *script, all []literal) {
	if !z.with.Inline {
		return
	}
	for _, l := range all {
		z.edits.Add(s.textAt+int64(l.from), s.textAt+int64(l.to), []byte(z.with.Address))
	}
}
