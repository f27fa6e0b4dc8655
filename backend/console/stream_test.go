package console_test

import (
	"bufio"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// event is a server-sent event as a browser reads it.
type event struct{ id, name, data string }

// stream is an open stream of events.
type stream struct {
	t      *testing.T
	status int
	lines  *bufio.Reader
	close  context.CancelFunc
	again  func(last string) *stream
	last   string // the id of the last event
}

// follow opens the stream that the page names.
func (b *browser) follow(page, lastEventID string) *stream {
	b.t.Helper()
	return b.open(b.liveAddress(page), lastEventID)
}

// liveAddress is where the page's stream is.
func (b *browser) liveAddress(page string) string {
	b.t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get(page).body))
	require.NoError(b.t, err)
	address, found := document.Find(`#stream`).Attr("hx-sse:connect")
	require.True(b.t, found, "the page has no stream")
	return address
}

func (b *browser) open(address, lastEventID string) *stream {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Minute) // of all that is heard
	r := b.request(http.MethodGet, address).WithContext(ctx)
	r.Header.Set("HX-Request", "true")
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	response, err := b.Do(r)
	require.NoError(b.t, err)
	b.t.Cleanup(func() {
		cancel()
		response.Body.Close()
	})
	if response.StatusCode == http.StatusOK {
		require.Equal(b.t, "text/event-stream", response.Header.Get("Content-Type"))
	}
	return &stream{t: b.t, status: response.StatusCode, lines: bufio.NewReader(response.Body), close: cancel,
		again: func(last string) *stream { return b.open(address, last) }, last: lastEventID}
}

// next is the next event; at the stream's end there is none.
func (s *stream) next() (e event, found bool) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.name == "here":
			e = event{}
		case line == "" && e != event{}:
			s.last = cmp.Or(e.id, s.last)
			return e, true
		case line == "" || field == "":
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value + "\n"
		default:
			require.Fail(s.t, "no field of an event", "%q", line)
		}
	}
}

// until reads to the event whose data has the texts.
func (s *stream) until(texts ...string) (wanted event) {
	s.t.Helper()
	s.hear(texts, func(e event) bool {
		wanted = e
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(e.data, text) })
	})
	return wanted
}

// hear gives events to enough until it has what it wants. A stream whose node hears nothing for a while has ended: the
// page comes back, and so does hear.
func (s *stream) hear(what any, enough func(event) bool) {
	s.t.Helper()
	for ended := 0; ; {
		e, found := s.next()
		switch {
		case found && enough(e):
			return
		case !found:
			ended++
			require.LessOrEqual(s.t, ended, 5, "the stream ended before %q", what)
			*s = *s.again(s.last)
		}
	}
}

func TestLeadArrivesAndNoneIsMissed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		h := d.hit(visit.Arrival{})
		for page, target := range map[string]string{"/leads": "#leads", "/visitors": "#arrivals", "/account": "#arrivals"} {
			s := b.follow(page, "")
			require.Equal(t, http.StatusOK, s.status)
			d.lead(h, map[string]any{"message": "First from " + page})
			first := s.until("First from " + page)
			require.Contains(t, first.data, `hx-target="`+target+`"`)
			require.NotEmpty(t, first.id)
			s.close()

			d.lead(h, map[string]any{"message": "Second from " + page})
			d.lead(h, map[string]any{"message": "Third from " + page})
			again := b.follow(page, first.id)
			missed := ""
			again.hear("Third from "+page, func(e event) bool {
				missed += e.data
				return strings.Contains(missed, "Third from "+page)
			})
			require.Contains(t, missed, "Second from "+page)
			require.NotContains(t, missed, "First from "+page, "what was told is not told again")
			again.close()
		}
	})
}

func TestLeadThatCameBetweenPageAndStreamIsTold(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/leads").body))
		require.NoError(t, err)
		d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna"})
		b.open(document.Find("#stream").AttrOr("hx-sse:connect", ""), "").until("Anna")
	})
}

func TestVisitorsComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		d.hit(visit.Arrival{Title: "Birch lamp"})
		s := b.follow("/visitors", "")
		first := s.until("Birch lamp")
		require.Contains(t, first.data, `data-order="visit-`)
		d.hit(visit.Arrival{Title: "Arc lamp"})
		second := s.until("Arc lamp")
		require.NotContains(t, second.data, "Birch lamp", "only what changed is sent")
		require.Equal(t, 2, strings.Count(second.data[strings.Index(second.data, "data-order="):], "visit-"), "and the order of all")
	})
}

func TestHostileTextMakesNoEvents(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		s := b.follow("/leads", "")
		h := d.hit(visit.Arrival{Title: hostile})
		for _, text := range []string{hostile, "a\revent: ended", "b\n\nevent: ended\ndata: x\n\n", "c\r\n\r\nid: 0-0\r\n"} {
			d.lead(h, map[string]any{"name": text, "form_name": text})
		}
		e := s.until("c")
		require.Empty(t, e.name)
		require.NotContains(t, e.data, "<script")
		require.Equal(t, strings.Count(e.data, "<hx-partial"), strings.Count(e.data, "</hx-partial>"))
	})
}

func TestStreamIsPresence(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		ctx := t.Context()
		online := func() bool {
			is, err := d.Presence.Online(ctx, d.shop.ID)
			require.NoError(t, err)
			return is
		}
		b := d.signedIn("vera")
		b.get("/visitors")
		require.False(t, online())
		s := b.follow("/visitors", "")
		_, found := s.next()
		require.True(t, found)
		require.True(t, online())

		require.Equal(t, http.StatusSeeOther, b.post("/account/away", "away", "true", "back", "/leads").status)
		require.False(t, online())
		require.Contains(t, b.get("/leads").body, "Away")
		require.Equal(t, http.StatusSeeOther, b.post("/account/away", "away", "false").status)
		require.True(t, online())

		d.hold()
		s.close()
		d.console.Close() // returns when the stream has ended
		require.True(t, online(), "perhaps on the way to the next page")
		d.pass(presence.FadeTime + time.Second)
		require.Eventually(t, func() bool { return !online() }, time.Minute, 50*time.Millisecond, "the lease itself has not ended")
	})
}

func TestStreamEndsWithTheSession(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for how, end := range map[string]func(b *browser){
			"sign-out": func(b *browser) { b.post("/sign-out") },
			"password": func(*browser) {
				require.NoError(t, d.Operators.Passwd(t.Context(), operator.Server(), "vera", password))
			},
		} {
			b := d.signedIn("vera")
			s := b.follow("/leads", "")
			end(b)
			for {
				e, found := s.next()
				require.True(t, found, "%s: the page is not told", how)
				if e.name == "ended" {
					break
				}
			}
			_, found := s.next()
			require.False(t, found, how)
			require.Equal(t, http.StatusUnauthorized, b.open("/stream/leads?after=0-0", "").status)
		}
	})
}

func TestAnAccountDoesNotTakeAllStreams(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		require.NoError(t, d.Operators.Add(t.Context(), "boris", password, operator.Agent))
		vera, boris := d.signedIn("vera"), d.signedIn("boris")
		others := boris.follow("/leads", "")
		address := vera.liveAddress("/leads")
		kept := make([]*stream, 20)
		for i := range kept {
			kept[i] = vera.open(address, "")
			require.Equal(t, http.StatusOK, kept[i].status)
		}
		for range 3 {
			kept = append(kept, vera.open(address, ""))
			require.Equal(t, http.StatusOK, kept[len(kept)-1].status, "the newest comes in")
			e, found := kept[0].next()
			require.True(t, found, "the oldest is told")
			require.Equal(t, "yielded", e.name)
			_, found = kept[0].next()
			require.False(t, found, "and ends")
			kept = kept[1:]
		}
		d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna"})
		for _, s := range append(kept, others) {
			s.until("Anna")
		}
	})
}

func TestStreamsEndWithTheConsole(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		s := b.follow("/leads", "")
		require.Equal(t, http.StatusOK, s.status)
		d.console.Close()
		for found := true; found; {
			_, found = s.next()
		}
		require.Equal(t, http.StatusServiceUnavailable, b.follow("/leads", "").status)
	})
}

func TestStreamRefusesWhatItDoesNotKnow(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Equal(t, http.StatusBadRequest, b.open("/stream/leads?after=nowhere", "").status)
		require.Equal(t, http.StatusBadRequest, b.open("/stream/leads?after=0-0", "x").status)
		require.Equal(t, http.StatusNotFound, b.open("/stream/nothing?after=0-0", "").status)
		require.Equal(t, http.StatusNotFound, b.open("/stream/card?after=0-0&visitor=x", "").status)
	})
}
