package captcha

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
)

// A key is a salt, of which the last digit is the level of its puzzle, and the service's signature of the salt for a
// visitor.
const (
	saltLength  = 27
	ownerLength = 22
	// signed is how many bytes of a code are kept.
	signed = 16
)

var plausibleKey = regexp.MustCompile(fmt.Sprintf(`^[A-Z2-7]{%d}[0-%d][A-Za-z0-9_-]{%d}$`, saltLength-1, MaxLevel, ownerLength))

// plausible reports whether the key can be one of [Captchas.Issue].
func plausible(key string) bool { return plausibleKey.MatchString(key) }

// code is the service's code of the salt for the purpose.
func (c *Captchas) code(purpose string, siteID, visitor int64, salt string) []byte {
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprint(mac, purpose, " ", siteID, " ", visitor, " ", salt)
	return mac.Sum(nil)
}

func (c *Captchas) owner(siteID, visitor int64, salt string) string {
	return base64.RawURLEncoding.EncodeToString(c.code("owner", siteID, visitor, salt)[:signed])
}

const (
	// MaxLevel is the highest level of puzzles.
	MaxLevel = 7
	// free is how many captchas a network gets without a puzzle, and step how many until that is twice as hard.
	free, step = 3, 3
	// leastMost is below which number the one of the first level is.
	leastMost = 1 << 15
)

// Level is that of the puzzle for a network that has asked for so many captchas before, of which old ones are
// forgotten: 0 for no puzzle, to [MaxLevel].
func Level(asked int) int { return min((asked+step-free)/step, MaxLevel) }

// Puzzle asks for a number below Most, which written in decimal behind Salt has the SHA-256 Sum, in hexadecimal. It is
// found by trying: browsers try some hundred thousand a second.
type Puzzle struct {
	Salt string `json:"salt"`
	Sum  string `json:"sum"`
	Most int64  `json:"most"`
}

// PuzzleOf is the puzzle of a key of [Captchas.Issue]; nil for none.
func (c *Captchas) PuzzleOf(siteID int64, key string) *Puzzle {
	salt := key[:saltLength]
	most := mostOf(salt)
	if most == 0 {
		return nil
	}
	sum := sha256.Sum256([]byte(salt + c.proof(siteID, salt, most)))
	return &Puzzle{salt, hex.EncodeToString(sum[:]), most}
}

// mostOf is below which number the proof for the salt is; 0 where none is asked for.
func mostOf(salt string) int64 {
	level := salt[saltLength-1] - '0'
	if level == 0 {
		return 0
	}
	return leastMost << (level - 1)
}

// proof is the number that solves the puzzle.
func (c *Captchas) proof(siteID int64, salt string, most int64) string {
	drawn := binary.BigEndian.Uint64(c.code("puzzle", siteID, 0, salt))
	return strconv.FormatUint(drawn%uint64(most), 10)
}

// Proven reports whether the key was given to the visitor, and its puzzle is solved. It asks nothing of the database,
// and uses nothing up.
func (c *Captchas) Proven(siteID, visitor int64, key, proof string) bool {
	if !plausible(key) {
		return false
	}
	salt := key[:saltLength]
	if !hmac.Equal([]byte(key[saltLength:]), []byte(c.owner(siteID, visitor, salt))) {
		return false
	}
	most := mostOf(salt)
	return most == 0 || hmac.Equal([]byte(proof), []byte(c.proof(siteID, salt, most)))
}
