package demo

import (
	"math/rand/v2"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit/place"
)

// Plan is how much is made up.
type Plan struct {
	// Visits are how many there are in all, about.
	Visits int
	// Last is the end of the time, and Days how long it is.
	Last time.Time
	Days int
	Seed uint64
}

// Year is the plan of a shop's year that ends at the time: two plans for the same day are the same.
func Year(last time.Time) Plan {
	return Plan{Visits: 60_000, Last: last.UTC().Truncate(24 * time.Hour), Days: 365, Seed: 24}
}

// seasons are how busy the months are in a shop for lamps, from January on.
var seasons = [12]float64{1.1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.65, 0.95, 1.2, 1.5, 1.7}

// weekdays and hours are how busy they are, from Sunday on, and from midnight.
var (
	weekdays = [7]float64{0.75, 1.1, 1.15, 1.1, 1.05, 0.95, 0.8}
	hours    = [24]float64{2, 1, 1, 1, 1, 2, 4, 8, 14, 20, 24, 25, 23, 22, 22, 21, 20, 20, 21, 23, 22, 17, 10, 5}
)

// counts are how many visits each day has.
func (p Plan) counts(random *rand.Rand) []int {
	weights, sum := make([]float64, p.Days), 0.0
	for i := range weights {
		day := p.day(i)
		growth := 0.7 + 0.6*float64(i)/float64(p.Days)
		weights[i] = seasons[day.Month()-1] * weekdays[day.Weekday()] * growth * (0.85 + 0.3*random.Float64())
		sum += weights[i]
	}
	counts := make([]int, p.Days)
	for i, w := range weights {
		counts[i] = int(w/sum*float64(p.Visits) + 0.5)
	}
	return counts
}

// day is the beginning of a day of the plan.
func (p Plan) day(i int) time.Time { return p.Last.AddDate(0, 0, i-p.Days) }

// moment is a time of the day, at which people are awake.
func moment(random *rand.Rand, day time.Time) time.Time {
	hour := pick(random, len(hours), func(i int) float64 { return hours[i] })
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(random.Int64N(int64(time.Hour)))).Truncate(time.Millisecond)
}

// pick draws one of n by their weights.
func pick(random *rand.Rand, n int, weight func(int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	for at, left := 0, random.Float64()*sum; at < n; at++ {
		if left -= weight(at); left < 0 {
			return at
		}
	}
	return n - 1
}

// way is a way by which visitors come. Those with days are campaigns, which begin and end so many days before the last.
type way struct {
	weight          float64
	query, referrer string
	from, to        int
	buyers          float64 // how much likelier than others its visitors get in touch
	click           string  // the parameter that has a click's id
	bot             bool
	cost            int64 // of a day
}

var ways = []way{
	{weight: 20, buyers: 1.2},
	{weight: 24, referrer: "https://www.google.com/", buyers: 1},
	{weight: 8, referrer: "https://yandex.ru/", buyers: 1},
	{weight: 3, referrer: "https://www.bing.com/", buyers: 0.8},
	{weight: 2, referrer: "https://duckduckgo.com/", buyers: 0.9},
	{weight: 4, referrer: "https://homes.example/rooms/light", buyers: 0.7},
	{weight: 3, referrer: "https://forum.example/t/4711", buyers: 0.5},
	{weight: 4, referrer: "https://www.instagram.com/", buyers: 0.4},
	{weight: 2, referrer: "https://www.facebook.com/", buyers: 0.4},
	{weight: 2, referrer: "https://www.pinterest.com/", buyers: 0.3},
	{weight: 9, query: "utm_source=google&utm_medium=cpc&utm_campaign=brand&utm_term=northlight", click: "gclid", buyers: 2, from: 365, cost: 14},
	{weight: 7, query: "utm_source=google&utm_medium=cpc&utm_campaign=pendant-lamps&utm_term=pendant+lamp&utm_content=a", click: "gclid", buyers: 1.3, from: 300, to: 40, cost: 31},
	{weight: 6, query: "utm_source=google&utm_medium=cpc&utm_campaign=pendant-lamps&utm_term=kitchen+lamp&utm_content=b", click: "gclid", buyers: 0.9, from: 300, to: 40},
	{weight: 6, query: "utm_source=yandex&utm_medium=cpc&utm_campaign=desk-lamps&utm_term=desk+lamp", click: "yclid", buyers: 1.1, from: 200, cost: 12},
	{weight: 6, query: "utm_source=facebook&utm_medium=paid_social&utm_campaign=autumn-evenings&utm_content=video", click: "fbclid", buyers: 0.6, from: 90, to: 20, cost: 24},
	{weight: 12, query: "utm_source=google&utm_medium=display&utm_campaign=black-friday", buyers: 0.4, from: 16, to: 2, cost: 40},
	{weight: 14, query: "utm_source=newsletter&utm_medium=email&utm_campaign=october", buyers: 1.8, from: 54, to: 48},
	{weight: 14, query: "utm_source=newsletter&utm_medium=email&utm_campaign=september", buyers: 1.6, from: 84, to: 79},
	{weight: 12, query: "utm_source=newsletter&utm_medium=email&utm_campaign=spring", buyers: 1.4, from: 236, to: 230},
	{weight: 1, query: "utm_source=catalogue&utm_medium=qr&utm_campaign=catalogue-2026", buyers: 1.5, from: 270},
	{weight: 5, bot: true},
}

// runs says whether the way is open so many days before the last.
func (w *way) runs(before int) bool {
	return w.from == 0 && w.to == 0 || before <= w.from && before >= w.to
}

var pages = []struct {
	path, title string
	weight      float64
}{
	{"/", "Northlight", 10}, {"/lamps", "Lamps", 8}, {"/lamps/aurora", "Aurora", 6}, {"/lamps/fjord", "Fjord", 5}, {"/lamps/polar", "Polar", 4},
	{"/lamps/ember", "Ember", 3}, {"/delivery", "Delivery", 3}, {"/contacts", "Contacts", 3}, {"/order", "Order", 2}, {"/about", "About us", 1},
}

var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
	"Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
}

const robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// places are from where visitors come, as a database of networks would tell. Of some networks it knows nothing.
var places = []struct {
	place.Place
	weight float64
}{
	{place.Place{Country: "RU", Area: "Moscow", City: "Moscow"}, 24}, {place.Place{Country: "RU", Area: "Moscow Oblast", City: "Khimki"}, 6},
	{place.Place{Country: "RU", Area: "St.-Petersburg", City: "St Petersburg"}, 12}, {place.Place{Country: "RU", Area: "Sverdlovsk Oblast", City: "Yekaterinburg"}, 5},
	{place.Place{Country: "RU", Area: "Tatarstan Republic", City: "Kazan"}, 4}, {place.Place{Country: "RU"}, 5}, {place.Place{Country: "KZ", Area: "Almaty", City: "Almaty"}, 4},
	{place.Place{Country: "DE", Area: "Land Berlin", City: "Berlin"}, 6}, {place.Place{Country: "DE", Area: "Bavaria", City: "Munich"}, 4}, {place.Place{Country: "FI", Area: "Uusimaa", City: "Helsinki"}, 3},
	{place.Place{Country: "GB", Area: "England", City: "London"}, 6}, {place.Place{Country: "FR", Area: "Île-de-France", City: "Paris"}, 4}, {place.Place{Country: "US", Area: "New York", City: "New York"}, 3},
	{weight: 6},
}

var languages = []string{"en-GB,en;q=0.9", "en-US,en;q=0.9", "ru-RU,ru;q=0.9,en;q=0.8", "de-DE,de;q=0.9", "fr-FR,fr;q=0.9"}

var (
	firstNames = []string{"Ada", "Boris", "Clara", "Dmitri", "Elena", "Felix", "Greta", "Hugo", "Irina", "Jonas", "Katya", "Leo", "Maria", "Nikolai", "Olga", "Paul"}
	lastNames  = []string{"Arden", "Belov", "Conrad", "Dahl", "Eriksen", "Fomin", "Green", "Holm", "Ivanov", "Jansen", "Krause", "Lind"}
	questions  = []string{"Is the Aurora still to be had in brass?", "How long does delivery take?", "Can the Fjord be dimmed?", "Do you deliver on Saturdays?",
		"We need twelve lamps for a café. Is there a discount?", "The cable is too short for our ceiling. Is there a longer one?"}
	answers = []string{"Good day! Yes, we have it.", "Two to four days.", "It can, with any common dimmer.", "Certainly. Shall we call you about it?"}
)
