package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A program that looks at the links of a mail stops nothing. The button does, and so does a mail program (RFC 8058).
func TestFiguresByMailAreStoppedByPost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		added, err := s.bulletins.Add(t.Context(), bulletin.Subscription{SiteID: siteID, Address: "owner@shop.example", Language: "ru", Every: bulletin.Day}, "vera")
		require.NoError(t, err)
		link := bulletin.StopPath + "?t=" + s.visits.Keys.SubscriptionToken(siteID, added.ID, time.Hour)
		state := func() bulletin.State {
			found, err := s.bulletins.Get(t.Context(), siteID, added.ID)
			require.NoError(t, err)
			return found.State
		}
		status, page, _ := s.follow(http.MethodGet, link, "")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, page, `<form method="post"><button>`)
		require.Contains(t, page, `<html lang="ru">`)
		require.Equal(t, bulletin.Active, state())
		status, page, set := s.follow(http.MethodPost, link, "")
		require.Equal(t, http.StatusOK, status)
		require.NotContains(t, page, "<form")
		require.Empty(t, set)
		require.Equal(t, bulletin.Stopped, state())
		_, page, _ = s.follow(http.MethodGet, link, "")
		require.NotContains(t, page, "<form", "it is over already")
		for _, wrong := range []string{bulletin.StopPath, bulletin.StopPath + "?t=x", link + "x", "v1/chat/stop" + link[len(bulletin.StopPath):]} {
			status, _, _ = s.follow(http.MethodPost, wrong, "")
			require.Equal(t, http.StatusNotFound, status, wrong)
		}
	})
}
