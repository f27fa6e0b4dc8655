// Package passwords says which passwords an account may have, and keeps them as hashes of argon2id. It knows no accounts:
// package operator asks it.
package passwords

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// What a password is, by NIST SP 800-63B: long enough, and anything that is not easily guessed. The upper bound only
// keeps requests small.
const (
	Min = 10   // characters
	Max = 1024 // bytes
)

// ErrLength is returned for a password that is too short or too long.
var ErrLength = fmt.Errorf("a password has at least %d characters and at most %d bytes", Min, Max)

// ErrHash is returned for a hash that is no argon2id hash in PHC string form.
var ErrHash = errors.New(`expected an argon2id hash such as "$argon2id$v=19$m=19456,t=2,p=1$…$…", as "caddy hash-password --algorithm argon2id" prints it`)

// Argon2id as OWASP's Password Storage Cheat Sheet gives it for 19 MiB.
const (
	hashMemory  = 19 * 1024 // KiB
	hashTime    = 2
	hashThreads = 1
	hashSalt    = 16
	hashLength  = 32
)

// What is accepted of hashes made elsewhere, so that verifying one is bounded.
const (
	maxHashMemory = 256 * 1024 // KiB
	maxHashTime   = 16
)

// Check tells why a password is not accepted for an account whose login and name are the words: [ErrLength],
// [ErrCommon], [ErrOwn] or [ErrPlain].
func Check(password string, words ...string) error {
	if len(password) > Max || utf8.RuneCountInString(password) < Min {
		return ErrLength
	}
	return weak(password, words)
}

// CheckHash returns [ErrHash] when the hash cannot be an account's.
func CheckHash(hash string) error {
	_, err := parseHash(hash)
	return err
}

// cost is what deriving a key takes: KiB of memory, passes over it, and threads.
type cost struct {
	memory, time uint32
	threads      uint8
}

// usualCost is that of passwords set here.
var usualCost = cost{hashMemory, hashTime, hashThreads}

// phc is an argon2id hash taken apart (PHC string format).
type phc struct {
	cost
	salt, key []byte
}

func parseHash(text string) (phc, error) {
	var h phc
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, ErrHash
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &h.threads); err != nil || n != 3 {
		return h, ErrHash
	}
	var errSalt, errKey error
	h.salt, errSalt = base64.RawStdEncoding.DecodeString(parts[4])
	h.key, errKey = base64.RawStdEncoding.DecodeString(parts[5])
	switch {
	case errSalt != nil, errKey != nil, len(h.salt) < 8, len(h.salt) > 64, len(h.key) < 16, len(h.key) > 64,
		h.memory > maxHashMemory, h.time < 1, h.time > maxHashTime, h.threads < 1:
		return h, ErrHash
	}
	return h, nil
}

func (h phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.threads,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.key))
}

func (h phc) derive(password string) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, uint32(len(h.key)))
}

// Verifier derives keys, only as many at a time as there are processors: each needs 19 MiB, and those who try passwords
// must not take all the memory. It is safe for concurrent use.
type Verifier struct {
	turns     chan struct{}
	derive    func(h phc, password string) []byte
	salt, key []byte // of decoys: what a password is compared with where there is no hash
}

// NewVerifier returns a Verifier.
func NewVerifier() *Verifier {
	v := &Verifier{
		turns:  make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		derive: phc.derive,
		salt:   make([]byte, hashSalt),
		key:    make([]byte, hashLength),
	}
	rand.Read(v.salt)
	rand.Read(v.key)
	return v
}

// Hash is the hash, in PHC string form, of a password for the account of these words; see [Check]. It waits for its turn
// until ctx ends.
func (v *Verifier) Hash(ctx context.Context, password string, words ...string) (string, error) {
	if err := Check(password, words...); err != nil {
		return "", err
	}
	h := phc{cost: usualCost, salt: make([]byte, hashSalt), key: make([]byte, hashLength)}
	rand.Read(h.salt)
	var err error
	h.key, err = v.inTurn(ctx, h, password)
	if err != nil {
		return "", err
	}
	return h.String(), nil
}

// Matches reports whether the hash is of the password; an empty hash is of none. A wrong password takes the same work for
// every hash of all accounts, and for an empty one: hashes that a configuration declares may cost what they like. It waits
// for its turn until ctx ends. The error may be [ErrHash].
func (v *Verifier) Matches(ctx context.Context, password, hash string, all []string) (bool, error) {
	costs := costsOf(all)
	h := v.decoy(costs[0])
	if hash != "" {
		var err error
		if h, err = parseHash(hash); err != nil {
			return false, err
		}
	}
	right, err := v.verify(ctx, h, password)
	for _, c := range costs {
		if c != h.cost && !right && err == nil { // else the time would tell whose hash it was
			_, err = v.verify(ctx, v.decoy(c), password)
		}
	}
	return right && hash != "", err
}

// costsOf are the costs of the hashes, each once.
func costsOf(hashes []string) (costs []cost) {
	for _, text := range hashes {
		if h, err := parseHash(text); err == nil && !slices.Contains(costs, h.cost) {
			costs = append(costs, h.cost)
		}
	}
	if len(costs) == 0 {
		costs = append(costs, usualCost)
	}
	return costs
}

// decoy is a hash of that cost which no password has.
func (v *Verifier) decoy(c cost) phc { return phc{cost: c, salt: v.salt, key: v.key} }

func (v *Verifier) verify(ctx context.Context, h phc, password string) (bool, error) {
	key, err := v.inTurn(ctx, h, password)
	return err == nil && subtle.ConstantTimeCompare(key, h.key) == 1, err
}

// inTurn derives the key of the password, with the salt and the cost of the hash.
func (v *Verifier) inTurn(ctx context.Context, h phc, password string) ([]byte, error) {
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
		return v.derive(h, password), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
