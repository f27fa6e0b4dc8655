package template_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify/template"
)

func TestTemplates(t *testing.T) {
	v := map[string]string{"name": "A\"d\\a\n</script>\u0001 & Co", "message": strings.Repeat("я", 2000)}
	filled := func(text, contentType string) string {
		t.Helper()
		got, err := template.Fill(text, contentType, v)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, `{"text":"A\"d\\a\n\u003c/script\u003e\u0001 \u0026 Co"}`, filled(`{"text":"{{.name}}"}`, template.JSON))
	require.Equal(t, `text=A%22d%5Ca%0A%3C%2Fscript%3E%01+%26+Co`, filled(`text={{.name}}`, template.Form))
	require.Equal(t, "A\"d\\a\n</script> & Co", filled(`{{.name}}`, template.Text))
	require.Equal(t, "no phone", filled(`{{if .phone}}{{.phone}}{{else}}no phone{{end}}`, ""))
	require.Len(t, []rune(filled(`{{.message}}`, "")), 1000)

	for _, text := range []string{"", "nothing", "{{.name}}: {{ .phone }}", "{{if .name}}{{if .phone}}both{{else}}one{{end}}{{else if .phone}}other{{end}}", "{{- .name -}}", "{{/* a remark */}}"} {
		require.NoError(t, template.Check(text, ""), text)
	}
	for _, text := range []string{
		"{{", "{{.name", "{{.unknown}}", "{{.name.first}}", "{{range .name}}{{end}}", "{{with .name}}{{end}}", `{{define "a"}}{{template "a"}}{{end}}`, `{{template "a"}}`,
		"{{$x := .name}}", "{{.name | printf}}", `{{printf "%999999999d" 1}}`, "{{len .name}}", "{{.}}", "{{if and .name .phone}}{{end}}", `{{block "a" .}}{{end}}`, "{{call .name}}", "{{1}}",
		strings.Repeat("a", template.MaxSize+1), strings.Repeat("{{.name}}", 400),
	} {
		require.Error(t, template.Check(text, template.JSON), text)
	}
	require.Error(t, template.Check(`{"text": {{.name}}}`, template.JSON))
	require.Error(t, template.Check(`not JSON`, template.JSON))
	require.NoError(t, template.Check(`not JSON`, template.Text))
	began := time.Now()
	_ = template.Check(strings.Repeat("{{if .name}}", 200)+strings.Repeat("{{end}}", 200), "")
	require.Less(t, time.Since(began), 10*time.Second)
}
