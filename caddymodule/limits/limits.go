// Package limits reads what sites may use from a Caddyfile, for the app and for each site.
package limits

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"

	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// Expected are the lines of a block.
var Expected = func() string {
	var names []string
	for _, k := range limit.Kinds {
		names = append(names, k.String())
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}()

// Value reads the value of a line. The error says what was expected.
func Value(k limit.Kind, values []string) (most int64, err error) {
	what, example := "NUMBER", "1000"
	if k == limit.Disk {
		what, example = "SIZE", "1GB"
	}
	expected := fmt.Errorf("expected: %s %s of 1 or more, such as %s %s; leave the line out for no limit", k, what, k, example)
	if len(values) != 1 {
		return 0, expected
	}
	if k == limit.Disk {
		size, err := humanize.ParseBytes(values[0])
		if err != nil || size == 0 || size > math.MaxInt64/2 {
			return 0, expected
		}
		return int64(size), nil
	}
	most, err = strconv.ParseInt(values[0], 10, 64)
	if err != nil || most < 1 || most > math.MaxInt64/2 {
		return 0, expected
	}
	return most, nil
}

// Read reads an option of the app, from behind its name:
//
//	limits {
//		views     <number>
//		leads     <number>
//		chats     <number>
//		streams   <number>
//		disk      <size>
//		mails     <number>
//		callbacks <number>
//	}
func Read(d *caddyfile.Dispenser, before *limit.Limits) (*limit.Limits, error) {
	if before != nil {
		return nil, d.Err("the limits are given already: expected one block of them")
	}
	if d.NextArg() {
		return nil, d.Errf("unexpected %q: expected limits with a block, such as limits { views 100000 }", d.Val())
	}
	l := new(limit.Limits)
	for d.NextBlock(1) {
		k, known := limit.KindOf(d.Val())
		if !known {
			return nil, d.Errf("unknown line %q of limits: expected %s", d.Val(), Expected)
		}
		if l.Has(k) {
			return nil, d.Errf("%s is given already: expected it once", k)
		}
		most, err := Value(k, d.RemainingArgs())
		if err == nil {
			err = l.Set(k, most)
		}
		if err != nil {
			return nil, d.Err(err.Error())
		}
	}
	return l, nil
}
