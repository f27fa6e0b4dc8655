package contact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestReadPhone(t *testing.T) {
	for _, test := range []struct {
		written, region string
		expected        contact.Phone
	}{
		{"8 (495) 000-01-77", "RU", contact.Phone{Digits: "74950000177"}},
		{"+7 (495) 000-01-77", "", contact.Phone{Digits: "74950000177"}},
		{"84950000177", "RU", contact.Phone{Digits: "74950000177"}},
		{"4950000177", "RU", contact.Phone{Digits: "74950000177"}},
		{"74950000177", "RU", contact.Phone{Digits: "74950000177"}},
		{"8 (727) 258-12-34", "RU", contact.Phone{Digits: "77272581234"}},
		{"020 7946 0018", "GB", contact.Phone{Digits: "442079460018"}},
		{"00 7 495 000-01-77", "DE", contact.Phone{Digits: "74950000177"}},
		{"810 380 44 123-45-67", "RU", contact.Phone{Digits: "380441234567"}},
		{"00 380 44 123-45-67", "RU", contact.Phone{Digits: "380441234567"}},
		{"0049 151 23456789", "", contact.Phone{Digits: "4915123456789"}},
		{"тел. +7 495 000 01 77", "", contact.Phone{Digits: "74950000177"}},

		// Not known as a number of the region.
		{"8 (495) 000-01-77", "", contact.Phone{}},
		{"84950000177", "", contact.Phone{}},
		{"74950000177", "", contact.Phone{}},
		{"8 (495) 000-01-77", "DE", contact.Phone{}},
		{"380441234567", "RU", contact.Phone{}},
		{"123-45-67", "RU", contact.Phone{}},
		{"112", "RU", contact.Phone{}},
		{"ask for Anna", "RU", contact.Phone{}},
		{"", "RU", contact.Phone{}},
		{"+7 495 000-01-77" + string(make([]byte, 200)), "RU", contact.Phone{}},

		{"8 (495) 000-01-77 доб. 3456", "RU", contact.Phone{Digits: "74950000177", Extension: "3456"}},
		{"8 (495) 000-01-77, добавочный 3456", "RU", contact.Phone{Digits: "74950000177", Extension: "3456"}},
		{"+7 495 000-01-77 (доб. 12)", "", contact.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 вн.12, спросить Анну", "", contact.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 ext. 12", "", contact.Phone{Digits: "74950000177", Extension: "12"}},
		{"+7 495 000-01-77 x12", "", contact.Phone{Digits: "74950000177", Extension: "12"}},
		{"+74950000177;ext=12", "", contact.Phone{Digits: "74950000177", Extension: "12"}},
	} {
		require.Equal(t, test.expected, contact.ReadPhone(test.written, test.region), "%q in %q", test.written, test.region)
	}
}

func TestRegionOf(t *testing.T) {
	for digits, region := range map[string]string{
		"74951234567": "RU", "77272581234": "KZ", "442079460018": "GB", "12025550123": "US", "80012345678": "", "999123": "", "": "", "x": "",
	} {
		require.Equal(t, region, contact.RegionOf(digits), digits)
	}
}

func FuzzReadPhone(f *testing.F) {
	f.Add("8 (495) 000-01-77 доб. 3456", "RU")
	f.Add("+44 (0)20 7946 0018 x 5", "")
	f.Add("+811000000000000000", "")
	f.Add("+74950000177;ext=١٢", "")
	f.Fuzz(func(t *testing.T, written, region string) {
		var phone contact.Phone
		stepstest.Hold(t, len(written)+len(region), func() { phone = contact.ReadPhone(written, region) })
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
		require.Equal(t, phone, contact.ReadPhone(again, region))
	})
}

func TestFindPhone(t *testing.T) {
	for _, test := range []struct{ text, region, expected string }{
		{"89211234567 Иван", "RU", "89211234567"},
		{"Иван, 8 (921) 123-45-67.", "RU", "8 (921) 123-45-67"},
		{"звоните +7 921 123 45 67 после 18:00", "", "+7 921 123 45 67"},
		{"столик 24.12.2026 на 4, тел.8-921-123-45-67 2 гостя", "RU", "8-921-123-45-67"},
		{"8 921 123 45 67 8 921 765 43 21", "RU", "8 921 123 45 67"},
		{"(+49 (0)151) 23456789", "", "+49 (0)151) 23456789"},
		{"my number is 020 7946 0018 or 020 7946 0019", "GB", "020 7946 0018"},
		{"https://wa.me/79211234567?text=hi", "", "+79211234567"},
		{"https://api.whatsapp.com/send?phone=79211234567", "", "+79211234567"},
		{"viber://chat?number=%2B79211234567", "", "+79211234567"},
		{"91234567 Li", "SG", "91234567"},
		{"+ 7 921 1234567", "", "+ 7 921 1234567"},

		{"79211234567", "", ""},
		{"SKU-89211234567", "RU", ""},
		{"order #89211234567, №89211234567", "RU", ""},
		{"https://shop.example/?id=89211234567&b=2", "RU", ""},
		{"89211234567@mail.example", "RU", ""},
		{"2026-12-24 18:00, 24.12.2026, 1 000 000 000", "NO", ""},
		{"I would like four of the lamps that you show, with code 91234567, by Monday", "SG", ""},
		{"12345678901234567890123456789 1", "RU", ""},
		{"**** 1111", "RU", ""},
		{"", "RU", ""},
	} {
		require.Equal(t, test.expected, contact.FindPhone(test.text, test.region, func() bool { return true }), "%q in %q", test.text, test.region)
	}
}

// priceOfTries is that of a search with 40 readings.
var priceOfTries = stepstest.Price{Each: stepstest.Usual.Each, Besides: stepstest.Cost{Walked: 128 << 10, Allocated: 1 << 20}}

// FuzzFindPhone holds what is found in any text to be in it, or to be a link's, and no byte to be looked at often.
func FuzzFindPhone(f *testing.F) {
	f.Add("8 921 123-45-67 wa.me/79211234567 (+49) 24.12.2026", "RU")
	f.Add("1 1 1 1 1 1 1 1 1 1 1 1 11111111111111111111111", "DE")
	f.Add("wA.me/81000/00001", "0")
	f.Fuzz(func(t *testing.T, text, region string) {
		tried := 0
		var found string
		priceOfTries.Hold(t, len(text), func() {
			tried = 0
			found = contact.FindPhone(text, region, func() bool { tried++; return tried <= 40 })
		})
		require.LessOrEqual(t, tried, 41)
		if found != "" {
			national, signed := strings.CutPrefix(found, "+")
			called := func(before string) bool { return signed && strings.Contains(strings.ToLower(text), before+national) }
			require.True(t, strings.Contains(text, found) || called("/") || called("=") || called("%2b"), "%q in %q", found, text)
			require.NotEmpty(t, contact.ReadPhone(found, region).Digits)
		}
	})
}
