package frame

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/zap"
)

// Written is an answer that is a file, which is to be saved: nothing of it runs where it is opened by mistake. It is
// written as it is read, because it may be long.
type Written struct {
	Name, Type string
	// Size is how many bytes it has; 0 where that is not known before.
	Size int
	// Write writes it. An error before the first byte is answered as that of any operation. After that the connection is
	// broken off, so that nobody takes the file for whole.
	Write func(context.Context, io.Writer) error
}

const (
	// writingTime bounds how long a file is written.
	writingTime = 5 * time.Minute
	// lookEvery is how often it is looked meanwhile whether the token still opens it.
	lookEvery = time.Second
)

// Write adds an operation that answers with a file, which open opens. It is dear, until the caller has read the file.
func Write[I any](f *Frame, o Operation, open func(context.Context, *I) (*Written, error)) {
	huma.Register(f.huma, f.described(o), func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		leave, err := f.enter(ctx)
		if err != nil {
			return nil, err
		}
		within, cancel := bounded(ctx)
		defer cancel()
		file, err := open(within, in)
		if err != nil {
			leave()
			return nil, f.told(o, err)
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			defer leave()
			f.write(c, o, file)
		}}, nil
	})
}

func (f *Frame) write(c huma.Context, o Operation, file *Written) {
	ctx, cancel := context.WithTimeout(c.Context(), writingTime)
	defer cancel()
	w := &writing{f: f, c: c, ctx: ctx, of: file, looked: f.Now()}
	err := file.Write(ctx, w)
	switch {
	case err == nil && !w.begun:
		w.begin()
	case err == nil:
	case w.begun:
		f.Logger.Warn("a file of the API broke off", zap.String("operation", o.ID), zap.Error(err))
		panic(http.ErrAbortHandler)
	default:
		told, _ := errors.AsType[huma.StatusError](f.told(o, err))
		_ = huma.WriteErr(f.huma, c, told.GetStatus(), told.Error())
	}
}

// writing is a file while it is written.
type writing struct {
	f      *Frame
	c      huma.Context
	ctx    context.Context
	of     *Written
	begun  bool
	looked time.Time
}

func (w *writing) begin() {
	w.begun = true
	w.c.SetHeader("Content-Type", w.of.Type)
	w.c.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": w.of.Name}))
	w.c.SetHeader("Content-Security-Policy", "default-src 'none'; sandbox")
	if w.of.Size > 0 {
		w.c.SetHeader("Content-Length", strconv.Itoa(w.of.Size))
	}
	w.c.SetStatus(http.StatusOK)
}

func (w *writing) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if now := w.f.Now(); now.Sub(w.looked) >= lookEvery {
		w.looked = now
		if _, err := w.f.Tokens.Open(w.ctx, callerOf(w.ctx).secret); err != nil {
			return 0, err
		}
	}
	if !w.begun {
		w.begin()
	}
	return w.c.BodyWriter().Write(p)
}
