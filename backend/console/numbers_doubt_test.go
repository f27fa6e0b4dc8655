package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// sureField is what a form sends along if its doubts are no mistakes.
var sureField = regexp.MustCompile(`name="sure" value="(\w+)"`)

// What is hardly meant is asked about before it is saved: a number whose first digit is a trunk prefix, and one of
// another country.
func TestDoubtsAreAskedAbout(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		b := d.signedIn("vera")
		numbers, pools := fmt.Sprintf("/numbers/%d", d.shop.ID), fmt.Sprintf("/pools/%d", d.shop.ID)

		asked := b.post(numbers, "version", "0", "number", "84951234567", "rules", "1", "rule0show", "static", "rule0static", "84957654399")
		require.Equal(t, http.StatusUnprocessableEntity, asked.status)
		require.Contains(t, asked.body, "has the country code &#43;84. Did you mean")
		require.Contains(t, asked.body, "Save all the same")
		require.Empty(t, d.settings().Numbers)

		// Beside a number of Moscow, the tracking number is one of Moscow.
		moscow := []string{"number", "+7 495 123-45-67", "rules", "1", "rule0show", "static", "rule0static"}
		require.Equal(t, http.StatusSeeOther, b.post(numbers, append([]string{"version", "0"}, append(moscow, "84957654399")...)...).status)
		require.Equal(t, "74957654399", d.settings().Numbers[0].Tracking[0].Static)

		asked = b.post(numbers, append([]string{"version", "1", "was", "74951234567"}, append(moscow, "+84957654399")...)...)
		require.Equal(t, http.StatusUnprocessableEntity, asked.status)
		require.Contains(t, asked.body, "and the site&#39;s number")
		require.Contains(t, asked.body, `value="&#43;84`, "what was written is kept")
		sure := sureField.FindStringSubmatch(asked.body)
		require.NotNil(t, sure)
		other := b.post(numbers, append([]string{"version", "1", "was", "74951234567", "sure", sure[1]}, append(moscow, "+442079460018")...)...)
		require.Equal(t, http.StatusUnprocessableEntity, other.status, "it was not sure of this one")
		require.Equal(t, http.StatusSeeOther, b.post(numbers, append([]string{"version", "1", "was", "74951234567", "sure", sure[1]}, append(moscow, "+84957654399")...)...).status)
		require.Equal(t, "84957654399", d.settings().Numbers[0].Tracking[0].Static)
		require.Equal(t, http.StatusSeeOther, b.post(numbers, append([]string{"version", "2", "was", "74951234567", "rule0name", "Spring"}, append(moscow, "+84957654399")...)...).status,
			"what is in effect is not asked about again")

		require.Equal(t, http.StatusSeeOther, b.post(pools, "version", "3", "name", "spring", "numbers", "84957650001\n8 (495) 765-00-02", "hold", "5", "exhausted", "original").status)
		require.Equal(t, []string{"74957650001", "74957650002"}, d.settings().Pools["spring"].Numbers)
	})
}
