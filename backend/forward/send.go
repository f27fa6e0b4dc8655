package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/queue"
)

const (
	// maxAnswer bounds how much of an answer is read, in bytes.
	maxAnswer = 256 << 10
	// maxRetryAfter bounds the pause that a service may ask for.
	maxRetryAfter = time.Hour

	// These header fields give another Frontdesk the values of [Item.Marks], separated by commas, [Item.SiteError],
	// [Item.Key] and [Item.At] (RFC 3339). They are not fields of the form, because services keep all of those as the
	// site's own.
	MarksField, SiteErrorField, FormField, AtField = "Frontdesk-Marks", "Frontdesk-Site-Error", "Frontdesk-Form", "Frontdesk-At"

	formType = "application/x-www-form-urlencoded; charset=UTF-8"
)

// refusal is the service's reason never to take an item.
type refusal struct{ reason string }

func (r refusal) Error() string { return r.reason }

// noSuchCall is the answer of a service that does not have the address.
type noSuchCall struct{ error }

// send sends the item. The error is a refusal, or it is about the service and not the item.
func (f *Forwards) send(ctx context.Context, item *Item) error {
	if item.Call != nil {
		return f.repeat(ctx, item)
	}
	if len(item.Credentials) > 0 {
		err := f.sendWith(ctx, item, item.Credentials)
		if _, refused := errors.AsType[refusal](err); !refused {
			return err
		}
		// Anybody can send wrong credentials. Then the cookie decides who the visitor is.
	}
	given, err := f.credentials(ctx, item)
	if err != nil {
		return err
	}
	return f.sendWith(ctx, item, given)
}

// sendWith sends the request of section 4.2 or 4.3.
func (f *Forwards) sendWith(ctx context.Context, item *Item, credentials map[string]string) error {
	if item.Information != nil {
		return f.sendInformation(ctx, item, credentials)
	}
	fields := maps.Clone(item.Fields)
	for name, value := range credentials {
		fields.Set(name, value)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, item.Service.URL+"api/add_offline_message/", strings.NewReader(fields.Encode()))
	if err != nil {
		return refusal{err.Error()}
	}
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Idempotency-Key", item.ID)
	if item.Key != "" {
		r.Header.Set(FormField, item.Key)
		r.Header.Set(AtField, item.At.UTC().Format(time.RFC3339Nano))
	}
	if len(item.Marks) > 0 {
		r.Header.Set(MarksField, strings.Join(item.Marks, ", "))
	}
	if item.SiteError != 0 {
		r.Header.Set(SiteErrorField, strconv.Itoa(item.SiteError))
	}
	_, err = f.ask(r, item)
	return err
}

func (f *Forwards) sendInformation(ctx context.Context, item *Item, credentials map[string]string) error {
	query := url.Values{"s": {"1"}}
	for name, value := range map[string]string{
		"sk": credentials["site_key"], "k": credentials["key"], "ur": credentials["uri"], "ci": credentials["visitor_id"], "hi": credentials["hit_id"],
		"vn": item.Information.Get("name"), "ve": item.Information.Get("email"), "vp": item.Information.Get("phone"),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, item.Service.Tracker+"/vc/s/?"+query.Encode(), nil)
	if err != nil {
		return refusal{err.Error()}
	}
	_, err = f.ask(r, item)
	return err
}

// repeat sends the request again that the service could not take.
func (f *Forwards) repeat(ctx context.Context, item *Item) error {
	r, err := http.NewRequestWithContext(ctx, item.Call.Method, item.Service.URL+item.Call.Path, strings.NewReader(item.Call.Body))
	if err != nil {
		return refusal{err.Error()}
	}
	maps.Copy(r.Header, item.Call.Header)
	_, err = f.ask(r, item)
	return err
}

// credentials asks the service for the credentials of the browser's visit, as its script does. It gets the same visit
// however often it asks.
func (f *Forwards) credentials(ctx context.Context, item *Item) (map[string]string, error) {
	body, err := json.Marshal(map[string]string{"site_key": item.SiteKey, "view": item.ID, "url": item.From.Page, "kind": "load"})
	if err != nil {
		return nil, refusal{err.Error()}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, item.Service.URL+"v1/hit", bytes.NewReader(body))
	if err != nil {
		return nil, refusal{err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	if item.From.Cookie != "" {
		r.Header.Set("Cookie", item.From.Cookie)
	}
	answer, err := f.ask(r, item)
	if unknown, ok := errors.AsType[noSuchCall](err); ok { // from a service with no more than the interface
		return nil, refusal{"there are no credentials with it, and the service tells none: " + unknown.Error()}
	} else if err != nil {
		return nil, fmt.Errorf("asking whose visit it is: %w", err)
	}
	var given struct {
		SiteKey string `json:"site_key"`
		Key     string `json:"key"`
		URI     string `json:"uri"`
		Visitor int64  `json:"visitor_id"`
		View    int64  `json:"hit_id"`
		Visit   int64  `json:"session_id"`
	}
	if err := json.Unmarshal(answer, &given); err != nil || given.Visitor == 0 {
		return nil, refusal{"there are no credentials with it, and the service tells none"}
	}
	credentials := map[string]string{
		"site_key": given.SiteKey, "visitor_id": strconv.FormatInt(given.Visitor, 10),
		"hit_id": strconv.FormatInt(given.View, 10), "session_id": strconv.FormatInt(given.Visit, 10),
	}
	if item.Signed {
		credentials["key"], credentials["uri"] = given.Key, given.URI
	}
	return credentials, nil
}

// ask sends the request and returns the answer's body.
func (f *Forwards) ask(r *http.Request, item *Item) ([]byte, error) {
	if item.Call == nil {
		r.Header.Set("User-Agent", item.From.UserAgent) // empty if the browser sent none
	}
	for name, value := range map[string]string{"Accept-Language": item.From.Language, "X-Forwarded-For": item.From.Client} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := f.client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address, which may name the visitor
		}
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	return body, verdict(response, body)
}

// verdict says what the answer means. Its "success" says whether the service has taken the item. Its status says
// whether it makes sense to send the item again.
func verdict(response *http.Response, body []byte) error {
	var answer struct {
		Success *bool  `json:"success"`
		Error   string `json:"error"`
		Code    string `json:"code"`
	}
	readable := json.Unmarshal(body, &answer) == nil && answer.Success != nil
	status := response.StatusCode
	switch {
	case readable && *answer.Success && status < 300:
		return nil
	case readable && status < 300 && answer.Code != "unavailable" && answer.Code != "unknown_site", status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge,
		status == http.StatusUnsupportedMediaType, status == http.StatusUnprocessableEntity, readable && status == http.StatusForbidden:
		return refusal{strings.Join(strings.Fields(fmt.Sprintf("%d %s %s", status, answer.Code, answer.Error)), " ")}
	}
	// All others can be mended by those who run the service, or by time.
	err := fmt.Errorf("the service answers %s", response.Status)
	if status < 300 {
		err = errors.New("the answer is no object with success")
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusGone {
		err = noSuchCall{err}
	}
	if seconds, parseErr := strconv.Atoi(response.Header.Get("Retry-After")); parseErr == nil && seconds > 0 {
		err = queue.After(min(time.Duration(seconds)*time.Second, maxRetryAfter), err)
	}
	return err
}
