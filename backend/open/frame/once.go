package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
)

const (
	// keyField is the field of a call that is done once, however often it comes.
	keyField = "Idempotency-Key"
	// replayedField is the field of an answer that was given before.
	replayedField = "Idempotency-Replayed"
	// maxKey is how many characters a key has at most.
	maxKey = 255
)

// keptFields are the fields of an answer that are kept with it.
var keptFields = []string{"Content-Type", "ETag"}

// once does a call with a key once. When it comes again, the answer is that of the first time.
func (f *Frame) once(c huma.Context, next func(huma.Context)) {
	key := c.Header(keyField)
	if key == "" {
		next(c)
		return
	}
	refuse := func(status int, words string) { _ = huma.WriteErr(f.huma, c, status, words) }
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		refuse(http.StatusBadRequest, fmt.Sprintf("%s: expected at most %d characters of ASCII", keyField, maxKey))
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(c.Operation().BodyReadTimeout))                          // where the server supports none, it has its own
	body, err := intake.ReadAll(io.LimitReader(c.BodyReader(), c.Operation().MaxBodyBytes+1), -1) // a longer one is refused by what reads it next
	if errors.Is(err, intake.ErrFull) {
		_ = huma.WriteErr(f.huma, c, http.StatusInternalServerError, "", err)
		return
	}
	if err != nil {
		refuse(http.StatusRequestTimeout, "the body of the call has not arrived")
		return
	}
	c = huma.WithValue(c, keyKey{}, key)
	of, address := callerOf(c.Context()), c.URL()
	call := once.Call{TokenID: of.ID, Secret: of.secret, Key: key, Asked: fmt.Appendf(nil, "%s %s\n%s", c.Method(), address.RequestURI(), body)}
	ctx, cancel := bounded(c.Context())
	before, err := f.Answers.Begin(ctx, call)
	cancel()
	switch {
	case errors.Is(err, once.ErrOther):
		refuse(http.StatusUnprocessableEntity, err.Error())
	case errors.Is(err, once.ErrRunning):
		c.SetHeader("Retry-After", "1")
		refuse(http.StatusConflict, err.Error())
	case errors.Is(err, once.ErrLost):
		refuse(http.StatusConflict, err.Error())
	case err != nil:
		f.Logger.Error("the answer to a call could not be looked up", zap.Error(err))
		c.SetHeader("Retry-After", "5")
		refuse(http.StatusServiceUnavailable, "the service cannot answer at the moment; repeat the call later")
	case before != nil:
		c.SetHeader(replayedField, "true")
		send(c, *before)
	default:
		f.answerOnce(c, call, body, next)
	}
}

type keyKey struct{}

// Key is the Idempotency-Key of the call; empty for none.
func Key(ctx context.Context) string {
	key, _ := ctx.Value(keyKey{}).(string)
	return key
}

// answerOnce answers the call, and keeps the answer if something was done.
func (f *Frame) answerOnce(c huma.Context, call once.Call, body []byte, next func(huma.Context)) {
	kept := &keeping{callContext: c, asked: bytes.NewReader(body), answer: once.Answer{Fields: make(map[string]string)}}
	next(kept)
	kept.answer.Body = kept.said.Bytes()
	// What was done is kept also when the caller has gone: who calls again has to be told. After a failure of the service
	// it is not known whether something was done, so the call can neither be repeated nor answered.
	ctx, cancel := bounded(context.WithoutCancel(c.Context()))
	defer cancel()
	var err error
	switch status := kept.answer.Status; {
	case status < http.StatusBadRequest:
		err = f.Answers.Keep(ctx, call, kept.answer)
	case status < http.StatusInternalServerError:
		err = f.Answers.Forget(ctx, call)
	}
	if err != nil {
		f.Logger.Error("the answer to a call could not be kept", zap.Error(err))
	}
	send(c, kept.answer)
}

// send sends the answer.
func send(c huma.Context, a once.Answer) {
	for name, value := range a.Fields {
		c.SetHeader(name, value)
	}
	c.SetStatus(a.Status)
	_, _ = c.BodyWriter().Write(a.Body)
}

// callContext is a call's, under a name that is not that of one of its methods.
type callContext = huma.Context

// keeping is a call of which the answer is kept before it is sent.
type keeping struct {
	callContext
	asked  io.Reader
	answer once.Answer
	said   bytes.Buffer
}

func (k *keeping) BodyReader() io.Reader { return k.asked }
func (k *keeping) SetStatus(status int)  { k.answer.Status = status }
func (k *keeping) Status() int           { return k.answer.Status }
func (k *keeping) BodyWriter() io.Writer { return &k.said }

func (k *keeping) SetHeader(name, value string) {
	for _, kept := range keptFields {
		if strings.EqualFold(name, kept) {
			k.answer.Fields[kept] = value
			return
		}
	}
	k.callContext.SetHeader(name, value)
}
