package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// callSecret is that of the example.
const callSecret = "everybody knows this one"

// rings tells the program of a call, as a telephone platform does.
func (p *program) rings(t *testing.T, fields string) {
	t.Helper()
	body := fmt.Sprintf(`{"time":%q,%s}`, time.Now().Format(time.RFC3339), fields)
	at := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(callSecret))
	mac.Write([]byte("m." + at + "." + body))
	r, err := http.NewRequest(http.MethodPost, p.shop+"/frontdesk/calls/webhook", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("webhook-id", "m")
	r.Header.Set("webhook-timestamp", at)
	r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

// A call that rings stands in the open console, and its row goes on to say how it goes.
func TestCallsAppearInTheConsole(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/calls")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	p.rings(t, `"call_id":"1","event":"start","called":"+7 495 765-43-21","caller":"+7 912 345-67-89"`)
	desk.until(`document.querySelectorAll("#calls > li").length === 1`)
	require.True(t, value[bool](desk, contains("#calls .from", "news")))
	p.rings(t, `"call_id":"1","event":"end","status":"answered","talk_seconds":64,"recording_url":"https://pbx.example/1.mp3"`)
	desk.until(contains("#calls", "1:04"))
	require.True(t, value[bool](desk, `document.querySelectorAll("#calls > li").length === 1 && document.querySelector("#calls audio").preload === "none"`))
	p.rings(t, `"call_id":"2","event":"end","called":"+7 812 555-01-11","status":"missed","recording_url":"file:///etc/passwd"`)
	desk.until(`document.querySelectorAll("#calls > li").length === 2`)
	p.rings(t, `"call_id":"3","event":"end","called":"+7 495 765-43-21","caller":"+7 912 345-67-80","status":"missed"`)
	desk.until(contains("#calls .work", "New"))
	desk.until(`document.querySelector("#unread").textContent === "1"`)
	require.True(t, value[bool](desk, contains("#arrivals", "Missed call")))
	for _, scheme := range []string{"light", "dark"} {
		for _, phone := range []bool{false, true} {
			width := map[bool]int64{false: 1280, true: 320}[phone]
			desk.size(width, 800, phone)
			desk.prefers("prefers-color-scheme", scheme)
			desk.visit(p.console + "/calls")
			desk.run(chromedp.Evaluate[chromedp.Void](string(axe)))
			found := value[[]violation](desk, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.violations)`)
			for _, v := range found {
				for _, n := range v.Nodes {
					t.Errorf("%s %d: %s: %s\n%s", scheme, width, v.ID, n.HTML, n.FailureSummary)
				}
			}
			require.False(t, value[bool](desk, `document.documentElement.scrollWidth > innerWidth`), "wider than the window of %d", width)
		}
	}
}
