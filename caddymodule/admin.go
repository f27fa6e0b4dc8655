package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

func init() {
	caddy.RegisterModule(adminAPI{})
}

// adminAPI answers GET /frontdesk/health on Caddy's admin endpoint.
type adminAPI struct{}

// CaddyModule returns the Caddy module information.
func (adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "admin.api.frontdesk",
		New: func() caddy.Module { return new(adminAPI) },
	}
}

// Routes returns the admin routes.
func (adminAPI) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{{Pattern: "/frontdesk/health", Handler: caddy.AdminHandlerFunc(serveHealth)}}
}

// Health is the answer to GET /frontdesk/health on the admin endpoint. Its status is 200 when the service is ready and can
// store what comes, else 503.
type Health struct {
	Ready    bool   `json:"ready"`
	Database string `json:"database,omitempty"` // the engine
	Error    string `json:"error,omitempty"`
	// Since is when the error began, as far as that is known.
	Since *time.Time `json:"since,omitempty"`
	// Forms are those that wait for the database. They do not count for Ready.
	Forms *FormsHealth `json:"forms,omitempty"`
	// SIP is what the trunk does, if there is one. It does not count for Ready.
	SIP *SIPHealth `json:"sip,omitempty"`
}

// SIPHealth is what a SIP trunk does.
type SIPHealth struct {
	Calls int `json:"calls"`
	// Registered is left out where the trunk is not asked to register.
	Registered *bool `json:"registered,omitempty"`
}

// sipHealth is nil without a trunk.
func (a *App) sipHealth() *SIPHealth {
	if a.exchange == nil {
		return nil
	}
	state := a.exchange.State()
	told := &SIPHealth{Calls: state.Calls}
	if state.Registers {
		told.Registered = &state.Registered
	}
	return told
}

// serveHealth asks the configuration that is active now: after a reload that
// failed, the admin endpoint belongs to a configuration that never ran.
func serveHealth(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Message: "expected GET"}
	}
	var state Health
	if app, err := caddy.ActiveContext().AppIfConfigured("frontdesk"); err != nil {
		state.Error = "frontdesk is not part of the running configuration"
	} else {
		app := app.(*App)
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		state.Database, state.Forms, state.SIP = app.settings.Engine, app.formsHealth(), app.sipHealth()
		if err := app.service.Check(ctx); err != nil {
			state.Error = err.Error()
			if trouble, ok := errors.AsType[*db.Trouble](err); ok {
				since := trouble.Since.UTC().Truncate(time.Second)
				state.Since = &since
			}
		}
	}
	state.Ready = state.Error == ""
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !state.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return json.NewEncoder(w).Encode(state)
}

// Interface guards
var _ caddy.AdminRouter = adminAPI{}
