package person

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// contactHash stands for a number or an address at a site, or with 0 at all of them.
func (p *Persons) contactHash(siteID int64, text string) string {
	return p.hash(strconv.FormatInt(siteID, 10) + " " + text)
}

// maxTried is how many numbers and addresses of one form are looked up among those that were erased.
const maxTried = 4096

// ErasedSince reports whether the person of the phone, or of a number or an address that stands in one of the texts,
// was erased at the site after the time: what was sent then is not to be stored. The phone is as somebody has written
// it.
func (p *Persons) ErasedSince(ctx context.Context, siteID int64, at time.Time, region, phone string, texts ...string) (bool, error) {
	_, any, err := db.One(ctx, p.db.Read(), db.Only[string], `SELECT hash FROM erased_contacts WHERE at >= $1 LIMIT 1`, at.UnixMilli())
	if err != nil || !any {
		return false, wrapped(err)
	}
	tried := make(map[string]bool)
	try := func(name string) bool {
		tried[name] = true
		return len(tried) < maxTried
	}
	if digits := contact.ReadPhone(phone, region).Digits; digits != "" {
		try(digits)
	}
	if digits := contact.Digits(phone); digits != "" {
		try(digits)
	}
	for _, text := range append(texts, phone) {
		eachReading(text, func(text string) bool {
			return eachNumber(text, usualLengths, func(digits []byte) bool { return try(string(digits)) }) && eachAddress(text, try)
		})
	}
	hashes := make([]string, 0, 2*len(tried))
	for name := range tried {
		hashes = append(hashes, p.contactHash(0, name), p.contactHash(siteID, name))
	}
	for some := range db.Parts(hashes) {
		values, args := db.Values(some, db.Only[string], at.UnixMilli())
		_, erased, err := db.One(ctx, p.db.Read(), db.Only[string], `SELECT hash FROM erased_contacts WHERE at >= $1 AND hash IN (`+values+`)`, args...)
		if err != nil || erased {
			return erased, wrapped(err)
		}
	}
	return false, nil
}

// usualLengths are how many digits a number has, with the code of its country or without.
var usualLengths = []int{7, 8, 9, 10, 11, 12, 13, 14, 15}

func wrapped(err error) error {
	if err != nil {
		err = fmt.Errorf("looking for erased persons: %w", err)
	}
	return err
}
