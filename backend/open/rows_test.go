package open_test

import (
	"fmt"
	"maps"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What is behind each figure adds up to it: of the total, of a row, of a part and of a path.
func TestRowsBehindFigures(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		kept, err := keeper.Open(t.Context(), o.db, o.visits.Keys, o.clock.Now)
		require.NoError(t, err)
		day := url.Values{"first": {o.clock.Now().UTC().Format(time.DateOnly)}, "last": {o.clock.Now().UTC().Format(time.DateOnly)}, "zone": {"UTC"}, "step": {"hour"}, "by": {"source"}}
		made := o.lead(o.lamps, "Is the lamp there?")
		visits := []string{fmt.Sprint(o.arrives(o.lamps, 1, "?utm_source=news").Visit), fmt.Sprint(o.arrives(o.lamps, 2, "?utm_source=news").Visit), fmt.Sprint(o.arrives(o.lamps, 3, "").Visit)}
		o.lead(o.chairs, "Is the chair there?")
		require.NoError(t, kept.Keep(t.Context()))

		secret := o.token(scope.Of(o.lamps.ID), token.ReadReports)
		type row struct {
			Site, Kind    string
			ID            int64
			VisitID       string `json:"visit_id"`
			Share, Amount float64
		}
		behind := func(pairs ...string) (rows []row, count int) {
			var told struct {
				Rows  []row
				Count int
			}
			query := url.Values{}
			maps.Copy(query, day)
			for i := 0; i < len(pairs); i += 2 {
				query.Add(pairs[i], pairs[i+1])
			}
			o.get("/api/v1/reports/rows?"+query.Encode(), secret, &told)
			return told.Rows, told.Count
		}
		ids := func(rows []row) (ids []string) {
			for _, r := range rows {
				ids = append(ids, r.VisitID)
			}
			return ids
		}
		rows, count := behind("figure", "requests")
		require.Equal(t, []row{{Site: "lamps.example", Kind: "request", ID: made.ID, Share: 1, Amount: 1}}, rows)
		require.Equal(t, 1, count)
		rows, count = behind("figure", "visits", "limit", "2")
		require.Len(t, rows, 2)
		require.Equal(t, 3, count)
		rows, _ = behind("figure", "visits", "value", "news")
		require.ElementsMatch(t, visits[:2], ids(rows))

		var figures struct {
			Parts []struct {
				Start   time.Time
				Figures map[string]float64
			}
		}
		o.get("/api/v1/reports?"+day.Encode(), secret, &figures)
		parts := 0
		for _, part := range figures.Parts {
			if n := part.Figures["visits"]; n > 0 {
				rows, count = behind("figure", "visits", "part", part.Start.Format(time.RFC3339))
				require.InDelta(t, n, count, 0)
				parts += len(rows)
			}
		}
		require.Equal(t, 3, parts)

		var walked struct {
			Paths []struct {
				ID    string
				Count int
			}
		}
		o.get("/api/v1/reports/paths?goal=inquiries&by=source&zone=UTC&first="+day.Get("first")+"&last="+day.Get("last"), secret, &walked)
		require.Len(t, walked.Paths, 1)
		rows, count = behind("figure", "inquiries", "path", walked.Paths[0].ID)
		require.Equal(t, walked.Paths[0].Count, count)
		require.Equal(t, made.ID, rows[0].ID)
	})
}
