package api

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// maxContact is the size in bytes of a visitor's name, e-mail or phone.
const maxContact = 1024

// visitor serves v1/visitor: addVisitorInfo.
func (a *API) visitor(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Name  string `json:"name"`
		Email string `json:"email"`
		Phone string `json:"phone"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	info := visit.Info{Name: sent.Name, Email: sent.Email, Phone: sent.Phone, Region: c.site.Region(ctx)}
	if err := checkInfo(info); err != nil {
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	return succeeded{true}, a.Visits.AddInfo(ctx, c.site.ID, p.Ref, info)
}

func checkInfo(info visit.Info) error {
	if err := checkTexts(maxContact, field{"name", info.Name}, field{"email", info.Email}, field{"phone", info.Phone}); err != nil {
		return err
	}
	return info.Check()
}
