// Package matomo sends conversions to Matomo, by its Tracking HTTP API (https://developer.matomo.org/api-reference/tracking-api).
package matomo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
)

// order is what stands for an order of Matomo's e-commerce in place of the number of a goal.
const order = "0"

// Names have an order for a sale. The numbers of goals are each installation's own.
var Names = map[platform.Goal]string{platform.Sale: order}

// Matomo is the platform.
type Matomo struct{ Poster *webhook.Poster }

var (
	token  = regexp.MustCompile(`^[A-Za-z0-9]{20,100}$`)
	number = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)
)

// maxURL is how long the address of a Matomo may be, in bytes.
const maxURL = 500

// Check returns the name of the field that is wrong, or the empty string. Which addresses may be reached is seen when they are.
func (m *Matomo) Check(d platform.Destination) string {
	u, err := url.Parse(d.Address)
	switch {
	case err != nil || len(d.Address) > maxURL || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(d.Address, " <>\"\\"):
		return "address"
	case !token.MatchString(d.Credential):
		return "credential"
	case !number.MatchString(d.Site):
		return "site"
	}
	for goal, name := range d.Names {
		if !number.MatchString(name) && (name != order || goal != platform.Sale) {
			return "names"
		}
	}
	return ""
}

// Send sends the conversions in one bulk.
func (m *Matomo) Send(ctx context.Context, to platform.Destination, what []platform.Conversion) (int, error) {
	bulk := struct {
		Requests []string `json:"requests"`
		Token    string   `json:"token_auth"`
	}{Token: to.Credential}
	for _, c := range what {
		if c.IDs.PK == "" {
			return 0, attempt.Skip{Reason: attempt.NoID}
		}
		q := url.Values{
			"idsite": {to.Site}, "rec": {"1"}, "apiv": {"1"}, "cid": {c.IDs.PK}, "_id": {c.IDs.PK}, "url": {c.Page}, "idgoal": {c.Name},
			"cdt": {c.At.UTC().Format(time.DateTime)}, "ua": {c.UserAgent},
		}
		if c.Name == order {
			q.Set("ec_id", c.ID)
			q.Set("revenue", "0")
		}
		if c.Value != "" {
			q.Set("revenue", c.Value)
		}
		bulk.Requests = append(bulk.Requests, "?"+q.Encode())
	}
	body, err := json.Marshal(bulk)
	if err != nil {
		return 0, err
	}
	if what[0].Test { // a conversion that is made up would count
		bulk.Requests = nil
		return m.try(ctx, to)
	}
	status, answer, err := m.Poster.Exchange(ctx, strings.TrimSuffix(to.Address, "/")+"/matomo.php", "application/json", body)
	return status, verdict(status, answer, err, len(what), to.Credential)
}

// verdict is what the answer to a bulk says. Matomo refuses a bulk with a token that may not write for the site, and counts
// the requests that it cannot read.
func verdict(status int, answer []byte, err error, n int, token string) error {
	var said struct {
		Status  string `json:"status"`
		Tracked int    `json:"tracked"`
		Invalid int    `json:"invalid"`
		Message string `json:"message"`
	}
	var f *attempt.Failure
	switch readable := json.Unmarshal(answer, &said) == nil; {
	case errors.As(err, &f) && (f.Status == 400 || f.Status == 401 || f.Status == 403):
		return platform.Refused(status, strings.ReplaceAll(said.Message, token, "…"))
	case err != nil:
		return err
	case !readable || said.Status == "": // it is something else that answers at this address
		return platform.Refused(status, "no answer of Matomo")
	case said.Status != "success":
		return platform.Refused(status, strings.ReplaceAll(said.Message, token, "…"))
	case said.Invalid > 0 || said.Tracked < n:
		return platform.Refused(status, fmt.Sprintf("tracked %d, invalid %d", said.Tracked, said.Invalid))
	}
	return nil
}

// try asks Matomo for its goals, which needs the token, and tells nothing of a visitor.
func (m *Matomo) try(ctx context.Context, to platform.Destination) (int, error) {
	q := url.Values{"module": {"API"}, "method": {"Goals.getGoals"}, "idSite": {to.Site}, "format": {"JSON"}, "token_auth": {to.Credential}}
	status, answer, err := m.Poster.Exchange(ctx, strings.TrimSuffix(to.Address, "/")+"/index.php", "application/x-www-form-urlencoded", []byte(q.Encode()))
	if err != nil {
		return status, err
	}
	var failed struct {
		Result  string `json:"result"`
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &failed) == nil && failed.Result == "error" {
		return status, platform.Refused(status, strings.ReplaceAll(failed.Message, to.Credential, "…"))
	}
	goals, err := goalsOf(answer)
	if err != nil {
		return status, platform.Refused(status, "no answer of Matomo")
	}
	for _, name := range to.Names {
		if name != order && !goals[name] {
			return status, platform.Refused(status, fmt.Sprintf("goal %s: unknown", name))
		}
	}
	return status, nil
}

// goalsOf are the numbers of the goals in an answer, which is an object by the numbers, or a list.
func goalsOf(answer []byte) (map[string]bool, error) {
	type goal struct {
		ID any `json:"idgoal"`
	}
	var list []goal
	if err := json.Unmarshal(answer, &list); err != nil {
		var byNumber map[string]goal
		if err := json.Unmarshal(answer, &byNumber); err != nil {
			return nil, err
		}
		for _, g := range byNumber {
			list = append(list, g)
		}
	}
	goals := make(map[string]bool, len(list))
	for _, g := range list {
		goals[fmt.Sprint(g.ID)] = true
	}
	return goals, nil
}

// TakeBack is nothing that Matomo's tracking has.
func (m *Matomo) TakeBack(context.Context, platform.Destination, platform.Conversion) (int, error) {
	return 0, platform.Stays
}
