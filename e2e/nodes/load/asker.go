package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// wait is how long an answer may take, and until is for how long something is sent again.
const wait, until = 15 * time.Second, 3 * time.Minute

// asker sends requests to a target.
type asker struct {
	Target
	client  http.Client // with a limit for each answer
	streams http.Client
	// once is for what is sent once. A browser asks again when a connection that it has kept is ended just then; this client
	// keeps none.
	once http.Client
	keys signature.Keys
}

// answer is what came of a request.
type answer struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
	content []byte
}

// instead is what came in place of what was expected.
func (a answer) instead(err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %.300s", a.status, a.content)
}

// request is one to be sent, once or more.
type request struct {
	method, host, path, body string
	header                   []string
}

// send sends it once. What has begun is let end when the load ends.
func (l *asker) send(ctx context.Context, r request) (answer, error) {
	return l.sendBy(context.WithoutCancel(ctx), &l.client, r)
}

func (l *asker) sendBy(ctx context.Context, by *http.Client, r request) (a answer, err error) {
	made, err := r.made(ctx)
	if err != nil {
		return a, err
	}
	response, err := by.Do(made)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header, a.cookies = response.StatusCode, response.Header, response.Cookies()
	a.content, err = io.ReadAll(response.Body)
	return a, err
}

func (r request) made(ctx context.Context) (*http.Request, error) {
	made, err := http.NewRequestWithContext(ctx, r.method, "http://"+r.host+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(r.header); i += 2 {
		made.Header.Set(r.header[i], r.header[i+1])
	}
	return made, nil
}

// errRefused is an answer that no repetition changes.
var errRefused = errors.New("refused")

// insist sends it again until the answer is 200 or 201, as those do who must not lose anything. An answer below 500 but
// 408, 425 and 429 is final.
func (l *asker) insist(ctx context.Context, next func() request) (a answer, err error) {
	pause := 500 * time.Millisecond
	for began := time.Now(); ; {
		a, err = l.send(ctx, next())
		switch {
		case err == nil && (a.status == http.StatusOK || a.status == http.StatusCreated):
			return a, nil
		case err == nil && a.status < 500 && a.status != http.StatusRequestTimeout && a.status != http.StatusTooEarly && a.status != http.StatusTooManyRequests:
			return a, errRefused
		}
		if time.Since(began) > until || !sleep(ctx, pause/2+rand.N(pause)) {
			return a, errors.New(a.instead(err))
		}
		pause = min(2*pause, 4*time.Second)
	}
}

// api sends a call of the API.
func (l *asker) api(method, path string, body any, header ...string) request {
	return request{method, l.Console, "/api/v1/" + path, encode(body), append(header, "Authorization", "Bearer "+l.Token, "Content-Type", "application/json")}
}

func encode(body any) string {
	if body == nil {
		return ""
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		panic(err) // it is of this program
	}
	return b.String()
}
