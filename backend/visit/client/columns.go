package client

import (
	"fmt"
	"strings"
	"time"
)

// pause is how long one waits after a failure.
const pause = time.Second

// kept are the assignments by which what a request does not bring stays as it was, and differs is the condition under
// which there is something to write.
var kept, differs = func() (set, where string) {
	var sets, wheres []string
	for _, column := range []string{"ga", "sessions", "ym", "fbp", "fbc", "pk"} {
		sets = append(sets, fmt.Sprintf("%[1]s = CASE WHEN EXCLUDED.%[1]s = '' THEN client_ids.%[1]s ELSE EXCLUDED.%[1]s END", column))
		wheres = append(wheres, fmt.Sprintf("EXCLUDED.%[1]s NOT IN ('', client_ids.%[1]s)", column))
	}
	return strings.Join(sets, ", "), strings.Join(wheres, " OR ")
}()
