package forward_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// outcomes are counted.
type outcomes struct {
	mu sync.Mutex
	of map[forward.Outcome]int
}

func (o *outcomes) Forwarded(outcome forward.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[forward.Outcome]int{}
	}
	o.of[outcome]++
}

// sender runs what forwards for the database until the test ends.
func sender(t testing.TB, d *db.DB) (*forward.Forwards, *queue.Queue, *outcomes) {
	q, o := queue.New(d, zap.NewNop()), new(outcomes)
	f := forward.New(d, q, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return f, q, o
}

// asked is a request that a service was sent.
type asked struct {
	Method, Path, Type, Key string
	Fields                  url.Values
}

// service is one that keeps the browser interface and nothing else. answer is called with each request; 0 is
// for the answer of section 4.2.
func service(t testing.TB, answer func(n int, w http.ResponseWriter, a asked) (status int)) (forward.Service, chan asked) {
	requests := make(chan asked, 1000)
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := asked{r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), r.URL.Query()}
		if a.Type != "" {
			a.Fields, _ = url.ParseQuery(string(body))
		}
		requests <- a
		w.Header().Set("Content-Type", "application/json")
		switch status := answer(int(n.Add(1)), w, a); status {
		case 0:
			io.WriteString(w, `{"success":true}`)
		case http.StatusOK:
		default:
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(s.Close)
	of, err := forward.ParseService(s.URL+"/desk", "")
	require.NoError(t, err)
	return of, requests
}

func taken(int, http.ResponseWriter, asked) int { return 0 }

var signed = map[string]string{
	"site_key": "shop", "key": "k1", "uri": "http://shop.example/", "visitor_id": "11", "hit_id": "12", "session_id": "13",
	"consultant_server_url": "http://elsewhere.example/",
}

func lead(of forward.Service, credentials map[string]string) forward.Item {
	return forward.Item{
		ID: strings.Repeat("i", 22), Service: of, SiteKey: "shop", Signed: true, Credentials: credentials,
		Fields: url.Values{"name": {"Анна"}, "phone": {"+7 495 111-22-33"}, "text": {"Is it\r\nthere?"}, "user_fields[city]": {"Kazan"}},
		From:   forward.Browser{Page: "http://shop.example/", Client: "203.0.113.7", UserAgent: "Browser/1"},
	}
}

// The calls are those of the specification, with the credentials unchanged.
func TestCallsOfTheInterface(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f, _, _ := sender(t, d)
		of, requests := service(t, taken)
		require.NoError(t, f.Add(t.Context(), 1, lead(of, signed)))
		fields := url.Values{"name": {"Анна"}, "phone": {"+7 495 111-22-33"}, "text": {"Is it\r\nthere?"}, "user_fields[city]": {"Kazan"}}
		for name, value := range signed {
			fields.Set(name, value)
		}
		require.Equal(t, asked{"POST", "/desk/api/add_offline_message/", "application/x-www-form-urlencoded; charset=UTF-8", strings.Repeat("i", 22), fields}, <-requests)

		information := lead(of, signed)
		information.Fields, information.Information = nil, url.Values{"name": {"Анна"}, "phone": {"+7 495 111-22-33"}}
		require.NoError(t, f.Add(t.Context(), 1, information))
		require.Equal(t, asked{"GET", "/desk/vc/s/", "", "", url.Values{
			"sk": {"shop"}, "k": {"k1"}, "ur": {"http://shop.example/"}, "ci": {"11"}, "hi": {"12"}, "vn": {"Анна"}, "vp": {"+7 495 111-22-33"}, "s": {"1"},
		}}, <-requests)

		unsigned := map[string]string{"site_key": "shop", "visitor_id": "11", "hit_id": "12", "session_id": "13"}
		information.Credentials, information.Service.Tracker = unsigned, of.Tracker+"/tracker"
		require.NoError(t, f.Add(t.Context(), 1, information))
		require.Equal(t, asked{"GET", "/desk/tracker/vc/s/", "", "", url.Values{
			"sk": {"shop"}, "ci": {"11"}, "hi": {"12"}, "vn": {"Анна"}, "vp": {"+7 495 111-22-33"}, "s": {"1"},
		}}, <-requests)
	})
}

// A service that does not take it now is asked again until it does, and then once.
func TestServiceThatIsAway(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, a asked) int{
		"an error": func(http.ResponseWriter, asked) int { return http.StatusInternalServerError },
		"too many": func(w http.ResponseWriter, _ asked) int {
			w.Header().Set("Retry-After", "1")
			return http.StatusTooManyRequests
		},
		"a redirection": func(w http.ResponseWriter, _ asked) int {
			w.Header().Set("Location", "/desk/moved")
			return http.StatusFound
		},
		"no such site": func(w http.ResponseWriter, _ asked) int {
			io.WriteString(w, `{"success":false,"code":"unknown_site"}`)
			return http.StatusOK
		},
		"a page": func(w http.ResponseWriter, _ asked) int {
			io.WriteString(w, `<h1>Back soon</h1>`)
			return http.StatusOK
		},
		"not found": func(http.ResponseWriter, asked) int { return http.StatusNotFound },
		"nothing":   func(http.ResponseWriter, asked) int { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.Open(t, dbtest.SQLite(t))
			f, q, o := sender(t, d)
			of, requests := service(t, func(n int, w http.ResponseWriter, a asked) int {
				if n < 3 {
					return answer(w, a)
				}
				return 0
			})
			require.NoError(t, f.Add(t.Context(), 1, lead(of, signed)))
			for range 3 {
				require.Equal(t, "/desk/api/add_offline_message/", (<-requests).Path)
			}
			require.Eventually(t, func() bool {
				n, _, err := q.Waiting(t.Context(), forward.Kind, scope.All())
				return err == nil && n == 0
			}, time.Minute, 10*time.Millisecond)
			require.Empty(t, requests)
			require.Equal(t, map[forward.Outcome]int{forward.Failed: 2, forward.Taken: 1}, o.of)
		})
	}
}

// What a service will never take is kept with the reason, which names nobody, and can be sent again.
func TestWhatIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f, q, _ := sender(t, d)
		var mended atomic.Bool
		of, requests := service(t, func(n int, w http.ResponseWriter, a asked) int {
			switch {
			case mended.Load():
				return 0
			case a.Path == "/desk/v1/hit":
				return http.StatusNotFound // it does not know such calls
			}
			io.WriteString(w, `{"success":false,"error":"the credentials are old","code":"forged"}`)
			return http.StatusOK
		})
		require.NoError(t, f.Add(t.Context(), 1, lead(of, signed)))
		require.Equal(t, "/desk/api/add_offline_message/", (<-requests).Path)
		require.Equal(t, "/desk/v1/hit", (<-requests).Path, "perhaps the cookie tells whose it is")

		refused := lead(of, nil)
		refused.Call = &forward.Call{Method: "POST", Path: "v1/lead", Body: "{}"}
		require.NoError(t, f.Add(t.Context(), 1, refused))
		dead := func(n int) (list []queue.Dead) {
			require.Eventually(t, func() bool {
				var err error
				list, err = q.Dead(t.Context(), forward.Kind, scope.All(), queue.Dead{}, 10)
				return assert.NoError(t, err) && len(list) == n
			}, time.Minute, 10*time.Millisecond)
			return list
		}
		var reasons []string
		for _, j := range dead(2) {
			reasons = append(reasons, j.Reason)
		}
		require.ElementsMatch(t, []string{"200 forged the credentials are old", "there are no credentials with it, and the service tells none: the service answers 404 Not Found"}, reasons)
		mended.Store(true)
		for _, j := range dead(2) {
			found, err := q.Again(t.Context(), 1, j.ID)
			require.NoError(t, err)
			require.True(t, found)
		}
		dead(0)
		require.Eventually(t, func() bool {
			n, _, err := q.Waiting(t.Context(), forward.Kind, scope.All())
			return err == nil && n == 0
		}, time.Minute, 10*time.Millisecond)
	})
}

func TestAddressesOfServices(t *testing.T) {
	for _, address := range []string{"", "desk.example", "ftp://desk.example/", "https://", "https://a:b@desk.example/", "https://desk.example/?a=b", "https://desk.example/#a", "http://[::1", "javascript:alert(1)"} {
		_, err := forward.ParseService(address, "")
		require.Error(t, err, "%q", address)
		_, err = forward.ParseService("https://desk.example", address)
		require.Equal(t, address != "", err != nil, "%q", address)
	}
	of, err := forward.ParseService("https://desk.example/frontdesk", "")
	require.NoError(t, err)
	require.Equal(t, forward.Service{URL: "https://desk.example/frontdesk/", Tracker: "https://desk.example/frontdesk"}, of)
}

// BenchmarkOutage has many items of a thousand visitors wait for a service that is away, and measures how long they take
// to reach it once it is back.
func BenchmarkOutage(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			var back atomic.Bool
			var n atomic.Int64
			all := make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !back.Load() {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				io.Copy(io.Discard, r.Body)
				io.WriteString(w, `{"success":true}`)
				if n.Add(1) == int64(b.N) {
					close(all)
				}
			}))
			defer s.Close()
			of, err := forward.ParseService(s.URL, "")
			require.NoError(b, err)
			jobs := make([]queue.Job, b.N)
			for i := range jobs {
				item := lead(of, signed)
				item.ID = fmt.Sprintf("item-%020d", i)
				payload, err := json.Marshal(item)
				require.NoError(b, err)
				jobs[i] = queue.Job{SiteID: 1, Kind: forward.Kind, Target: of.URL, Lane: int64(i%1000 + 1), Payload: payload}
			}
			for len(jobs) > 0 {
				some := jobs[:min(len(jobs), 5000)]
				require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error { return queue.Add(ctx, tx, some...) }))
				jobs = jobs[len(some):]
			}
			sender(b, d)
			time.Sleep(3 * time.Second) // it finds out that nobody is there
			b.ResetTimer()
			back.Store(true)
			<-all
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
		})
	}
}

// Whoever is to be forgotten is found in what waits, however it was written.
func TestTraces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		q := queue.New(d, zap.NewNop()) // which is not run
		f := forward.New(d, q, new(outcomes))
		of, err := forward.ParseService("http://desk.example/", "")
		require.NoError(t, err)
		call := func(path, body string) forward.Item {
			return forward.Item{Service: of, Call: &forward.Call{Method: "POST", Path: path, Body: body}}
		}
		information := forward.Item{Service: of, Information: url.Values{"email": {"Anna@Example.com"}}}
		for _, item := range []forward.Item{
			lead(of, signed), information, call("v1/lead", `{"request":{"email":"anna@example.com"}}`),
			call("api/add_offline_message/", "email=anna%40example.com&phone=%2B7+%28495%29+111-22-33"), call("vc/s/?ve=anna%40example.com", ""), call("v1/lead", `{"phone":"74957654321"}`),
		} {
			require.NoError(t, f.Add(t.Context(), 1, item))
		}
		persons, err := person.New(t.Context(), d, time.Now, zap.NewNop(), func(context.Context) []string { return nil }, f.Traces())
		require.NoError(t, err)
		for who, expected := range map[string]int64{"anna@example.com": 4, "+7 495 111 22 33": 2} {
			sought := person.Sought{Sites: scope.All()}
			require.NoError(t, sought.Read(who))
			known, err := persons.Look(t.Context(), "", sought)
			require.NoError(t, err)
			require.Equal(t, []person.TableRows{{Table: "jobs", Rows: expected}}, known.Rows, who)
		}
		n, err := f.Traces().Tables[1].Count(t.Context(), d.Read(), trace.Mark{Kind: trace.Visitor, SiteID: 1, ID: 11})
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
	})
}

// A service may name somebody else in its answer. That is erased, and the lead is not.
func TestAnswersThatNameAPersonAreErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f, q, _ := sender(t, d)
		of, _ := service(t, func(_ int, w http.ResponseWriter, _ asked) int {
			io.WriteString(w, `{"success":false,"error":"ask +7 916 000-00-00","code":"forged"}`)
			return http.StatusOK
		})
		require.NoError(t, f.Add(t.Context(), 1, lead(of, signed)))
		dead := func() (list []queue.Dead) {
			var err error
			list, err = q.Dead(t.Context(), forward.Kind, scope.All(), queue.Dead{}, 10)
			require.NoError(t, err)
			return list
		}
		require.Eventually(t, func() bool { return len(dead()) == 1 }, time.Minute, 10*time.Millisecond)
		before := dead()[0]
		require.Contains(t, before.Reason, "916")
		require.Equal(t, map[string]int64{"jobs": 1}, persontest.Erase(t, d, "8 916 000 00 00, +7 916 000-00-00", f.Traces()))
		after := dead()
		require.Len(t, after, 1)
		require.Empty(t, after[0].Reason)
		require.JSONEq(t, string(before.Payload), string(after[0].Payload))
	})
}
