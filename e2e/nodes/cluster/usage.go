package cluster

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Usage is what the Caddy of a node has at a moment: bytes of resident memory, goroutines, and open files.
type Usage struct{ Memory, Goroutines, Files int64 }

var measured = regexp.MustCompile(`(?m)^(process_resident_memory_bytes|go_goroutines|process_open_fds) (\S+)$`)

// UsageOf asks the node.
func (c *Cluster) UsageOf(ctx context.Context, m *Machine) (u Usage, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	told, err := c.ask(ctx, http.MethodGet, "http://"+m.Address+":2020/metrics", nil)
	if err != nil {
		return u, err
	}
	found := measured.FindAllStringSubmatch(string(told), -1)
	if len(found) != 3 {
		return u, fmt.Errorf("%s tells %d of 3 figures", m.Name, len(found))
	}
	for _, one := range found {
		value, err := strconv.ParseFloat(one[2], 64)
		if err != nil {
			return u, err
		}
		switch one[1] {
		case "process_resident_memory_bytes":
			u.Memory = int64(value)
		case "go_goroutines":
			u.Goroutines = int64(value)
		default:
			u.Files = int64(value)
		}
	}
	return u, nil
}
