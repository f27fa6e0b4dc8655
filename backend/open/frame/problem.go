package frame

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/intake"
)

const (
	// maxErrors is how many mistakes of a call are told, and maxSaid how many bytes of each text.
	maxErrors = 10
	maxSaid   = 300
)

// A failure says no more than its caller can use: huma tells each field that is not known, with all that stands beside
// it, and a body may have ten thousands of them.
func init() {
	huma.NewError = func(status int, words string, errs ...error) huma.StatusError {
		told := &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: cut(words)}
		for _, err := range errs {
			if len(told.Errors) == maxErrors {
				break
			}
			if of, is := err.(huma.ErrorDetailer); is {
				told.Errors = append(told.Errors, short(of.ErrorDetail()))
			} else if err != nil {
				told.Errors = append(told.Errors, &huma.ErrorDetail{Message: cut(err.Error())})
			}
		}
		return told
	}
	huma.NewErrorWithContext = func(c huma.Context, status int, words string, errs ...error) huma.StatusError {
		if errors.Is(errors.Join(errs...), intake.ErrFull) {
			c.SetHeader("Retry-After", strconv.Itoa(intake.RetryAfter))
			return huma.NewError(http.StatusServiceUnavailable, intake.ErrFull.Error())
		}
		if errors.Is(errors.Join(errs...), io.ErrUnexpectedEOF) {
			return huma.NewError(http.StatusBadRequest, "the body has not come whole")
		}
		return huma.NewError(status, words, errs...)
	}
}

// short is the mistake with what of the value is short.
func short(of *huma.ErrorDetail) *huma.ErrorDetail {
	told := &huma.ErrorDetail{Message: cut(of.Message), Location: cut(of.Location)}
	switch value := of.Value.(type) {
	case string:
		told.Value = cut(value)
	case bool, float64, int, int64:
		told.Value = value
	}
	return told
}

func cut(text string) string {
	if len(text) <= maxSaid {
		return text
	}
	return strings.ToValidUTF8(text[:maxSaid], "") + "…"
}
