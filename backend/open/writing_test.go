package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What is made with a key is made once, however often and at whatever moment the call comes again.
func TestIdempotency(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		const path, key = "/api/v1/sites/lamps.example/replies", "Idempotency-Key"
		secret := o.token(scope.All(), token.Scopes...)
		made := func(secret, asked, key string) (*http.Response, string) {
			response, body := o.call("POST", path, secret, asked, "Idempotency-Key", key)
			return response, string(body)
		}
		const hello = `{"word":"hello","text":"Good day!"}`
		first, said := made(secret, hello, "order 1")
		require.Equal(t, http.StatusCreated, first.StatusCode)
		require.Empty(t, first.Header.Get("Idempotency-Replayed"))
		again, repeated := made(secret, hello, "order 1")
		require.Equal(t, http.StatusCreated, again.StatusCode)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		require.Equal(t, said, repeated)
		require.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
		require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))

		o.refusesTo(422, "POST", path, secret, `{"word":"hello","text":"Another"}`, "another call was made", key, "order 1")
		o.refusesTo(422, "POST", path+"?x=1", secret, hello, "another call was made", key, "order 1")
		o.refusesTo(422, "POST", path, secret, hello, "no other reply", key, "order 2")
		o.refusesTo(400, "POST", path, secret, hello, "at most 255", key, strings.Repeat("a", 256))
		// What was refused has done nothing, so the key is free.
		response, _ := made(secret, `{"word":"bye","text":"Good bye."}`, "order 2")
		require.Equal(t, http.StatusCreated, response.StatusCode)
		// Another program has keys of its own.
		other := o.token(scope.All(), token.WriteSites)
		response, _ = made(other, `{"word":"third","text":"x"}`, "order 1")
		require.Equal(t, http.StatusCreated, response.StatusCode)

		var mu sync.Mutex
		var done sync.WaitGroup
		statuses := make(map[int]int)
		for range 8 {
			done.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), "POST", o.url+path, strings.NewReader(`{"word":"once","text":"x"}`))
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Authorization", "Bearer "+secret)
				request.Header.Set("Idempotency-Key", "at once")
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				response.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				statuses[response.StatusCode]++
			})
		}
		done.Wait()
		require.Equal(t, 8, statuses[http.StatusCreated]+statuses[http.StatusConflict], statuses)
		require.Positive(t, statuses[http.StatusCreated])
		var list struct{ Replies []struct{ Word string } }
		o.get(path, secret, &list)
		require.Len(t, list.Replies, 4)

		// Nothing of an answer can be read in the database.
		answers, err := db.List(t.Context(), o.db.Read(), db.Only[[]byte], `SELECT answer FROM open_answers`)
		require.NoError(t, err)
		require.Len(t, answers, 4)
		for _, answer := range answers {
			require.NotContains(t, string(answer), "Good day!")
		}
		o.clock.Pass(once.KeepFor + time.Second)
		require.NoError(t, o.Answers.Prune(t.Context()))
		o.refusesTo(422, "POST", path, secret, hello, "no other reply", key, "order 1")
	})
}

// A call of which the answer was lost can neither be repeated nor answered.
func TestLostAnswers(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		call := once.Call{TokenID: 1, Secret: "a secret", Key: "a key", Asked: []byte("POST /")}
		before, err := o.Answers.Begin(t.Context(), call)
		require.NoError(t, err)
		require.Nil(t, before)
		_, err = o.Answers.Begin(t.Context(), call)
		require.ErrorIs(t, err, once.ErrRunning)
		o.clock.Pass(time.Minute)
		_, err = o.Answers.Begin(t.Context(), call)
		require.ErrorIs(t, err, once.ErrLost)
		require.NoError(t, o.Answers.Keep(t.Context(), call, once.Answer{Status: 201, Body: []byte("done")}))
		before, err = o.Answers.Begin(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, "done", string(before.Body))
	})
}

// Of two who change the same, the second is told.
func TestTwoAtOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.Scopes...)
		for _, path := range []string{"/api/v1/sites/lamps.example/settings", "/api/v1/sites/lamps.example/captures"} {
			response, _ := o.call("GET", path, secret, "")
			seen := response.Header.Get("ETag")
			method, asked := "PATCH", `{"region":"DE"}`
			if strings.HasSuffix(path, "captures") {
				method, asked = "PUT", `{"own":[{"path":"/a"}]}`
			}
			response, body := o.call(method, path, secret, asked, "If-Match", seen)
			require.Equal(t, 200, response.StatusCode, string(body))
			require.NotEqual(t, seen, response.Header.Get("ETag"))
			o.refusesTo(412, method, path, secret, asked, "somebody else", "If-Match", seen)
		}
		response, body := o.call("POST", "/api/v1/sites/lamps.example/groups", secret, `{"name":"Sales"}`)
		require.Equal(t, 201, response.StatusCode, string(body))
		var made struct{ ID json.Number }
		require.NoError(t, json.Unmarshal(body, &made))
		path, seen := "/api/v1/sites/lamps.example/groups/"+made.ID.String(), response.Header.Get("ETag")
		response, _ = o.call("PUT", path, secret, `{"name":"Repairs"}`, "If-Match", seen)
		require.Equal(t, 200, response.StatusCode)
		o.refusesTo(412, "PUT", path, secret, `{"name":"Sales"}`, "somebody else", "If-Match", seen)
	})
}

// A change of settings says what it changes alone; null takes a setting away.
func TestPatch(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.Scopes...)
		const path = "/api/v1/sites/lamps.example/settings"
		patch := func(asked string) (own map[string]any) {
			response, body := o.call("PATCH", path, secret, asked, "If-Match", "*")
			require.Equal(t, 200, response.StatusCode, string(body))
			var said struct{ Own map[string]any }
			require.NoError(t, json.Unmarshal(body, &said))
			return said.Own
		}
		patch(`{"widget":{"color":"#fff","title":"Ask us"},"region":"RU"}`)
		own := patch(`{"widget":{"color":null,"side":"left"}}`)
		require.Equal(t, map[string]any{"widget": map[string]any{"title": "Ask us", "side": "left"}, "region": "RU"}, own)
		require.Empty(t, patch(`{"widget":null,"region":null}`))
	})
}

func TestWrongBodies(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.Scopes...)
		const path = "/api/v1/sites/lamps.example/replies"
		o.refusesTo(413, "POST", path, secret, `{"word":"a","text":"`+strings.Repeat("a", 300<<10)+`"}`, "too large")
		o.refusesTo(413, "POST", path, secret, `{"word":"a","text":"`+strings.Repeat("a", 300<<10)+`"}`, "too large", "Idempotency-Key", "large")
		o.refusesTo(400, "POST", path, secret, `{"word":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`,"text":"x"}`, "depth")
		o.refusesTo(422, "POST", path, secret, `{"word":`+strings.Repeat("[", 5_000)+strings.Repeat("]", 5_000)+`,"text":"x"}`, "body.word")
		o.refusesTo(415, "POST", path, secret, `word=a`, "", "Content-Type", "application/x-www-form-urlencoded")
		o.refusesTo(400, "POST", path, secret, ``, "body")
		// Of many mistakes some are told, and of a long value its beginning.
		var many strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&many, `"a%d":1,`, i)
		}
		for _, asked := range []string{
			`{` + many.String() + `"word":"a","text":"x"}`, `{"word":"` + strings.Repeat("ы", 100_000) + `","text":"x"}`, `{"` + strings.Repeat("a", 200_000) + `":1}`, `"` + strings.Repeat("a", 200_000) + `"`,
			`{"word":` + strings.Repeat("9", 200_000) + `}`, `{"word":1` + strings.Repeat("é", 100_000) + `}`,
		} {
			response, body := o.call("POST", path, secret, asked)
			require.GreaterOrEqual(t, response.StatusCode, 400)
			require.Less(t, len(body), 10<<10)
		}
		o.refusesTo(405, "PATCH", path, secret, ``, "does not take that method")
	})
}
