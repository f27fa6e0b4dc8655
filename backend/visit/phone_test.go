package visit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestReadPhone(t *testing.T) {
	for _, test := range []struct {
		written, region string
		expected        visit.Phone
	}{
		{"8 (495) 000-01-77", "RU", visit.Phone{Digits: "74950000177"}},
		{"+7 (495) 000-01-77", "", visit.Phone{Digits: "74950000177"}},
		{"84950000177", "RU", visit.Phone{Digits: "74950000177"}},
		{"4950000177", "RU", visit.Phone{Digits: "74950000177"}},
		{"74950000177", "RU", visit.Phone{Digits: "74950000177"}},
		{"8 (727) 258-12-34", "RU", visit.Phone{Digits: "77272581234"}},
		{"020 7946 0018", "GB", visit.Phone{Digits: "442079460018"}},
		{"00 7 495 000-01-77", "DE", visit.Phone{Digits: "74950000177"}},
		{"810 380 44 123-45-67", "RU", visit.Phone{Digits: "380441234567"}},
		{"00 380 44 123-45-67", "RU", visit.Phone{Digits: "380441234567"}},
		{"0049 151 23456789", "", visit.Phone{Digits: "4915123456789"}},
		{"тел. +7 495 000 01 77", "", visit.Phone{Digits: "74950000177"}},

		// Not known as a number of the region.
		{"8 (495) 000-01-77", "", visit.Phone{}},
		{"84950000177", "", visit.Phone{}},
		{"74950000177", "", visit.Phone{}},
		{"8 (495) 000-01-77", "DE", visit.Phone{}},
		{"380441234567", "RU", visit.Phone{}},
		{"123-45-67", "RU", visit.Phone{}},
		{"112", "RU", visit.Phone{}},
		{"ask for Anna", "RU", visit.Phone{}},
		{"", "RU", visit.Phone{}},
		{"+7 495 000-01-77" + string(make([]byte, 200)), "RU", visit.Phone{}},

		{"8 (495) 000-01-77 доб. 3456", "RU", visit.Phone{Digits: "74950000177", Extension: "3456"}},
		{"8 (495) 000-01-77, добавочный 3456", "RU", visit.Phone{Digits: "74950000177", Extension: "3456"}},
		{"+7 495 000-01-77 (доб. 12)", "", visit.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 вн.12, спросить Анну", "", visit.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 ext. 12", "", visit.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 x12", "", visit.Phone{Digits: "74950000177", Extension: "12"}},
		{"+74950000177;ext=12", "", visit.Phone{Digits: "74950000177", Extension: "12"}},
	} {
		require.Equal(t, test.expected, visit.ReadPhone(test.written, test.region), "%q in %q", test.written, test.region)
	}
}

func TestRegionOf(t *testing.T) {
	for digits, region := range map[string]string{
		"74951234567": "RU", "77272581234": "KZ", "442079460018": "GB", "12025550123": "US", "80012345678": "", "999123": "", "": "", "x": "",
	} {
		require.Equal(t, region, visit.RegionOf(digits), digits)
	}
}

func FuzzReadPhone(f *testing.F) {
	f.Add("8 (495) 000-01-77 доб. 3456", "RU")
	f.Add("+44 (0)20 7946 0018 x 5", "")
	f.Add("+811000000000000000", "")
	f.Fuzz(func(t *testing.T, written, region string) {
		var phone visit.Phone
		stepstest.Hold(t, len(written)+len(region), func() { phone = visit.ReadPhone(written, region) })
		if phone.Digits == "" {
			require.Empty(t, phone.Extension)
			return
		}
		require.Regexp(t, `^[1-9][0-9]{4,14}$`, phone.Digits)
		require.Regexp(t, `^[0-9]{0,20}$`, phone.Extension)
		again := "+" + phone.Digits
		if phone.Extension != "" {
			again += ";ext=" + phone.Extension
		}
		require.Equal(t, phone, visit.ReadPhone(again, region))
	})
}
