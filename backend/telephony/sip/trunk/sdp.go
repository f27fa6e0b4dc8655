package trunk

import (
	"bytes"
	"strings"

	"github.com/emiago/sipgo/sip"
)

// maxSession bounds a session's description, in bytes.
const maxSession = 16 << 10

// SessionType is the content type of a session's description (RFC 4566).
const SessionType = "application/sdp"

// session returns the session's description in a message, or nil if there is none.
func session(m interface {
	Body() []byte
	ContentType() *sip.ContentTypeHeader
}) []byte {
	body := m.Body()
	if len(body) == 0 || len(body) > maxSession {
		return nil
	}
	kind := m.ContentType()
	if kind == nil {
		return nil
	}
	name, _, _ := strings.Cut(kind.Value(), ";")
	if !strings.EqualFold(strings.TrimSpace(name), SessionType) {
		return nil
	}
	return body
}

// declined answers an offer without any media: port 0 refuses all streams (RFC 3264, section 6). A phone gets it if its
// call has come to nothing (RFC 3725, section 6).
func declined(offer []byte) []byte {
	var answer bytes.Buffer
	media := false
	for line := range strings.Lines(string(offer)) {
		line = strings.TrimRight(line, "\r\n")
		kind, rest, found := strings.Cut(line, "=")
		if !found || len(kind) != 1 {
			continue
		}
		switch {
		case kind == "m":
			media = true
			fields := strings.Fields(rest)
			if len(fields) < 4 {
				continue
			}
			fields[1] = "0"
			answer.WriteString("m=" + strings.Join(fields, " ") + "\r\n")
		case !media && strings.Contains("vosct", kind):
			answer.WriteString(line + "\r\n")
		}
	}
	return answer.Bytes()
}
