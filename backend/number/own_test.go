package number_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// pools returns a pool of a site's own.
func pools(name string, digits ...string) map[string]number.DeclaredPool {
	return map[string]number.DeclaredPool{name: {Numbers: digits}}
}

func TestOwnIsChecked(t *testing.T) {
	many := make([]number.Tracking, number.MaxOwnRules+1)
	for kind, wrong := range map[string]number.Own{
		"not_number":   {Numbers: []number.Number{{Number: "112"}}},
		"country_code": {Numbers: []number.Number{{Number: "8 (495) 123-45-67"}}},
		"twice":        {Numbers: []number.Number{{Number: "74951234567"}, {Number: "+7 495 123-45-67"}}},
		"place":        {Numbers: []number.Number{{Number: "74951234567", Targets: []string{"footer"}}}},
		"place_taken":  {Numbers: []number.Number{{Number: "74951234567", Targets: []string{".a"}}, {Number: "74950000000", Selectors: []string{".a"}}}},
		"many_places":  {Numbers: []number.Number{{Number: "74951234567", Targets: make([]string, number.MaxOwnPlaces+1)}}},
		"picture":      {Numbers: []number.Number{{Number: "74951234567", Pictures: []number.Picture{{Place: "img", Size: 7}}}}},
		"font":         {Numbers: []number.Number{{Number: "74951234567", Pictures: []number.Picture{{Place: "img", Font: "/etc/passwd"}}}}},
		"own_dynamic":  {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Dynamic: []string{"74957650001"}}}}}},
		"template":     {Numbers: []number.Number{{Number: "74951234567", Template: "tel. {rest}"}}},
		"template_number": {Numbers: []number.Number{{Number: "74951234567", Template: "+7 ({area}) {rest}", Tracking: []number.Tracking{{Pool: "spring"}}}},
			Pools: pools("spring", "74957650001", "442079460019")},
		"one_of":    {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{}}}}},
		"name":      {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Name: "a\nb", Static: "74957650001"}}}}},
		"condition": {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Static: "74957650001", When: []string{"utm=x"}}}}}},
		"covered": {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{
			{Static: "74957650001", When: []string{"utm_source=news*"}}, {Static: "74957650002", When: []string{"utm_source=newsletter"}}}}}},
		"rules":        {Numbers: []number.Number{{Number: "74951234567", Tracking: many}}},
		"many_numbers": {Numbers: make([]number.Number, number.MaxOwn+1)},
		"many_pooled":  {Pools: pools("spring", make([]string, number.MaxOwnPooled+1)...)},
		"large":        {Numbers: []number.Number{{Number: strings.Repeat("7", 200<<10)}}},
		"pool_name":    {Pools: pools("Spring", "74957650001")},
		"pool_empty":   {Pools: pools("spring")},
		"hold":         {Pools: map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650001"}, Hold: time.Second}}},
		"reserve":      {Pools: map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650001"}, Exhausted: number.ShowReserve}}},
		"pools":        {Pools: map[string]number.DeclaredPool{"autumn": {Numbers: []string{"74957650001"}}, "spring": {Numbers: []string{"+7 495 765-00-01"}}}},
		"pool_printed": {Numbers: []number.Number{{Number: "74951234567"}}, Pools: pools("spring", "74951234567")},
		"pool_static":  {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Static: "74957650001"}}}}, Pools: pools("spring", "74957650001")},
	} {
		var mistake *number.Mistake
		require.ErrorAs(t, wrong.Check(), &mistake, kind)
		require.Equal(t, kind, mistake.Kind, mistake)
	}
	require.NoError(t, number.Own{Numbers: []number.Number{{Number: "+7 (495) 123-45-67", Tracking: []number.Tracking{{Pool: "auto"}}}}, Pools: pools("spring", "74957650001")}.Check(),
		"a pool may be the configuration's")
}

func TestOwnStandsAboveTheConfigured(t *testing.T) {
	auto := &number.Pool{Name: "auto", Digits: []string{"74957650021"}}
	require.NoError(t, auto.Complete())
	configured := number.ConfiguredPools{Named: map[string]*number.Pool{"auto": auto}, Of: map[string]string{"74957650021": "auto", "74957650031": "74950000000"}}
	var d number.Declaration
	d.UsePools(configured.Named)
	require.NoError(t, d.Set([]number.Number{
		{Number: "74951234567", Targets: []string{".tel"}, Tracking: []number.Tracking{{Static: "74957650001"}}},
		{Number: "74950000000", Tracking: []number.Tracking{{Dynamic: []string{"74957650031"}}}},
	}))
	printed := func(d *number.Declaration) (digits []string) {
		for _, n := range d.Numbers() {
			digits = append(digits, n.Number)
		}
		return digits
	}
	over, err := number.Own{
		Numbers: []number.Number{{Number: "78005553535", Tracking: []number.Tracking{{Pool: "spring"}}}, {Number: "74950000000", Tracking: []number.Tracking{
			{Pool: "auto", When: []string{"utm_source=a"}}, {Pool: "74950000000"}}}},
		Pools: pools("spring", "74957650041"),
	}.Over(&d, 12, configured)
	require.NoError(t, err)
	require.Equal(t, []string{"74951234567", "74950000000", "78005553535"}, printed(over))
	require.Equal(t, []string{"74957650021", "74957650031"}, over.TrackingOf(over.Numbers()[1]), "the configuration's pools are its own numbers', too")
	require.Equal(t, "12/spring", over.Pools()["spring"].Name)
	require.Equal(t, []string{"74951234567", "74950000000"}, printed(&d), "the configuration's does not change")

	for kind, wrong := range map[string]number.Own{
		"pool_configured": {Pools: pools("auto", "74957650041")},
		"pool_taken":      {Pools: pools("spring", "74957650031")},
		"no_pool":         {Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Pool: "winter"}}}}},
		"place_taken":     {Numbers: []number.Number{{Number: "78005553535", Targets: []string{".tel"}}}},
		"given":           {Numbers: []number.Number{{Number: "78005553535", Tracking: []number.Tracking{{Static: "74957650001"}}}}},
		"pool_static":     {Pools: pools("spring", "74957650001")},
	} {
		_, err := wrong.Over(&d, 12, configured)
		var mistake *number.Mistake
		require.ErrorAs(t, err, &mistake, kind)
		require.Equal(t, kind, mistake.Kind, mistake)
	}
}
