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

// A key is a salt followed by the service's signature of the salt for a visitor. The last digit of the salt is the
// level of its puzzle.
const (
	saltLength  = 27
	ownerLength = 22
	// signed is the length of a signature, in bytes.
	signed = 16
)

var plausibleKey = regexp.MustCompile(fmt.Sprintf(`^[A-Z2-7]{%d}[0-%d][A-Za-z0-9_-]{%d}$`, saltLength-1, MaxLevel, ownerLength))

// plausible says whether Issue can have made the key.
func plausible(key string) bool { return plausibleKey.MatchString(key) }

// code returns the service's signature of the salt for the purpose.
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
	// free is how many captchas a network gets without a puzzle. After step more, puzzles are twice as hard.
	free, step = 3, 3
	// leastMost bounds the number that solves a puzzle of the first level.
	leastMost = 1 << 15
)

// Level returns the level of the puzzle for a network that has asked for this many captchas before: 0 for no puzzle, up
// to [MaxLevel].
func Level(asked int) int { return min((asked+step-free)/step, MaxLevel) }

// Puzzle asks for a number below Most. Written in decimal after Salt, it has the SHA-256 Sum, in hexadecimal. Browsers
// find it by trying, some hundred thousand numbers a second.
type Puzzle struct {
	Salt string `json:"salt"`
	Sum  string `json:"sum"`
	Most int64  `json:"most"`
}

// PuzzleOf returns the puzzle of a key of [Captchas.Issue], or nil for none.
func (c *Captchas) PuzzleOf(siteID int64, key string) *Puzzle {
	salt := key[:saltLength]
	most := mostOf(salt)
	if most == 0 {
		return nil
	}
	sum := sha256.Sum256([]byte(salt + c.proof(siteID, salt, most)))
	return &Puzzle{salt, hex.EncodeToString(sum[:]), most}
}

// mostOf returns the bound of the number that solves the salt's puzzle, or 0 for no puzzle.
func mostOf(salt string) int64 {
	level := salt[saltLength-1] - '0'
	if level == 0 {
		return 0
	}
	return leastMost << (level - 1)
}

// proof returns the number that solves the puzzle.
func (c *Captchas) proof(siteID int64, salt string, most int64) string {
	drawn := binary.BigEndian.Uint64(c.code("puzzle", siteID, 0, salt))
	return strconv.FormatUint(drawn%uint64(most), 10)
}

// Proven says whether the key was issued to the visitor and its puzzle is solved. It does not query the database, and
// does not use the key up.
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
