package system

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

const grafana = "../examples/grafana"

// prometheus finds one of Prometheus's programs. Without it, the test is skipped; with CI=true it fails.
func prometheus(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s of Debian's prometheus is missing", name)
		t.Skip(name + " is not installed")
	}
	return path
}

// expressions are those of the dashboard and of the alert rules.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	content, err := os.ReadFile(grafana + "/dashboard.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &dashboard))
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all = append(all, strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*").Replace(target.Expr))
		}
	}
	content, err = os.ReadFile(grafana + "/alerts.yml")
	require.NoError(t, err)
	for _, rule := range regexp.MustCompile(`(?m)^\s+expr: (.*)$`).FindAllStringSubmatch(string(content), -1) {
		all = append(all, rule[1])
	}
	require.Greater(t, len(all), 20)
	return all
}

// What the dashboard and the rules ask for, the program has.
func TestGrafanaNamesMetrics(t *testing.T) {
	sources, err := filepath.Glob("../caddymodule/metrics/*.go")
	require.NoError(t, err)
	var program strings.Builder
	for _, file := range sources {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		program.Write(content)
	}
	for _, expression := range expressions(t) {
		for _, name := range regexp.MustCompile(`frontdesk_\w+`).FindAllString(expression, -1) {
			require.Contains(t, program.String(), `"`+strings.TrimSuffix(name, "_bucket")+`"`, expression)
		}
	}
}

func TestAlertRules(t *testing.T) {
	promtool := prometheus(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = grafana
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, string(output))
	}
}

// A real Prometheus reads the metrics, loads the rules, and answers all that the dashboard asks.
func TestPrometheusReadsTheMetrics(t *testing.T) {
	program := prometheus(t, "prometheus")
	s := run(t, `
	{
		frontdesk {
			database sqlite $DIR/frontdesk.db
			site_metrics 100
		}
	}
	http://localhost:$PORT {
		frontdesk shop
		header Content-Type text/html
		respond "<!doctype html><html><head><title>Lamps</title></head></html>"
	}`).Ready()
	dir, err := filepath.Abs(grafana)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	require.NoError(t, os.WriteFile(file, []byte(`
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["`+dir+`/alerts.yml"]
scrape_configs:
  - job_name: caddy
    static_configs: [{targets: ["`+s.Admin+`"]}]
`), 0o600))
	address := net.JoinHostPort("127.0.0.1", servertest.FreePorts(t, 1)[0])
	cmd := exec.Command(program, "--config.file="+file, "--storage.tsdb.path="+t.TempDir(), "--web.listen-address="+address)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	type result struct {
		Metric map[string]string
		Value  [2]any
	}
	ask := func(expression string) (list []result, status string) {
		response, err := http.Get("http://" + address + "/api/v1/query?" + url.Values{"query": {expression}}.Encode())
		if err != nil {
			return nil, err.Error()
		}
		defer response.Body.Close()
		var answer struct {
			Status, Error string
			Data          struct{ Result []result }
		}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, err.Error()
		}
		return answer.Data.Result, answer.Status + answer.Error
	}
	require.Eventually(t, func() bool {
		s.Get("http://localhost:$PORT/")
		woven, _ := ask(`rate(frontdesk_site_pages_total{site="shop",outcome="woven"}[1m]) > 0`)
		return len(woven) == 1
	}, wait, tick)
	for _, expression := range expressions(t) {
		_, status := ask(expression)
		require.Equal(t, "success", status, expression)
	}
	firing, status := ask(`ALERTS{alertstate="firing"}`)
	require.Equal(t, "success", status)
	require.Empty(t, firing, "nothing is wrong")
}
