//go:build frontdesk_next

package migrations

import (
	"embed"
	"io/fs"
	"os"
	"time"
)

//go:embed testdata/next/*.sql testdata/later/*.sql
var tried embed.FS

// With this tag the program is of a release that follows this one, made up for tests of upgrades; with FRONTDESK_LATER, of
// the one after. They wait less long for older nodes.
func init() {
	add := func(folder string) {
		source, err := fs.Sub(tried, "testdata/"+folder)
		if err != nil {
			panic(err)
		}
		released = append(released, Newest())
		sources = append(sources, source)
	}
	add("next")
	if os.Getenv("FRONTDESK_LATER") != "" {
		add("later")
	}
	Beat, gone, alive = time.Second, 30*time.Second, 30*time.Second
}
