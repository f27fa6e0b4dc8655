package twostep

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// RecoveryCodes is how many recovery codes an account gets.
const RecoveryCodes = 10

// A recovery code is 16 characters of base32, 80 random bits: a hash of it cannot be searched through.
const recoverySize = 16

// newRecoveryCodes returns codes as they are shown, in groups of four, and their hashes.
func newRecoveryCodes() (codes, hashes []string) {
	for range RecoveryCodes {
		code := strings.ToLower(rand.Text()[:recoverySize])
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
		hashes = append(hashes, hashOf(code))
	}
	return codes, hashes
}

// hashOf is how a code of lower-case letters and digits is stored.
func hashOf(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// storeRecovery makes the codes of the hashes the account's only ones.
func storeRecovery(ctx context.Context, tx db.Tx, id int64, hashes []string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM operator_recovery_codes WHERE operator_id = $1`, id); err != nil {
		return fmt.Errorf("storing recovery codes: %w", err)
	}
	for _, hash := range hashes {
		if _, err := tx.Exec(ctx, `INSERT INTO operator_recovery_codes (operator_id, hash) VALUES ($1, $2)`, id, hash); err != nil {
			return fmt.Errorf("storing recovery codes: %w", err)
		}
	}
	return nil
}

// Left is how many recovery codes of the account have not been used.
func (s *Steps) Left(ctx context.Context, id int64) (int, error) {
	left, _, err := db.One(ctx, s.db.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_recovery_codes WHERE operator_id = $1`, id)
	if err != nil {
		return 0, fmt.Errorf("counting recovery codes: %w", err)
	}
	return left, nil
}
