package thread

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadIsReadFromATrace(t *testing.T) {
	var events []event
	require.NoError(t, json.Unmarshal([]byte(`[
		{"name": "ParseHTML", "ph": "X", "pid": 1, "tid": 1, "ts": 1000, "dur": 9000},
		{"name": "ParseHTML", "ph": "X", "pid": 2, "tid": 2, "ts": 1000, "dur": 10},
		{"name": "RunTask", "ph": "X", "pid": 2, "tid": 2, "ts": 0, "dur": 900000, "tdur": 900000},
		{"name": "RunTask", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 80000, "tdur": 60000},
		{"name": "FunctionCall", "ph": "X", "pid": 1, "tid": 1, "ts": 20000, "dur": 30000, "tdur": 15000, "args": {"data": {"url": "http://a/frontdesk/svc.js"}}},
		{"name": "FunctionCall", "ph": "X", "pid": 1, "tid": 1, "ts": 21000, "dur": 9000, "tdur": 9000, "args": {"data": {"url": "http://a/frontdesk/svc.js"}}},
		{"name": "firstPaint", "ph": "R", "pid": 1, "tid": 1, "ts": 90000},
		{"name": "RunTask", "ph": "X", "pid": 1, "tid": 1, "ts": 100000, "dur": 80000, "tdur": 70000},
		{"name": "RunTask", "ph": "X", "pid": 1, "tid": 1, "ts": 200000, "dur": 51000, "tdur": 51000},
		{"name": "EvaluateScript", "ph": "X", "pid": 1, "tid": 1, "ts": 200100, "dur": 2000, "tdur": 2000, "args": {"data": {"url": "http://a/frontdesk/svc.js"}}},
		{"name": "EventTiming", "ph": "b", "pid": 1, "tid": 1, "ts": 210000, "args": {"data": {"duration": 33.5, "interactionId": 7}}},
		{"name": "EventTiming", "ph": "b", "pid": 1, "tid": 1, "ts": 210000, "args": {"data": {"duration": 99, "interactionId": 0}}}
	]`), &events))
	require.Equal(t, Load{Longest: 70, Long: 3, Ours: 17, OursLongest: 15, OursLong: 2, OursEarly: 1, Slowest: 33.5}, loadOf(events, "/frontdesk/"))
}
