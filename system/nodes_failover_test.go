package system

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// pair are two nodes on one database, which are asked for pages and send leads and forms.
type pair struct {
	t            *testing.T
	first, other *node
	visitor      *sender
	acknowledged int // leads
	forms        int // that the site has taken
}

// runPair runs them with the option of the database.
func runPair(t *testing.T, database string) *pair {
	m := newMailer(t)
	caddyfile := `
	{
		frontdesk {
			database ` + database + `
			operator vera "` + hash + `"
		}
	}
	http://localhost:$PORT {
		frontdesk shop {
			capture /send/*
		}
		reverse_proxy ` + strings.TrimPrefix(m.URL, "http://") + `
	}
	http://localhost:$PORT2 {
		frontdesk_console
	}`
	p := &pair{t: t, first: runNode(t, caddyfile), other: runNode(t, caddyfile)}
	p.visitor = p.first.arrive()
	require.True(t, p.lead())
	return p
}

// lead sends one, and tells whether it was acknowledged.
func (p *pair) lead() bool {
	p.t.Helper()
	if !p.visitor.lead(10) {
		return false
	}
	p.acknowledged++
	return true
}

// goOn has both nodes serve a page, which never waits for the database, and the first pass a form.
func (p *pair) goOn() {
	p.t.Helper()
	for _, n := range []*node{p.first, p.other} {
		began := time.Now()
		require.Equal(p.t, http.StatusOK, n.Get("http://localhost:$PORT/lamps").StatusCode)
		require.Less(p.t, time.Since(began), wait)
	}
	p.forms++
	sent, err := p.first.Do(http.MethodPost, "http://localhost:$PORT/send/200", fmt.Sprintf("name=Anna&phone=%%2B7495%07d", p.forms), "Content-Type", formType, "User-Agent", browser)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, sent.StatusCode)
}

// recovers waits until leads are acknowledged again, and all that was taken is stored once.
func (p *pair) recovers(source string) {
	p.t.Helper()
	began := time.Now()
	require.Eventually(p.t, func() bool { return p.lead() }, 2*wait, tick)
	p.t.Logf("leads are stored again after %v", time.Since(began).Round(10*time.Millisecond))
	d, err := sql.Open("pgx", source)
	require.NoError(p.t, err)
	defer d.Close()
	count := func(what string) (n int) {
		require.NoError(p.t, d.QueryRow("SELECT COUNT("+what+") FROM leads").Scan(&n))
		return n
	}
	const forms, leads = "DISTINCT NULLIF(phone_digits, '')", "NULLIF(message, '')"
	require.Eventually(p.t, func() bool { return count(forms) == p.forms }, 2*wait, tick, "forms that waited on the disk")
	// A lead may be stored whose answer was lost. One that was acknowledged is, and once.
	stored := count(leads)
	require.GreaterOrEqual(p.t, stored, p.acknowledged)
	require.LessOrEqual(p.t, stored, p.visitor.sent)
	require.Equal(p.t, p.forms+stored, count("*"))
}

// hear has what is changed at one node be known at the other.
func (p *pair) hear() {
	p.t.Helper()
	console := p.first.console()
	vera, signedIn := console.as("vera")
	require.True(p.t, signedIn)
	console.Client.Jar = vera.Jar
	for _, suspended := range []bool{true, false} {
		answer, err := console.Do(http.MethodPost, "http://localhost:$PORT/sites/1/suspended", fmt.Sprint("suspended=", suspended), "Content-Type", formType, "Origin", console.Text("http://localhost:$PORT"))
		require.NoError(p.t, err)
		require.Equal(p.t, http.StatusOK, answer.StatusCode, answer.Content)
		require.Eventually(p.t, func() bool {
			return suspended != strings.Contains(p.other.Get("http://localhost:$PORT/lamps").Content, insertion)
		}, wait, tick)
	}
}

// The primary is lost, and a standby takes its place that had all that was acknowledged. Both nodes find it by themselves.
func TestFailover(t *testing.T) {
	primary := dbtest.OwnServer(t)
	standby, err := primary.Standby()
	require.NoError(t, err)
	t.Cleanup(standby.Remove)
	p := runPair(t, fmt.Sprintf(`postgres "postgres://postgres@%s,%s/postgres?sslmode=disable&target_session_attrs=read-write"`, primary.Address, standby.Address))
	p.goOn()
	p.hear()
	for range 20 {
		require.True(t, p.lead())
	}

	require.NoError(t, primary.Kill())
	p.goOn()
	require.False(t, p.lead(), "nobody is there who can store it")
	p.goOn()
	require.NoError(t, standby.Promote())
	p.goOn()
	p.recovers(standby.Source())
	p.goOn()
	p.hear()
	p.recovers(standby.Source())
}

// All but listening goes through a pooler that gives each transaction another connection. It may end and come back.
func TestPooler(t *testing.T) {
	server := dbtest.OwnServer(t)
	pooler := dbtest.OwnPooler(t, server)
	p := runPair(t, fmt.Sprintf("postgres %q {\n\t\t\t\tdirect %q\n\t\t\t}", pooler.Source("postgres"), server.Source()))
	p.goOn()
	p.hear()
	for range 20 {
		require.True(t, p.lead())
	}
	pooler.Stop()
	p.goOn()
	require.False(t, p.lead())
	require.NoError(t, pooler.Start())
	p.recovers(server.Source())
	p.hear()
}
