package cost_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func row(t *testing.T, day, campaign string, amount float64, clicks, impressions int64) cost.Row {
	d, err := period.ReadDate(day)
	require.NoError(t, err)
	return cost.Row{Day: d, Campaign: campaign, Amount: int64(amount*1e6 + 0.5), Clicks: clicks, Impressions: impressions}
}

const (
	google = "Campaign report\n\"October 1, 2026 - October 2, 2026\"\nDay,Campaign,Currency code,Cost,Clicks,Impr.\n" +
		"2026-10-02,Kitchen,USD,\"1,234.50\",12,\"3,400\"\n2026-10-01,Kitchen,USD,10,1,90\n2026-10-01,\"Lamps, \"\"tall\"\"\",USD,0.255,0,7\nTotal: Campaigns,,USD,\"1,244.76\",13,\"3,497\"\n"
	direct = "Отчёт по кампаниям;;;;;\nДата;Кампания;№ кампании;Показы;Клики;Расход (руб.)\n" +
		"01.10.2026;Кухни;7;1 200;15;1 534,70\n02.10.2026;Кухни;7;900;9;1.100,25\nИтого;;;2 100;24;2 634,95\n"
	meta = "Campaign name,Reporting starts,Reporting ends,Amount spent (EUR),Impressions,Link clicks\n" +
		"Autumn,2026-10-01,2026-10-01,12.3,100,4\nAutumn,2026-10-01,2026-10-07,99,700,20\n"
	microsoft = "Report name: Costs\n\nGregorian date\tCampaign\tSpend\tClicks\n10/13/2026\tBrand\t$1,000\t3\n10/2/2026\tBrand\t2.5\t1\n©2026 Microsoft Corporation. All rights reserved.\n"
)

func TestExports(t *testing.T) {
	for _, test := range []struct {
		name, text, currency string
		rows                 []cost.Row
		left                 []cost.Left
	}{
		{"Google Ads", google, "USD", []cost.Row{row(t, "2026-10-01", "Kitchen", 10, 1, 90), row(t, "2026-10-01", `Lamps, "tall"`, 0.255, 0, 7), row(t, "2026-10-02", "Kitchen", 1234.5, 12, 3400)}, nil},
		{"Yandex Direct", direct, "RUB", []cost.Row{row(t, "2026-10-01", "Кухни", 1534.7, 15, 1200), row(t, "2026-10-02", "Кухни", 1100.25, 9, 900)}, nil},
		{"Meta", meta, "EUR", []cost.Row{row(t, "2026-10-01", "Autumn", 12.3, 4, 100)}, []cost.Left{{Line: 3, Reason: cost.ManyDays}}},
		{"Microsoft Advertising", microsoft, "", []cost.Row{row(t, "2026-10-02", "Brand", 2.5, 1, 0), row(t, "2026-10-13", "Brand", 1000, 3, 0)}, []cost.Left{{Line: 6, Reason: cost.NoDay}}},
		{"made by hand", "date,campaign,cost\n1 Oct 2026,a,5\n2026-10-01,a,2\n", "", []cost.Row{row(t, "2026-10-01", "a", 7, 0, 0)}, nil},
		{"Meta by days", "Reporting starts,Reporting ends,Day,Campaign name,Amount spent (USD)\n2026-10-01,2026-10-31,2026-10-05,a,5\n", "USD", []cost.Row{row(t, "2026-10-05", "a", 5, 0, 0)}, nil},
		{"nothing below the heads", "date,campaign,cost\n", "", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(test.text)
			require.NoError(t, err)
			for _, text := range []string{test.text, "\ufeff" + test.text, strings.ReplaceAll(test.text, "\n", "\r\n"), utf16} {
				f, err := cost.Read(strings.NewReader(text), cost.Unsaid)
				require.NoError(t, err)
				require.Equal(t, test.rows, f.Rows)
				require.Equal(t, test.currency, f.Currency)
				require.Equal(t, test.left, f.Left)
				require.Equal(t, len(test.left), f.LeftOut)
			}
		})
	}
	cyrillic, err := charmap.Windows1251.NewEncoder().String(strings.ReplaceAll(direct, "ё", "е"))
	require.NoError(t, err)
	f, err := cost.Read(strings.NewReader(cyrillic), cost.Unsaid)
	require.NoError(t, err)
	require.Len(t, f.Rows, 2)
}

func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		cells   []string
		amounts []float64 // -1 for what is none
	}{
		{[]string{"1,234.56", "1.234,56", "1 234٫56"}, []float64{1234.56, 1234.56, 1234.56}}, // three signs in one file
		{[]string{"1,500", "2,50"}, []float64{1.5, 2.5}},                                     // the second tells of the first
		{[]string{"1,500", "2.50"}, []float64{1500, 2.5}},
		{[]string{"1,500", "7"}, []float64{1500, 7}},
		{[]string{"1'500.5", "1’500", "1\u00a0500", "1\u202f500"}, []float64{1500.5, 1500, 1500, 1500}},
		{[]string{"$ 3.20", "3.20 USD", "3,20 руб.", "€3"}, []float64{3.2, 3.2, 3.2, 3}},
		{[]string{"0.1234567", "0,500", ".5"}, []float64{0.123456, 0.5, 0.5}},
		{[]string{"1,234,567", "1.2.3,4.5", "-5", "=1+1", "", "free", "(5)", "1e9", "99999999999999"}, []float64{1234567, -1, -1, -1, -1, -1, -1, 19, -1}},
	} {
		var text strings.Builder
		text.WriteString("date;campaign;cost\n")
		for i, cell := range test.cells {
			fmt.Fprintf(&text, "2026-10-01;%d;%s\n", i, cell)
		}
		f, err := cost.Read(strings.NewReader(text.String()), cost.Unsaid)
		require.NoError(t, err)
		read := make(map[string]float64)
		for _, r := range f.Rows {
			read[r.Campaign] = float64(r.Amount) / 1e6
		}
		for i, expected := range test.amounts {
			got, known := read[fmt.Sprint(i)]
			if expected < 0 {
				require.False(t, known, test.cells[i])
				continue
			}
			require.True(t, known, test.cells[i])
			require.InDelta(t, expected, got, 1e-9, test.cells[i])
		}
	}
}

func TestDays(t *testing.T) {
	table := func(days ...string) string {
		return "date\tcampaign\tcost\n" + strings.Join(days, "\ta\t1\n") + "\ta\t1\n"
	}
	first := func(order cost.Order, days ...string) (string, error) {
		f, err := cost.Read(strings.NewReader(table(days...)), order)
		if err != nil {
			return "", err
		}
		return f.Rows[0].Day.String(), nil
	}
	for _, test := range []struct {
		order cost.Order
		days  []string
		first string
	}{
		{cost.Unsaid, []string{"3/4/2026", "3/14/2026"}, "2026-03-04"},
		{cost.Unsaid, []string{"3/4/2026", "14/4/2026"}, "2026-04-03"},
		{cost.DayFirst, []string{"3/4/2026"}, "2026-04-03"},
		{cost.MonthFirst, []string{"3/4/2026"}, "2026-03-04"},
		{cost.Unsaid, []string{"2026-03-04T00:00:00Z"}, "2026-03-04"},
		{cost.Unsaid, []string{"2026-03-04 00:00:00"}, "2026-03-04"},
		{cost.Unsaid, []string{"04.03.2026", "Mar 5, 2026", "20260306"}, "2026-03-04"},
	} {
		day, err := first(test.order, test.days...)
		require.NoError(t, err)
		require.Equal(t, test.first, day, test.days)
	}
	_, err := first(cost.Unsaid, "3/4/2026", "5/6/2026")
	require.ErrorIs(t, err, cost.ErrDayOrder)
}

func TestFilesThatAreNotRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		err        error
	}{
		{"no table", "hello", cost.ErrTable},
		{"empty", "", cost.ErrTable},
		{"no costs", "date,campaign,clicks\n2026-10-01,a,1\n", cost.ErrColumns},
		{"two currencies", "date,campaign,cost,currency\n2026-10-01,a,1,USD\n2026-10-01,b,1,EUR\n", cost.ErrCurrency},
		{"too large", strings.Repeat("x", cost.MaxBytes+1), cost.ErrLarge},
		{"too long", "date,campaign,cost\n" + strings.Repeat("2026-10-01,a,1\n", cost.MaxLines+1), cost.ErrLines},
	} {
		f, err := cost.Read(strings.NewReader(test.text), cost.Unsaid)
		require.ErrorIs(t, err, test.err, test.name)
		require.Empty(t, f)
	}
	f, err := cost.Read(strings.NewReader("date,campaign,cost\n2026-10-01,"+strings.Repeat("a", cost.MaxCampaign+1)+",1\n2026-10-01,--,1\n"+strings.Repeat("then,a,1\n", 200)), cost.Unsaid)
	require.NoError(t, err)
	require.Equal(t, 201, f.LeftOut)
	require.Len(t, f.Rows[0].Campaign, cost.MaxCampaign)
	require.Len(t, f.Left, 100)
	require.Equal(t, []cost.Left{{3, cost.NoCampaign}, {4, cost.NoDay}}, f.Left[:2])
}

// price is that of a file: package csv keeps 40 bytes of each cell of a line, in lists that grow.
var price = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 128}, Besides: stepstest.Usual.Besides}

// priceOfLine is that of a file of one line: its lists take some 150 bytes for each cell while they grow, and it is read
// twice.
var priceOfLine = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 384}, Besides: stepstest.Usual.Besides}

// A file has its price, whatever its lines are.
func TestPrice(t *testing.T) {
	const lines = 50_000
	day := func(i int) string { return time.Date(2000, 1, i%9000, 0, 0, 0, 0, time.UTC).Format("20060102") }
	for name, of := range map[string]func(i int) string{
		"short":      func(int) string { return ",a" },
		"no days":    func(int) string { return "aaaaaa" },
		"almost":     func(int) string { return "99/99/99" },
		"wrong days": func(int) string { return "2026-99-99" },
		"months":     func(int) string { return "May 99, 2026" },
		"rows":       func(i int) string { return fmt.Sprintf("%s,%d,1", day(i), i/9000) },
		"currencies": func(int) string { return day(1) + ",a,1,€" },
		"quoted":     func(i int) string { return fmt.Sprintf(`"%s","a""%d","1,000"`, day(i), i/9000) },
		"separators": func(int) string { return ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,," },
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte("date,campaign,cost,currency\n")
			for i := range lines {
				text = append(append(text, of(i)...), '\n')
			}
			price.Hold(t, len(text), func() {
				_, err := cost.Read(bytes.NewReader(text), cost.Unsaid)
				require.NotErrorIs(t, err, cost.ErrTable)
			})
		})
	}
	wide := []byte("date,campaign,cost\n" + strings.Repeat(",", 1<<20))
	priceOfLine.Hold(t, len(wide), func() {
		_, err := cost.Read(bytes.NewReader(wide), cost.Unsaid)
		require.NoError(t, err)
	})
	heads := bytes.Repeat([]byte("a,"), 1<<20)
	price.Hold(t, len(heads), func() {
		_, err := cost.Read(bytes.NewReader(heads), cost.Unsaid)
		require.ErrorIs(t, err, cost.ErrColumns)
	})
}

// Whatever stands in a file, what is read of it can be stored.
func FuzzRead(f *testing.F) {
	for _, text := range []string{google, direct, meta, microsoft, "date;campaign;cost\n3/4/2026;a;1,5\n", "date,campaign,cost\n" + strings.Repeat(",", 600)} {
		f.Add([]byte(text), "")
	}
	f.Fuzz(func(t *testing.T, content []byte, order string) {
		var read cost.File
		var err error
		priceOfLine.Hold(t, len(content), func() { read, err = cost.Read(bytes.NewReader(content), cost.Order(order)) })
		if err != nil {
			require.Empty(t, read.Rows)
			return
		}
		known := make(map[string]bool)
		for _, r := range read.Rows {
			require.GreaterOrEqual(t, r.Amount, int64(0))
			require.GreaterOrEqual(t, r.Clicks, int64(0))
			require.GreaterOrEqual(t, int(r.Day), 0)
			require.NotEmpty(t, r.Campaign)
			require.LessOrEqual(t, len(r.Campaign), cost.MaxCampaign)
			key := r.Day.String() + r.Campaign
			require.False(t, known[key])
			known[key] = true
		}
	})
}
