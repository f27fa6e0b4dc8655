//go:build real

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreignSite is a site made with a program of other people's, as Debian has it.
type foreignSite struct {
	start   func(t *testing.T, address, public string) // it answers at the address, and for visitors at the public one
	page    string                                     // with the number and the form
	capture string                                     // the path that the form is sent to
	form    string                                     // a selector
	fields  [3]string                                  // for a name, a contact and a message, by their names
	contact string
	thanks  string // what is true when the site has taken the form
}

var foreignSites = map[string]foreignSite{
	"Django": {
		start: func(t *testing.T, address, _ string) { run(t, "/usr/bin/python3", "testdata/real/contact.py", address) },
		page:  "/contact/", capture: "/contact/", form: "form", fields: [3]string{"full_name", "phone_number", "message"}, contact: "+7 912 345-67-89",
		thanks: `location.pathname === "/thanks/"`,
	},
	"Express": {
		start: func(t *testing.T, address, _ string) {
			_, port, _ := net.SplitHostPort(address)
			t.Setenv("NODE_PATH", "/usr/share/nodejs")
			run(t, "node", "testdata/real/contact.js", port)
		},
		page: "/contact", capture: "/contact", form: "form", fields: [3]string{"user[full_name]", "user[phone_number]", "user[message]"}, contact: "+7 912 345-67-89",
		thanks: `location.pathname === "/thanks"`,
	},
	"WordPress": {
		start: startWordPress, page: "/?p=1", capture: "/wp-comments-post.php", form: "#commentform", fields: [3]string{"author", "email", "comment"}, contact: "ada@example.com",
		thanks: `location.hash.startsWith("#comment") || location.search.includes("unapproved")`,
	},
	"MediaWiki": {start: startMediaWiki, page: "/index.php?title=Main_Page"},
}

// Sites of other people's programs show the visitor's number, work as before, and their forms become leads.
func TestRealSites(t *testing.T) {
	for name, s := range foreignSites {
		t.Run(name, func(t *testing.T) {
			address := freeAddress(t)
			config := strings.Replace(example(t), "reverse_proxy localhost:8081", "reverse_proxy "+address, 1)
			if s.capture != "" {
				config = strings.Replace(config, "\t\tvariant A\n", "\t\tvariant A\n\t\tcapture "+s.capture+"\n", 1)
			}
			p := runProgram(t, config, "")
			s.start(t, address, p.shop)
			require.EventuallyWithT(t, func(c *assert.CollectT) {
				response, err := http.Get("http://" + address + s.page)
				if assert.NoError(c, err) {
					response.Body.Close()
					assert.Equal(c, http.StatusOK, response.StatusCode)
				}
			}, 2*patience, patience/300)

			b := newTab(t)
			b.visit(p.shop + s.page + map[bool]string{false: "?", true: "&"}[strings.Contains(s.page, "?")] + "utm_source=news")
			b.until(`window.Svc && Svc.getCredentials && Svc.getCredentials()`)
			b.until(`document.body.innerText.includes("8 (495) 765-43-21") && !document.body.innerText.includes("123-45-67")`)
			if s.form == "" {
				return
			}
			b.do(fmt.Sprintf(`const form = document.querySelector(%q), values = %s;
				for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
				setTimeout(() => form.querySelector("button, [type=submit]").click())`,
				s.form, fmt.Sprintf("{%q: %q, %q: %q, %q: %q}", s.fields[0], "Ada Byron", s.fields[1], s.contact, s.fields[2], "Is the lamp in stock?")))
			b.until(s.thanks)
			desk := p.signedIn(t)
			desk.visit(p.console + "/leads")
			desk.until(contains("main", "Ada Byron"))
			desk.until(contains("main", "Is the lamp in stock?"))
			desk.until(contains("main", "news"))
		})
	}
}

// must runs a program to its end.
func must(t *testing.T, name string, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, args, output)
}

// startWordPress installs Debian's WordPress with a post, and a MariaDB for it.
func startWordPress(t *testing.T, address, public string) {
	folder := t.TempDir()
	data, socket, www := filepath.Join(folder, "data"), filepath.Join(folder, "socket"), filepath.Join(folder, "www")
	must(t, "mariadb-install-db", "--no-defaults", "--user=root", "--auth-root-authentication-method=normal", "--skip-test-db", "--datadir="+data)
	run(t, "mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket, "--skip-networking", "--pid-file="+filepath.Join(folder, "pid"))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		output, err := exec.Command("mariadb", "--no-defaults", "--user=root", "--socket="+socket, "-e", "CREATE DATABASE IF NOT EXISTS wordpress").CombinedOutput()
		assert.NoError(c, err, string(output))
	}, patience, patience/100)
	must(t, "cp", "--recursive", "--dereference", "/usr/share/wordpress", www)
	require.NoError(t, os.WriteFile(filepath.Join(www, "wp-config.php"), []byte(`<?php
		define("DB_NAME", "wordpress"); define("DB_USER", "root"); define("DB_PASSWORD", ""); define("DB_HOST", "localhost:`+socket+`");
		define("WP_HOME", "`+public+`"); define("WP_SITEURL", "`+public+`"); define("WP_HTTP_BLOCK_EXTERNAL", true); define("DISABLE_WP_CRON", true);
		$table_prefix = "wp_"; if (!defined("ABSPATH")) define("ABSPATH", __DIR__ . "/"); require_once ABSPATH . "wp-settings.php";`), 0o600))
	run(t, "php", "-S", address, "-t", www)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		response, err := http.Get("http://" + address + "/readme.html")
		if assert.NoError(c, err) {
			response.Body.Close()
		}
	}, patience, patience/300)
	installed, err := http.PostForm("http://"+address+"/wp-admin/install.php?step=2", url.Values{
		"weblog_title": {"Lamps"}, "user_name": {"admin"}, "admin_password": {"a password of the tests"}, "admin_password2": {"a password of the tests"},
		"pw_weak": {"on"}, "admin_email": {"admin@shop.example"}, "blog_public": {"0"}})
	require.NoError(t, err)
	installed.Body.Close()
	must(t, "php", "-r", `require "`+www+`/wp-load.php"; wp_update_post(["ID" => 1, "post_content" => "<p>Call us: 8 (495) 123-45-67</p>", "comment_status" => "open"]);`)
}

// startMediaWiki installs Debian's MediaWiki with a page, in a SQLite file.
func startMediaWiki(t *testing.T, address, public string) {
	folder := t.TempDir()
	must(t, "php", "/usr/share/mediawiki/maintenance/install.php", "--dbtype=sqlite", "--dbpath="+folder, "--confpath="+folder, "--server="+public, "--scriptpath=",
		"--pass=a password of the tests", "Lamps", "Admin")
	t.Setenv("MW_CONFIG_FILE", filepath.Join(folder, "LocalSettings.php"))
	edit := exec.CommandContext(t.Context(), "php", "/usr/share/mediawiki/maintenance/edit.php", "Main_Page")
	edit.Stdin = strings.NewReader("Call us: 8 (495) 123-45-67\n\n[tel:+74951234567 or so]")
	output, err := edit.CombinedOutput()
	require.NoError(t, err, string(output))
	run(t, "php", "-S", address, "-t", "/usr/share/mediawiki")
}
