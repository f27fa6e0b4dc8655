package cluster

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Panics are the lines of the Caddys' logs that tell of a panic.
func (c *Cluster) Panics() (lines []string, err error) {
	for _, m := range append([]*Machine{c.Balancer}, c.Nodes...) {
		log, err := os.ReadFile(filepath.Join(c.logs, m.Name+"-caddy.log"))
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(log) {
			if bytes.Contains(line, []byte("panic")) {
				lines = append(lines, fmt.Sprintf("%s: %.500s", m.Name, line))
			}
		}
	}
	return lines, nil
}
