package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// sendsItself is what the programs of the plugins do: the form is sent by a script, with what that adds.
const sendsItself = `document.querySelector("form").addEventListener("submit", async event => {
	event.preventDefault();
	const form = event.target, body = new FormData(form);
	for (const [name, value] of new URLSearchParams(form.dataset.adds || "")) body.append(name, value);
	const answer = await fetch(form.dataset.sentTo, {method: "POST", body, headers: {Accept: "application/json, */*;q=0.1"}});
	document.body.append("answered " + answer.status);
});`

// pluginSite has a page for each plugin, and takes what their forms send.
func pluginSite(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{page}/", func(w http.ResponseWriter, r *http.Request) {
		page, err := os.ReadFile(filepath.Join("testdata/forms", filepath.Base(r.PathValue("page"))+".html"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write(page)
	})
	mux.HandleFunc("GET /plugin.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, sendsItself)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		w.Header().Set("Content-Type", "text/html; charset=windows-1251") // which is what one of them is written in
		io.WriteString(w, "<!doctype html><title>Sent</title><p>answered 200")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// keptLead is what the database has of one.
type keptLead struct {
	name, email, phone, message, form, userFields string
	source                                        string
}

func leadsIn(t *testing.T, d *db.DB) []keptLead {
	t.Helper()
	leads, err := db.List(t.Context(), d.Read(), func(l *keptLead) []any {
		return []any{&l.name, &l.email, &l.phone, &l.message, &l.form, &l.userFields, &l.source}
	}, `SELECT name, email, phone, message, form_name, user_fields, source_name FROM leads ORDER BY id DESC`)
	require.NoError(t, err)
	return leads
}

// The forms of the programs that most sites have, as browsers send them, are leads with the right fields, though the
// configuration names no field. Where the fields' names say nothing, the page's markup does.
func TestFormsOfPlugins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(memory(t), "frontdesk.db")
	p := runProgram(t, `http://localhost:8080 {
	frontdesk shop {
		capture /wp-json/contact-form-7/*
		capture /wp-admin/admin-ajax.php
		capture /wp-comments-post.php
		capture /gravity-forms/
		capture /tilda/send.php
		capture /bitrix*
		capture /plain/mail.php
	}
	reverse_proxy `+pluginSite(t)+`
}
`, "sqlite "+file)
	d := dbtest.Open(t, db.Settings{Engine: db.SQLite, Source: file})
	for plugin, c := range map[string]struct {
		filled map[string]string
		want   keptLead
	}{
		"contact-form-7": {
			map[string]string{"text-482": "anna bell", "your-email": "anna@example.com", "tel-77": "8 495 123-45-67", "menu-5": "Floor lamp", "your-message": "Is it there?"},
			keptLead{name: "anna bell", email: "anna@example.com", phone: "8 495 123-45-67", message: "Is it there?", form: "Contact Form 7 12", userFields: `{"Which lamp":"Floor lamp"}`}},
		"elementor": {
			map[string]string{"form_fields[name]": "Anna", "form_fields[field_4ac1d90]": "495 123 45 67", "form_fields[field_9b2c7aa]": "Call me", "form_fields[field_0f1e2d3]": "Kazan"},
			keptLead{name: "Anna", phone: "495 123 45 67", message: "Call me", form: "7a1b2c3", userFields: `{"Town":"Kazan"}`}},
		"wpforms": {
			map[string]string{"wpforms[fields][0][first]": "Anna", "wpforms[fields][0][last]": "Bell", "wpforms[fields][1]": "anna@example.com", "wpforms[fields][3]": "4951234567", "wpforms[fields][4]": "1000", "wpforms[fields][2]": "Hello"},
			keptLead{name: "Anna Bell", email: "anna@example.com", phone: "4951234567", message: "Hello", form: "WPForms 31", userFields: `{"Budget":"1000"}`}},
		"gravity-forms": {
			map[string]string{"input_1.3": "Anna", "input_1.6": "Bell", "input_3": "anna@example.com", "input_4": "4951234567", "input_6": "Kazan", "input_5": "Hello"},
			keptLead{name: "Anna Bell", email: "anna@example.com", phone: "4951234567", message: "Hello", form: "Gravity Forms 4", userFields: `{"Town":"Kazan"}`}},
		"tilda": {
			map[string]string{"Name": "Анна", "Phone": "+7 (495) 123-45-67", "Input": "Казань", "Textarea": "Жду"},
			keptLead{name: "Анна", phone: "+7 (495) 123-45-67", message: "Жду", form: "Заявка", userFields: `{"Город":"Казань"}`}},
		"bitrix": {
			map[string]string{"form_text_1": "Анна Белова", "form_text_2": "8 495 123 45 67", "form_email_3": "anna@example.com", "form_textarea_4": "Жду"},
			keptLead{name: "Анна Белова", email: "anna@example.com", phone: "8 495 123 45 67", message: "Жду", form: "3", userFields: `null`}},
		"bitrix-feedback": {
			map[string]string{"user_name": "anna", "user_email": "anna@example.com", "MESSAGE": "Hello"},
			keptLead{name: "anna", email: "anna@example.com", message: "Hello", userFields: `null`}},
		"wordpress-comment": {
			map[string]string{"comment": "Nice lamps", "author": "Anna", "email": "anna@example.com"},
			keptLead{name: "Anna", email: "anna@example.com", message: "Nice lamps", form: "comment 7", userFields: `null`}},
		"plain": {
			map[string]string{"f1": "анна", "f2": "4951234567", "f3": "18:00", "f4": "Жду"},
			keptLead{name: "анна", phone: "4951234567", message: "Жду", userFields: `{"Удобное время":"18:00"}`}},
	} {
		t.Run(plugin, func(t *testing.T) {
			visitor := newTab(t)
			before := len(leadsIn(t, d))
			visitor.visit(p.shop + "/" + plugin + "/?utm_source=" + plugin)
			visitor.until(`window.Svc && Svc.getCredentials().hit_id > 0`)
			p.await(t, func() bool { // the page has been looked at
				_, looked, err := db.One(t.Context(), d.Read(), db.Only[string], `SELECT path FROM shown_pages WHERE path = $1`, "/"+plugin+"/")
				require.NoError(t, err)
				return looked
			})
			filled, err := json.Marshal(c.filled)
			require.NoError(t, err)
			visitor.do(`for (const [name, value] of Object.entries(` + string(filled) + `)) document.getElementsByName(name)[0].value = value;
				document.querySelector("form").requestSubmit(document.querySelector("form [type=submit], form button"))`)
			visitor.until(contains("body", "answered 200"))
			p.await(t, func() bool { return len(leadsIn(t, d)) > before }) // at the latest after the answer
			leads := leadsIn(t, d)
			require.Len(t, leads, before+1)
			require.Equal(t, plugin, leads[0].source)
			leads[0].source = ""
			require.Equal(t, c.want, leads[0])
		})
	}
}
