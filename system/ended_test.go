package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// visit asks for a page of the node's console, or sends it a form, and returns where that has led to, and the page.
func (n *node) visit(client *http.Client, path string, form url.Values) (at, page string) {
	n.T.Helper()
	address := n.Text("http://localhost:$PORT" + path)
	response, err := client.Get(address)
	if form != nil {
		response, err = client.PostForm(address, form)
	}
	require.NoError(n.T, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(n.T, err)
	return response.Request.URL.Path, string(body)
}

// isIn tells whether the client's session goes on at the node.
func (n *node) isIn(client *http.Client) bool {
	n.T.Helper()
	at, _ := n.visit(client, "/account", nil)
	return at == "/account"
}

// ends waits for the end of a stream, which has its time: a test that waits for ever says nothing.
func ends(t *testing.T, stream io.Reader, why string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, stream)
	}()
	select {
	case <-done:
	case <-time.After(wait):
		require.Fail(t, "the stream goes on", why)
	}
}

// copied is another browser that has the same cookies, as somebody has who has stolen them.
func copied(t *testing.T, client *http.Client, n *node) *http.Client {
	t.Helper()
	console, err := url.Parse(n.Text("http://localhost:$PORT/"))
	require.NoError(t, err)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	jar.SetCookies(console, client.Jar.Cookies(console))
	return &http.Client{Jar: jar}
}

// What is ended on one node is ended on the other: for requests at once, because each asks the database; for streams that are
// open as soon as the other node has heard of it.
func TestWhatIsEndedOnOneNodeIsEndedOnTheOther(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	nodeOf := func(name string) *node {
		return runNode(t, `
		{
			frontdesk {
				database postgres "$SOURCE"
				name `+name+`
				operator keeper "`+hash+`"
			}
		}
		http://localhost:$PORT {
			frontdesk_console
		}`, "$SOURCE", source)
	}
	one, two := nodeOf("one"), nodeOf("two")
	keeper, signedIn := one.as("keeper")
	require.True(t, signedIn)
	at, _ := one.visit(keeper, "/operators", url.Values{"login": {"boris"}, "password": {"correct horse battery"}, "role": {"operator"}, "all": {"true"}})
	require.Equal(t, "/operators", at)
	_, page := one.visit(keeper, "/operators", nil)
	card := "/operators/" + regexp.MustCompile(`/operators/([2-9]\d*)`).FindStringSubmatch(page)[1]

	// in is a session that began on the node, with a stream on the other.
	in := func(n, other *node) (*http.Client, *bufio.Reader) {
		t.Helper()
		client, signedIn := n.as("boris")
		require.True(t, signedIn)
		require.True(t, other.isIn(client), "a session is of all nodes")
		return client, other.Stream(client, "visitors")
	}

	t.Run("by its owner", func(t *testing.T) {
		own, _ := in(one, two)
		other, stream := in(two, two)
		_, page := one.visit(own, "/account", nil)
		names := regexp.MustCompile(`name="session" value="([^"]+)"`).FindAllStringSubmatch(page, -1)
		require.Len(t, names, 1, "the other one; nobody ends the own one so")
		one.visit(own, "/account/sessions/removal", url.Values{"session": {names[0][1]}})
		require.False(t, two.isIn(other))
		ends(t, stream, "of the ended session")
		require.True(t, two.isIn(own), "the own one goes on")
		one.visit(own, "/sign-out", url.Values{})
	})
	t.Run("by signing out", func(t *testing.T) {
		own, stream := in(one, two)
		stolen := copied(t, own, one)
		require.True(t, two.isIn(stolen))
		one.visit(own, "/sign-out", url.Values{})
		require.False(t, two.isIn(stolen))
		ends(t, stream, "of who has signed out")
	})
	t.Run("by another password", func(t *testing.T) {
		own, _ := in(one, two)
		other, stream := in(two, two)
		before := copied(t, own, one)
		at, page := one.visit(own, "/account/password", url.Values{"current": {"correct horse battery"}, "password": {"another long password"}})
		require.Equal(t, "/account", at)
		require.Contains(t, page, "notice")
		require.False(t, two.isIn(other))
		require.False(t, two.isIn(before), "the own browser has another session")
		ends(t, stream, "of the old password")
		require.True(t, two.isIn(own))
		_, signedIn := two.as("boris")
		require.False(t, signedIn, "the old password")
		one.visit(own, "/account/password", url.Values{"current": {"another long password"}, "password": {"correct horse battery"}})
	})
	t.Run("by an admin", func(t *testing.T) {
		first, stream := in(two, two)
		second, otherStream := in(one, two)
		one.visit(keeper, card+"/sessions/removal", url.Values{})
		require.False(t, two.isIn(first))
		require.False(t, two.isIn(second))
		ends(t, stream, "of a session that an admin has ended")
		ends(t, otherStream, "of another one")
	})
	t.Run("by disabling the account", func(t *testing.T) {
		client, stream := in(two, two)
		one.visit(keeper, card+"/disabled", url.Values{"disabled": {"true"}})
		_, page := two.visit(client, "/visitors", nil)
		require.Contains(t, page, "Your account is disabled")
		ends(t, stream, "of a disabled account")
		one.visit(keeper, card+"/disabled", url.Values{"disabled": {"false"}})
		require.False(t, two.isIn(client), "the session does not come back")
	})
	t.Run("a token", func(t *testing.T) {
		_, page := one.visit(keeper, "/tokens", url.Values{"name": {"CRM"}, "scopes": {"leads:read", "events:read"}, "all": {"true"}, "days": {"30"}})
		token := regexp.MustCompile(`frontdesk_\w+`).FindString(page)
		require.NotEmpty(t, token)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		call := func(path string) *http.Response {
			t.Helper()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, two.Text("http://localhost:$PORT/api/v1/"+path), nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+token)
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			t.Cleanup(func() { response.Body.Close() })
			return response
		}
		require.Equal(t, http.StatusOK, call("leads").StatusCode)
		stream := call("events")
		require.Equal(t, http.StatusOK, stream.StatusCode)
		_, page = one.visit(keeper, "/tokens", nil)
		id := regexp.MustCompile(`/tokens/(\d+)/`).FindStringSubmatch(page)[1]
		one.visit(keeper, fmt.Sprintf("/tokens/%s/removal", id), url.Values{})
		require.Equal(t, http.StatusUnauthorized, call("leads").StatusCode)
		require.Equal(t, http.StatusUnauthorized, call("events").StatusCode)
		ends(t, stream.Body, "of a revoked token")
	})
	require.True(t, two.isIn(keeper), "nobody has ended this one")
}
