package console_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// longLeads are leads with so much text that no buffer between the console and a browser holds their table. It cannot be packed.
func (d *desk) longLeads() {
	d.t.Helper()
	h := d.hit(visit.Arrival{})
	for i := range longLeads {
		d.lead(h, map[string]any{"name": fmt.Sprint("lead ", i), "phone": fmt.Sprintf("8 912 000-%02d-%02d", i/100, i%100)})
	}
	ids, err := db.List(d.t.Context(), d.DB.Read(), db.Only[int64], `SELECT id FROM leads`)
	require.NoError(d.t, err)
	require.Len(d.t, ids, longLeads)
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, longText)
	d.write(func(ctx context.Context, tx db.Tx) error {
		for _, id := range ids {
			for i := range text {
				text[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.:"[random.IntN(64)]
			}
			if _, err := tx.Exec(ctx, `UPDATE leads SET message = $2 WHERE id = $1`, id, string(text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// longLeads are so many, with a text of so many bytes each, of which a cell of a workbook holds all.
const longLeads, longText = 800, 30_000

// A file breaks off as soon as its reader may not have it any more.
func TestFilesBreakOffWhenTheRightIsGone(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.longLeads()
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		both := scope.Of(d.shop.ID, other.ID)
		server := operator.Server()
		const whole = longLeads * longText * 3 / 4 // bytes, packed
		for name, withdraw := range map[string]func(id int64) error{
			"nothing": func(int64) error { return nil },
			"renamed": func(id int64) error { return d.Operators.Edit(t.Context(), server, id, "Olga", operator.Agent, nil) },
			"account": func(id int64) error { return d.Operators.SetDisabled(t.Context(), server, id, true) },
			"removed": func(id int64) error { return d.Operators.Remove(t.Context(), server, id) },
			"site":    func(id int64) error { return d.Operators.SetSites(t.Context(), server, id, scope.Of(other.ID)) },
			"role":    func(id int64) error { return d.Operators.Edit(t.Context(), server, id, "", operator.Analyst, nil) },
		} {
			for _, format := range []string{"csv", "xlsx"} {
				login := name + "-" + format
				account, err := d.Operators.Create(t.Context(), server, operator.Account{Login: login, Password: password, Role: operator.Agent, Sites: both})
				require.NoError(t, err)
				b := d.signedIn(login)
				response, err := b.Do(b.request(http.MethodGet, "/leads/export?format="+format))
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				_, err = io.ReadFull(response.Body, make([]byte, 100))
				require.NoError(t, err)
				require.NoError(t, withdraw(account.ID))
				n, err := io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if name == "nothing" || name == "renamed" {
					require.NoError(t, err)
					require.Greater(t, n, int64(whole), "the whole file")
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
				require.Less(t, n, int64(whole), "what was on its way when %s was withdrawn", name)
			}
		}
	})
}
