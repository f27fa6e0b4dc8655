package operator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// What a password is, by NIST SP 800-63B: long enough, and anything that is not easily guessed. The upper bound only
// keeps requests small.
const (
	MinPassword = 10   // characters
	MaxPassword = 1024 // bytes
)

// ErrPassword is returned for a password that is too short or too long.
var ErrPassword = fmt.Errorf("a password has at least %d characters and at most %d bytes", MinPassword, MaxPassword)

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

// CheckPassword tells why a password is not accepted for an account whose login and name are the words: [ErrPassword],
// [ErrCommonPassword], [ErrOwnPassword] or [ErrPlainPassword].
func CheckPassword(password string, words ...string) error {
	if len(password) > MaxPassword || utf8.RuneCountInString(password) < MinPassword {
		return ErrPassword
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

// verifier derives keys, only as many at a time as there are processors: each needs 19 MiB, and those who try passwords
// must not take all the memory.
type verifier struct {
	turns     chan struct{}
	derive    func(h phc, password string) []byte
	salt, key []byte // of decoys: what the password for an unknown login is compared with
}

func newVerifier() verifier {
	v := verifier{
		turns:  make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		derive: phc.derive,
		salt:   make([]byte, hashSalt),
		key:    make([]byte, hashLength),
	}
	rand.Read(v.salt)
	rand.Read(v.key)
	return v
}

// decoy is a hash of that cost which no password has.
func (v *verifier) decoy(c cost) phc { return phc{cost: c, salt: v.salt, key: v.key} }

func (v *verifier) verify(ctx context.Context, h phc, password string) (bool, error) {
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
		return subtle.ConstantTimeCompare(v.derive(h, password), h.key) == 1, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// hash is the hash, in PHC string form, of a password for the account of these words; see [CheckPassword].
func (v *verifier) hash(ctx context.Context, password string, words ...string) (string, error) {
	if err := CheckPassword(password, words...); err != nil {
		return "", err
	}
	h := phc{cost: usualCost, salt: make([]byte, hashSalt), key: make([]byte, hashLength)}
	rand.Read(h.salt)
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
		h.key = v.derive(h, password)
		return h.String(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
