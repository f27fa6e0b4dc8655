package conversion

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"math"

	"github.com/seed-3405227d/frontdesk/backend/conversion/feed"
	"github.com/seed-3405227d/frontdesk/backend/notify"
)

// Login is by which platforms fetch the files of a destination.
const Login = "frontdesk"

// NewPassword returns a password by which a platform fetches, and the credential of its destination. It is random, and so
// long that its hash alone can be kept without salt and cost.
func NewPassword() (password, credential string) {
	password = rand.Text()
	return password, hash(password)
}

func hash(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// MayFetch reports whether the login and the password are those of the destination.
func MayFetch(e notify.Endpoint, login, password string) bool {
	right := subtle.ConstantTimeCompare([]byte(hash(password)), []byte(e.Credential)) == 1
	return subtle.ConstantTimeCompare([]byte(login), []byte(e.Address)) == 1 && right && IsFetched(e.Kind)
}

// Files are the names of the files that the kind of destinations has.
func Files(kind notify.Kind) (names []string) {
	if of, is := fetched[kind]; is {
		for _, f := range feed.Files[of] {
			names = append(names, f.Name)
		}
	}
	return names
}

// readAtOnce is how many conversions one query reads.
const readAtOnce = 500

// WriteFile writes the file of the destination with the name, as it is now. It returns [notify.ErrUnknown] before it writes
// anything where there is none.
func (c *Conversions) WriteFile(ctx context.Context, w io.Writer, e notify.Endpoint, name string) error {
	of, is := fetched[e.Kind]
	file, named := feed.Named(of, name)
	if !is || !named {
		return notify.ErrUnknown
	}
	out, err := file.NewWriter(w)
	if err != nil {
		return err
	}
	to := Of(e)
	since := c.now().Add(-clicked).UnixMilli()
	entry := int64(math.MinInt64)
	goal := ""
	for {
		list, err := receipts(ctx, c.DB.Read(), `site_id = $1 AND endpoint_id = $2 AND (entry, goal) > ($3, $4) AND at >= $5 ORDER BY entry, goal LIMIT $6`, e.SiteID, e.ID, entry, goal, since, readAtOnce)
		if err != nil {
			return err
		}
		for _, r := range list {
			if to.Names[r.Goal] == "" { // it was named then
				continue
			}
			if err := out.Write(feed.Row{
				Goal: r.Goal, Name: to.Names[r.Goal], ID: r.ID(), At: r.At, Value: r.Value, Currency: r.Currency, ClickID: r.ClickID, ClientID: r.ClientID,
				Talk: r.Talk, Wait: r.Wait, First: r.First, RevisedAt: r.RevisedAt, TakenAt: r.TakenAt,
			}); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil || len(list) < readAtOnce {
			return err
		}
		last := list[len(list)-1]
		entry, goal = last.Entry, string(last.Goal)
	}
}
