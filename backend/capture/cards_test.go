package capture

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"
)

// mobiles are the example of a mobile of the region and some others, of which the digits check as those of cards do.
func mobiles(random *rand.Rand, region string) (all []*phonenumbers.PhoneNumber) {
	example := phonenumbers.GetExampleNumberForType(region, phonenumbers.MOBILE)
	if example == nil {
		return nil
	}
	all = append(all, example)
	national := phonenumbers.GetNationalSignificantNumber(example)
	for range 250 {
		digits := []byte(national)
		for i := min(3, len(digits)); i < len(digits); i++ {
			digits[i] = '0' + byte(random.IntN(10))
		}
		number, err := phonenumbers.Parse(string(digits), region)
		if err == nil && len(all) < 5 && checks([]byte(phonenumbers.Format(number, phonenumbers.E164)[1:])) && phonenumbers.IsValidNumber(number) {
			all = append(all, number)
		}
	}
	return all
}

// No telephone is taken for a card, however it is written and wherever it stands, and each is kept.
func TestPhonesAreNoCards(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	page := ReadMarkup([]byte(`<form><label>Call me at <input type=tel name=reach></label></form>`), "text/html")
	rule := Rule{Path: "/", Phone: []string{"number"}, UserFields: []string{"second"}}
	require.NoError(t, rule.Complete())
	regions := slices.Sorted(maps.Keys(phonenumbers.GetSupportedRegions()))
	require.Greater(t, len(regions), 200)
	checked := 0
	for _, region := range regions {
		for _, number := range mobiles(random, region) {
			international := phonenumbers.Format(number, phonenumbers.E164)
			for _, written := range []string{international, international[1:], phonenumbers.Format(number, phonenumbers.INTERNATIONAL), phonenumbers.Format(number, phonenumbers.NATIONAL)} {
				called := fmt.Sprint(region, " ", written)
				require.Equal(t, written, rule.Read(formOf("number", written), "", nil).Phone, called)
				require.Equal(t, written, rule.Read(formOf("number", "1", "second", written), "", nil).UserFields["second"], called)
				for _, field := range []string{"phone", "reach"} {
					said := Recognise(formOf(field, written), "", page)
					require.Equal(t, written, said.Phone+said.UserFields[field], called) // Tokelau's have four digits
				}
				nameless := Recognise(formOf("input_2", written), region, nil)
				require.Equal(t, written, nameless.Phone+nameless.UserFields["input_2"], called)
				text := "Call " + written + ", or " + written + " 18"
				require.Equal(t, text, Recognise(formOf("message", text), region, nil).Message, called)
				checked++
			}
		}
	}
	require.Greater(t, checked, 4000)
}

func TestCards(t *testing.T) {
	for _, card := range []string{
		"4111111111111111", "5555555555554444", "2200123456789019", "6200000000000005", "378282246310005", "30569309025904", "3566002020360505",
		"6304000000000000000", "8600000000000007",
	} {
		groups := card
		if len(card) == 16 {
			groups = card[:4] + " " + card[4:8] + " " + card[8:12] + " " + card[12:]
		}
		for _, written := range []string{card, groups, strings.ReplaceAll(groups, " ", "-"), strings.ReplaceAll(groups, " ", "\u00a0")} {
			for before, behind := range map[string]string{"": "", "my card is ": ", call me", "№": " 12/27 123"} {
				said := Recognise(formOf("message", before+written+behind, "input_7", before+written+behind), "RU", nil)
				stars := before + "**** " + card[len(card)-4:] + behind
				require.Equal(t, stars, said.Message)
				require.Equal(t, stars, said.UserFields["input_7"])
			}
		}
	}
	page := ReadMarkup([]byte(`<form><input name=a autocomplete="billing cc-number"><input name=b type=password><input name=c autocomplete=one-time-code><input name=d></form>`), "text/html")
	require.Equal(t, map[string]string{"d": "4"}, Recognise(formOf("a", "4111", "b", "2", "c", "3", "d", "4"), "", page).UserFields)
	for _, other := range []string{"4111111111111112", "41111111111111111111", "12 4111 1111 11 11 1111", "5491123456789", "4915112345678 4915112345679 4915112345670"} {
		require.Equal(t, other, Recognise(formOf("message", other), "", nil).Message)
	}
}
