package caddymodule

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/caddymodule/certificates"
	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
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

// Health is the answer to GET /frontdesk/health on the admin endpoint. Its status is 503 when the node can store nothing,
// else 200.
type Health struct {
	health.Report
	Database string `json:"database,omitempty"` // the engine
	// Forms are those that wait for the database.
	Forms *FormsHealth `json:"forms,omitempty"`
	// SIP is what the trunk does, if there is one.
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

// healthTime is how long the parts may take to answer.
const healthTime = 2 * time.Second

// healthNow asks the configuration that is active now: after a reload that failed, the admin endpoint belongs to a
// configuration that never ran.
func healthNow(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	active, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	if err != nil {
		return Health{Report: health.NewReport([]health.Reason{health.New(health.NotRunning, "frontdesk is not part of the running configuration")})}
	}
	a := active.(*App)
	state := Health{Database: a.settings.Engine, Forms: a.formsHealth(), SIP: a.sipHealth()}
	reasons := a.service.Reasons(ctx)
	if state.Forms.Waiting > 0 {
		reasons = append(reasons, health.New(health.FormsWait, "forms wait on the disk for the database").Of(a.service.forms.Oldest(), state.Forms.Waiting))
	}
	if state.Forms.Error != "" {
		reasons = append(reasons, health.New(health.FormsUnsafe, "%s", state.Forms.Error))
	}
	if s := state.SIP; s != nil && s.Registered != nil && !*s.Registered {
		reasons = append(reasons, health.New(health.Telephony, "the SIP trunk does not accept the registration: the log says why"))
	}
	var hosts []string
	a.eachHandler(func(at spot.Spot, _ any) { hosts = append(hosts, at.Hosts...) })
	if count, first := certificates.Ending(hosts, time.Now()); count > 0 {
		reasons = append(reasons, health.New(health.Certificates, "certificates end soon or have ended, the first at %s: Caddy's log says why they were not renewed", first.UTC().Format(time.RFC3339)).Of(time.Time{}, count))
	}
	folders := []string{filepath.Dir(state.Forms.File)}
	if a.settings.Engine == db.SQLite {
		folders = append(folders, filepath.Dir(a.settings.Source))
	}
	state.Report = health.NewReport(reasons, folders...)
	return state
}

// serveHealth answers browsers in lines of text.
func serveHealth(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Message: "expected GET"}
	}
	state, asText := healthNow(r.Context()), strings.Contains(r.Header.Get("Accept"), "text/")
	w.Header().Set("Content-Type", "application/json")
	if asText {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	if !state.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	if asText {
		_, err := io.WriteString(w, state.Lines())
		return err
	}
	return json.NewEncoder(w).Encode(state)
}

// Interface guards
var _ caddy.AdminRouter = adminAPI{}
