package phone

import (
	"slices"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// Numbers of every country and every common kind are found in the library's formats, and poured into them.
func TestEveryCountry(t *testing.T) {
	regions := phonenumbers.GetSupportedRegions()
	require.Greater(t, len(regions), 240)
	for region := range regions {
		for _, kind := range []phonenumbers.PhoneNumberType{phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.TOLL_FREE} {
			example := phonenumbers.GetExampleNumberForType(region, kind)
			if example == nil {
				continue
			}
			old := plan.DigitsOf(phonenumbers.Format(example, phonenumbers.E164))
			fresh := old[:len(old)-1] + string('0'+(old[len(old)-1]-'0'+1)%10)
			s, err := compilePairs([]pair{{old, fresh}})
			require.NoError(t, err, region)
			m := s.NewMatcher(char.UTF8)
			number, err := plan.Parse(old)
			require.NoError(t, err, region)
			formats := []string{
				phonenumbers.Format(example, phonenumbers.INTERNATIONAL),
				phonenumbers.Format(example, phonenumbers.E164),
				"00" + old,
			}
			// Numbers that are as short as prices, and those that the library writes wrongly, are not searched.
			home := plan.Plain(phonenumbers.Format(example, phonenumbers.NATIONAL))
			if text := plan.DigitsOf(home); number.Is(text) && (len(text) >= forms.MinLoneNational || text != number.National) {
				formats = append(formats, home)
			}
			for _, format := range formats {
				out, changed := m.Rewrite(nil, []byte("Tel. "+format+", all day"), Text)
				require.True(t, changed, "%s: %s", region, format)
				last := strings.LastIndexAny(format, "0123456789")
				want := format[:last] + fresh[len(fresh)-1:] + format[last+1:]
				require.Equal(t, "Tel. "+want+", all day", string(out), region)
			}
		}
	}
}

func TestInternationalPrefixes(t *testing.T) {
	require.Equal(t, strings.Fields("00 000 001 0011 009 010 011 020 119 810"), plan.InternationalPrefixes())
}

func TestTrunkPrefixes(t *testing.T) {
	for digits, want := range map[string]string{
		"74951234567": "8", "77172123456": "8", "380441234567": "0", "375172123456": "8 0 80", "442079460018": "0", "3612345678": "06",
		"390612345678": "", "34912345678": "", "37052123456": "0 8", "12125551234": "1", "4930123456": "0",
	} {
		p, err := plan.Parse(digits)
		require.NoError(t, err)
		require.Equal(t, strings.Fields(want), append([]string{}, p.Trunks()...), digits)
	}
	p, err := plan.Parse("551132345678")
	require.NoError(t, err)
	trunks := p.Trunks()
	require.Equal(t, "0", trunks[0])
	for _, carrier := range []string{"015", "021", "031", "041"} {
		require.True(t, slices.Contains(trunks, carrier), carrier)
	}
}
