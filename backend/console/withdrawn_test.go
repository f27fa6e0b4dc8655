package console_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
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
	random := rand.NewChaCha8([32]byte{1})
	bytes := make([]byte, longText*3/4)
	for some := range slices.Chunk(ids, 40) {
		texts := make([]string, len(some))
		for i := range texts {
			random.Read(bytes)
			texts[i] = "a" + base64.RawStdEncoding.EncodeToString(bytes)
		}
		d.write(func(ctx context.Context, tx db.Tx) error {
			for i, id := range some {
				if _, err := tx.Exec(ctx, `UPDATE leads SET message = $2 WHERE id = $1`, id, texts[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
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

// longCosts are costs of so many campaigns, with such long names, that no narrow connection holds a report of them.
func (d *desk) longCosts() {
	d.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	file := cost.File{Platform: cost.Google}
	for range longCampaigns {
		name := make([]byte, cost.MaxCampaign)
		for i := range name {
			name[i] = byte('a' + random.IntN(26))
		}
		file.Rows = append(file.Rows, cost.Row{Day: period.DateOf(d.now(), time.UTC), Campaign: string(name), Amount: cost.Unit})
	}
	kept, err := d.Costs.Keep(d.t.Context(), d.shop.ID, "vera", "costs.csv", "long", file)
	require.NoError(d.t, err)
	require.NoError(d.t, d.Costs.Confirm(d.t.Context(), d.shop.ID, kept.ID, "vera", cost.Google, "google", "cpc"))
}

const longCampaigns = 5000

// narrow is how many bytes each side of a connection holds, about.
const narrow = 64 << 10

// narrowly is a browser without cookies whose connection is narrow.
func (d *desk) narrowly() *browser {
	server := httptest.NewUnstartedServer(d.server.Config.Handler)
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		require.NoError(d.t, c.(*net.TCPConn).SetWriteBuffer(narrow))
		return ctx
	}
	server.Start()
	d.t.Cleanup(server.Close)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(narrow)
		}
		return c, err
	}
	return &browser{t: d.t, base: server.URL, Client: &http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// So does the file of a report that somebody reads by a link, when the link ends.
func TestFilesBreakOffWhenTheLinkIsEnded(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.longCosts()
		vera, reader := d.signedIn("vera"), d.narrowly()
		const whole = longCampaigns * cost.MaxCampaign / 2 // bytes, packed
		for _, format := range []string{"csv", "xlsx"} {
			for _, ended := range []bool{false, true} {
				address := vera.linked(fmt.Sprintf("site=%d&by=campaign&span=today", d.shop.ID), "30")
				response, err := reader.Do(reader.request(http.MethodGet, address+"/export?format="+format))
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				_, err = io.ReadFull(response.Body, make([]byte, 100))
				require.NoError(t, err)
				if ended {
					end := vera.get("/reports/links").document(t).Find(".kept-rows form").First().AttrOr("action", "")
					require.Equal(t, http.StatusSeeOther, vera.post(end).status)
				}
				n, err := io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if !ended {
					require.NoError(t, err)
					require.Greater(t, n, int64(whole), "the whole file")
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, format)
				require.Less(t, n, int64(whole), "what was on its way when the link was ended")
			}
		}
	})
}
