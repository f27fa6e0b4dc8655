package caddymodule

import (
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/caddymodule/limits"
)

func readLimits(_ *Handler, values []string) error {
	if len(values) != 0 {
		return errors.New("expected: limits with a block, such as limits { views 100000 }")
	}
	return nil
}

var limitsBlock = func() block {
	b := block{of: "limits", expected: limits.Expected, lines: make(map[string]subdirective)}
	for _, k := range limit.Kinds {
		b.lines[k.String()] = subdirective{read: func(h *Handler, values []string) error {
			most, err := limits.Value(k, values)
			if err != nil {
				return err
			}
			return h.SetLimit(k, most)
		}}
	}
	return b
}()
