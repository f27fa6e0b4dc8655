package lease_test

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/lease"
)

// 200 visits an hour, each of which has a number for five and a half minutes, would take 18 numbers on average. With 20
// numbers one visit in eight finds none; at most one in a hundred does with 28.
func ExampleNeeded() {
	traffic := 200 * 5.5 / 60
	fmt.Printf("%.1f\n", traffic)
	fmt.Printf("%.0f %%\n", 100*lease.Lost(traffic, 20))
	fmt.Println(lease.Needed(traffic, 0.01))
	// Output:
	// 18.3
	// 12 %
	// 28
}
