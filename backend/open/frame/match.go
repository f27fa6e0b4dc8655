package frame

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Match is what a call says of what it is to change: it is done only if that is still as the caller has seen it (RFC
// 9110, section 13.1.1).
type Match struct {
	IfMatch string `header:"If-Match" maxLength:"200" doc:"The ETag of what was read before. With * whatever is there is changed."`
}

// Any reports whether whatever is there is to be changed.
func (m Match) Any() bool { return strings.TrimSpace(m.IfMatch) == "*" }

// Holds returns no error if the tag is the one that the caller has seen.
func (m Match) Holds(tag string) error {
	if m.IfMatch == "" { // RFC 6585, section 3
		return huma.NewError(428, "expected the field If-Match with the ETag of what was read before, or with *")
	}
	if m.Any() {
		return nil
	}
	for seen := range strings.SplitSeq(m.IfMatch, ",") {
		if strings.TrimSpace(seen) == tag {
			return nil
		}
	}
	return Changed()
}

// Changed is the answer when somebody else has changed it meanwhile.
func Changed() error {
	return huma.NewError(412, "somebody else has changed this meanwhile; read it again")
}

// Tag is the ETag of what is answered.
func Tag(answered any) string {
	text, err := json.Marshal(answered)
	if err != nil {
		panic(err) // a type of the API that cannot be answered either
	}
	sum := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// VersionTag is the ETag of what counts its changes.
func VersionTag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }
