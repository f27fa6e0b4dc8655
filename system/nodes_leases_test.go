package system

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// caller is a visitor's browser, as far as the service meets it: the page's report is sent again, to
// any node, until there is an answer.
type caller struct {
	view, cookie, shown string
}

// report tells the nodes of a page view, and takes the number that the answer shows.
func (c *caller) report(ctx context.Context, client *http.Client, nodes []*node) error {
	body, err := json.Marshal(map[string]string{
		"site_key": "shop", "view": c.view, "url": "http://shop.example/", "title": "Lamps", "kind": "load",
	})
	if err != nil {
		return err
	}
	pause := func() {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	for {
		n := nodes[rand.IntN(len(nodes))]
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Text("http://localhost:$PORT2/frontdesk/v1/hit"), bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Host = "shop.example"
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
		if c.cookie != "" {
			request.Header.Set("Cookie", c.cookie)
		}
		response, err := client.Do(request)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			pause() // the node is gone
			continue
		}
		var answer struct {
			Numbers *[]struct{ Raw string }
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || answer.Numbers == nil {
			pause() // it ended in the middle of the answer, or did not know the numbers in time
			continue
		}
		for _, cookie := range response.Cookies() {
			c.cookie = cookie.Name + "=" + cookie.Value
		}
		c.shown = ""
		for _, record := range *answer.Numbers {
			c.shown = record.Raw
		}
		return nil
	}
}

// TestNodesLeaseNumbers has a thousand visitors report to three nodes at once, of which one is
// killed in the middle. No two have the same number, and none is lost: when the hold is over,
// others get them all.
func TestNodesLeaseNumbers(t *testing.T) {
	const visitors, numbers = 1000, 50
	source := dbtest.OwnServer(t).Source()
	var pool strings.Builder
	for i := range numbers {
		fmt.Fprintf(&pool, " 749500000%02d", i)
	}
	var nodes []*node
	for i := range 3 {
		nodes = append(nodes, runNode(t, fmt.Sprintf(`
			{
				frontdesk {
					database postgres "$SOURCE"
					name node%d
					pool spring%s
				}
			}
			http://shop.example:$PORT2 {
				frontdesk shop {
					number 74951234567 {
						dynamic spring
					}
				}
				respond "lamps"
			}`, i, pool.String()), "$SOURCE", source))
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: visitors}, Timeout: 20 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	come := func(round string, killed func(answered int)) (shown []string) {
		var asking sync.WaitGroup
		answered := make(chan string, visitors)
		for i := range visitors {
			asking.Go(func() {
				c := caller{view: fmt.Sprintf("%s%021d", round, i)}
				for range 2 { // each looks at a second page
					if err := c.report(ctx, client, nodes); err != nil {
						t.Error(err)
						break
					}
					first := c.shown
					c.view += "b"
					if first != "" && c.shown != first {
						t.Errorf("a visitor's number changed from %s to %q", first, c.shown)
					}
				}
				answered <- c.shown
			})
		}
		for i := range visitors {
			if number := <-answered; number != "" {
				shown = append(shown, number)
			}
			killed(i + 1)
		}
		asking.Wait()
		return shown
	}
	each := func(round string, killed func(int)) {
		t.Helper()
		seen := make(map[string]int)
		for _, number := range come(round, killed) {
			seen[number]++
		}
		for number, times := range seen {
			require.Equal(t, 1, times, "%s was shown to several", number)
		}
		require.Len(t, seen, numbers, "each number is somebody's")
	}
	each("a", func(answered int) {
		if answered == visitors/10 {
			nodes[2].kill()
		}
	})
	d := dbtest.Open(t, db.Settings{Engine: db.Postgres, Source: source})
	require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error { // as if two hours had passed
		const hours = 2 * 3600 * 1000
		if _, err := tx.Exec(ctx, `UPDATE pool_numbers SET begun_at = begun_at - $1, until = until - $1`, hours); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE leases SET begun_at = begun_at - $1, ended_at = ended_at - $1`, hours)
		return err
	}))
	each("b", func(int) {})

	type lease struct {
		digits            string
		visitor, from, to int64
	}
	leases, err := db.List(ctx, d.Read(), func(l *lease) []any { return []any{&l.digits, &l.visitor, &l.from, &l.to} },
		`SELECT digits, visitor_id, begun_at, until FROM pool_numbers UNION ALL SELECT digits, visitor_id, begun_at, ended_at FROM leases ORDER BY 1, 3, 4`)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(leases), 2*numbers)
	for i := range leases[1:] {
		before, after := leases[i], leases[i+1]
		if before.digits == after.digits && before.visitor != after.visitor {
			require.LessOrEqual(t, before.to, after.from, "%v and %v", before, after)
		}
	}
}
