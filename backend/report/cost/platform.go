package cost

import "slices"

// Platform is where advertising is bought; empty for another.
type Platform string

// The platforms whose exports are known.
const (
	Google    Platform = "google"
	Yandex    Platform = "yandex"
	Meta      Platform = "meta"
	Microsoft Platform = "microsoft"
)

// Platforms are all of them.
var Platforms = []Platform{Google, Yandex, Meta, Microsoft}

// Marks are the source and the medium that the platform's advertisements have where nobody has set others.
func (p Platform) Marks() (name, medium string) {
	switch p {
	case Google:
		return "google", "cpc"
	case Yandex:
		return "yandex", "cpc"
	case Meta:
		return "facebook", "cpc"
	case Microsoft:
		return "bing", "cpc"
	}
	return "", ""
}

// own are heads that only the platform writes.
var own = []struct {
	Platform
	heads []string
}{
	{Microsoft, []string{"gregorian date", "timeperiod", "time period", "spend", "campaignname"}},
	{Meta, []string{"reporting starts", "reporting ends", "amount spent", "начало отчетности", "окончание отчетности", "дата начала отчетности", "потраченная сумма", "сумма затрат"}},
	{Yandex, []string{"расход", "расход всего", "№ кампании", "номер кампании"}},
	{Google, []string{"currency code", "impr.", "код валюты", "стоимость"}},
}

// platformOf is the platform that has written the heads.
func platformOf(cells []string) Platform {
	for _, o := range own {
		for _, cell := range cells {
			if head, _ := headOf(cell); slices.Contains(o.heads, head) {
				return o.Platform
			}
		}
	}
	return ""
}
