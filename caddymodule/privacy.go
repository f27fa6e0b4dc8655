package caddymodule

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// wholeAddresses is the value of Addresses that truncates none.
const wholeAddresses = "whole"

func checkAddresses(addresses string) error {
	if addresses != "" && addresses != "truncated" && addresses != wholeAddresses {
		return fmt.Errorf("addresses %s: expected truncated or whole", addresses)
	}
	return nil
}

// checkRetention refuses what is hardly meant: visits that are gone before anybody has read of them.
func checkRetention(retention caddy.Duration) error {
	if retention != 0 && time.Duration(retention) < 24*time.Hour {
		return fmt.Errorf("retention %s: expected at least a day, such as 800d", time.Duration(retention))
	}
	return nil
}
