package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/open/handouts"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// A program sees the reports that operators share at its sites, and those of nobody else.
func TestSavedReports(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		anna := operatortest.Account(t, o.Operators, "anna", operator.Agent, scope.All())
		boris := operatortest.Account(t, o.Operators, "boris", operator.Agent, scope.Of(o.lamps.ID))
		for name, siteID := range map[string]int64{"Of lamps": o.lamps.ID, "Of chairs": o.chairs.ID, "Of all": 0} {
			require.NoError(t, o.Saved.Save(t.Context(), anna, saved.Report{SiteID: siteID, Name: name, Query: "by=source&span=own&from=2026-01-01&to=2026-01-31&f.channel=&up=1", Shared: true}))
		}
		require.NoError(t, o.Saved.Save(t.Context(), anna, saved.Report{SiteID: o.lamps.ID, Name: "Her own", Query: "by=source"}))
		all, one := o.token(scope.All(), token.WriteReports), o.token(scope.Of(o.lamps.ID), token.WriteReports)
		list := func(secret, query string) (reports []handouts.SavedReport) {
			for cursor := ""; ; {
				var page struct {
					Reports []handouts.SavedReport
					Next    string
				}
				o.get("/api/v1/saved-reports?limit=1"+query+"&cursor="+url.QueryEscape(cursor), secret, &page)
				if reports = append(reports, page.Reports...); page.Next == "" {
					return reports
				}
				cursor = page.Next
			}
		}
		require.Len(t, list(all, ""), 3)
		require.Len(t, list(all, "&site=chairs.example"), 1)
		seen := list(one, "")
		require.Len(t, seen, 1)
		require.Equal(t, "Of lamps", seen[0].Name)
		require.Equal(t, "2026-01-31", seen[0].Question.Last)
		require.Equal(t, []string{"channel="}, seen[0].Question.Filters)
		for _, other := range list(all, "") {
			if other.Site == "lamps.example" {
				continue
			}
			path := fmt.Sprintf("/api/v1/saved-reports/%d", other.ID)
			o.refuses(404, path, one, "no such saved report")
			o.refusesTo(404, "PUT", path, one, `{"name":"Mine","question":{"by":["source"]}}`, "no such saved report", "If-Match", "*")
			o.refusesTo(404, "DELETE", path, one, "", "no such saved report")
		}
		o.refusesTo(403, "POST", "/api/v1/saved-reports", one, fmt.Sprintf(`{"operator_id":%d,"name":"A","question":{"by":["source"]}}`, anna.ID), "only a token for all sites")
		o.refusesTo(422, "POST", "/api/v1/saved-reports", all, fmt.Sprintf(`{"operator_id":%d,"name":"A","question":{"by":["source"]}}`, boris.ID), "body.operator_id")
		o.refusesTo(422, "POST", "/api/v1/saved-reports", all, fmt.Sprintf(`{"operator_id":%d,"site":"chairs.example","name":"A","question":{"by":["source"]}}`, boris.ID), "body.operator_id")

		// Of two who change the same, the second is told.
		path := fmt.Sprintf("/api/v1/saved-reports/%d", seen[0].ID)
		response, _ := o.call("GET", path, one, "")
		tag := response.Header.Get("ETag")
		response, _ = o.call("PUT", path, one, `{"name":"Spring","question":{"by":["source"],"filters":["channel=direct"]}}`, "If-Match", tag)
		require.Equal(t, http.StatusOK, response.StatusCode)
		o.refusesTo(412, "PUT", path, one, `{"name":"Summer","question":{"by":["source"]}}`, "somebody else", "If-Match", tag)
		o.refusesTo(409, "PUT", path, one, `{"name":"Her own","question":{"by":["source"]}}`, "of that name", "If-Match", "*")
		// What is as long as an address may be is the most.
		o.refusesTo(422, "PUT", path, one, `{"name":"A","question":{"by":["source"],"filters":["channel=`+strings.Repeat("ы", 600)+`"]}}`, "filters", "If-Match", "*")
	})
}

// A link that a program makes opens the report, until it is ended.
func TestReportLinks(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.WriteReports)
		const path = "/api/v1/sites/lamps.example/report-links"
		response, body := o.call("POST", path, secret, `{"name":"For the agency","question":{"by":["campaign","hour"],"span":"last_month","figure":"sales"},"days":7}`)
		require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
		var made struct {
			ID      int64
			Address string
		}
		require.NoError(t, json.Unmarshal(body, &made))
		address, found := strings.CutPrefix(made.Address, o.url+"/r/")
		require.True(t, found, made.Address)
		opened, err := o.Links.Open(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, o.lamps.ID, opened.SiteID)
		query, err := url.ParseQuery(opened.Query)
		require.NoError(t, err)
		require.Equal(t, "campaign hour last_month sales", query.Get("by")+" "+query.Get("and")+" "+query.Get("span")+" "+query.Get("figure"))
		_, body = o.call("GET", path, secret, "")
		require.NotContains(t, string(body), address)

		o.refusesTo(404, "DELETE", fmt.Sprintf("/api/v1/sites/chairs.example/report-links/%d", made.ID), secret, "", "no site")
		response, _ = o.call("DELETE", fmt.Sprintf("%s/%d", path, made.ID), secret, "")
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		_, err = o.Links.Open(t.Context(), address)
		require.ErrorIs(t, err, link.ErrEnded)
		for range link.Max {
			response, body = o.call("POST", path, secret, `{"name":"A","question":{"by":["source"]},"days":1}`)
			require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
		}
		o.refusesTo(409, "POST", path, secret, `{"name":"A","question":{"by":["source"]},"days":1}`, "at most 100")
	})
}

func TestBulletinsOfPrograms(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.WriteReports)
		const path, asked = "/api/v1/sites/lamps.example/bulletins", `{"address":"owner@lamps.example","every":"week"}`
		response, body := o.call("POST", path, secret, asked)
		require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
		o.refusesTo(409, "POST", path, secret, asked, "already")
		var made handouts.Bulletin
		require.NoError(t, json.Unmarshal(body, &made))
		test := fmt.Sprintf("%s/%d/test", path, made.ID)
		response, _ = o.call("POST", test, secret, "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		o.refusesTo(429, "POST", test, secret, "", "just now")
		of, err := o.Bulletins.Get(t.Context(), o.lamps.ID, made.ID)
		require.NoError(t, err)
		require.NoError(t, o.Bulletins.Stop(t.Context(), of))
		o.refusesTo(409, "POST", test, secret, "", "wants no more")
		o.refusesTo(409, "PUT", fmt.Sprintf("%s/%d/paused", path, made.ID), secret, `{"is_paused":false}`, "wants no more")
		_, err = o.Sites.Retire(t.Context(), o.lamps.ID, true, "vera")
		require.NoError(t, err)
		o.refusesTo(409, "POST", path, secret, `{"address":"other@lamps.example","every":"day"}`, "retired")
	})
}
