// Package group keeps the groups of operators who answer together for a site: who is in them, when they work, and to whom of
// them a conversation goes. Presence, chats and callbacks ask it.
package group

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// Routing is to whom of a group a conversation goes.
type Routing string

// The ways of routing.
const (
	// ToAll shows it to all of the group; who is first takes it.
	ToAll Routing = "all"
	// RoundRobin offers it to one after the other.
	RoundRobin Routing = "round_robin"
	// LeastBusy offers it to whoever has the fewest.
	LeastBusy Routing = "least_busy"
)

// Routings are the ways of routing.
var Routings = []Routing{ToAll, RoundRobin, LeastBusy}

const (
	// Max bounds the groups of a site.
	Max = 100
	// maxHolidays bounds the holidays of a group.
	maxHolidays = 100
)

// Mistakes of those who keep groups. Their texts may be shown.
var (
	ErrUnknown  = errors.New("there is no such group")
	ErrName     = errors.New("a group has a name of at most 100 characters, which no other group of the site has")
	ErrPhone    = errors.New("a group's telephone number has 5 to 15 digits")
	ErrZone     = errors.New("a time zone is one such as Europe/Moscow")
	ErrHours    = errors.New("hours are times such as 09:00-18:00, four a day at most")
	ErrHolidays = errors.New("a holiday is a day such as 2026-05-08, or 01-01 for each year; a hundred at most")
	ErrRouting  = errors.New("routing is all, round_robin or least_busy")
	ErrMembers  = errors.New("the members of a group are operators who see the site")
	ErrMany     = fmt.Errorf("a site has at most %d groups", Max)
	ErrChanged  = errors.New("the group has been changed by somebody else meanwhile")
)

// Group are operators of a site who answer together.
type Group struct {
	// ID is a small positive integer, unique over the database: the group_id that pages name.
	ID, SiteID int64
	Name       string
	// Phone is called for callbacks: an international number in digits, or empty.
	Phone string
	// Zone is that of the hours and holidays, such as "Europe/Moscow"; empty for UTC.
	Zone     string
	Hours    Hours
	Holidays []Holiday
	Routing  Routing
	// Members are operators, by their ids; none for all who see the site.
	Members   []int64
	CreatedAt time.Time
}

// Check returns an error that says what is wrong with the group by itself.
func (g Group) Check() error {
	if name, err := operator.CheckName(g.Name); err != nil || name == "" || name != g.Name {
		return ErrName
	}
	if g.Phone != "" && (len(g.Phone) < 5 || len(g.Phone) > 15 || strings.Trim(g.Phone, "0123456789") != "") {
		return ErrPhone
	}
	if _, err := loadZone(g.Zone); err != nil {
		return err
	}
	if err := g.Hours.check(); err != nil {
		return err
	}
	if len(g.Holidays) > maxHolidays {
		return ErrHolidays
	}
	for _, h := range g.Holidays {
		if err := h.check(); err != nil {
			return err
		}
	}
	if !slices.Contains(Routings, g.Routing) {
		return ErrRouting
	}
	return nil
}

// loadZone does not take the server's own zone, which is another one elsewhere.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" || len(name) > 64 {
		return nil, ErrZone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, ErrZone
	}
	return zone, nil
}

// Open reports whether the group works at the time, by its hours and holidays.
func (g Group) Open(at time.Time) bool { return g.OpenIn(g.Location(), at) }

// Location is the zone of the hours; UTC where the zone is not known here.
func (g Group) Location() *time.Location {
	zone, err := loadZone(g.Zone)
	if err != nil { // of another table of zones
		return time.UTC
	}
	return zone
}

// OpenIn is [Group.Open] for a caller who has the zone of [Group.Location] at hand: reading it takes time.
func (g Group) OpenIn(zone *time.Location, at time.Time) bool {
	return g.Hours.open(at.In(zone), func(day time.Time) bool { return isHoliday(g.Holidays, day) })
}

// Has reports whether the operator, who sees the site, is of the group.
func (g Group) Has(operatorID int64) bool {
	return len(g.Members) == 0 || slices.Contains(g.Members, operatorID)
}

// ahead is how many days ahead it is looked for the next hours of a group.
const ahead = 21

// Opens is when the group works next: at the time itself if it does, else at the beginning of its next hours. known is
// false when it does not work within three weeks.
func (g Group) Opens(at time.Time) (opens time.Time, known bool) { return g.OpensIn(g.Location(), at) }

// OpensIn is [Group.Opens] for a caller who has the zone of [Group.Location] at hand.
func (g Group) OpensIn(zone *time.Location, at time.Time) (opens time.Time, known bool) {
	if g.OpenIn(zone, at) {
		return at, true
	}
	year, month, today := at.In(zone).Date()
	for date := today; date <= today+ahead; date++ {
		weekday := time.Date(year, month, date, 12, 0, 0, 0, zone).Weekday()
		// A holiday ends at midnight, and so does the part of a night that it has taken away.
		begins := []int{0}
		for _, span := range g.Hours[weekday] {
			begins = append(begins, span.From)
		}
		slices.Sort(begins)
		for _, minute := range begins {
			if next := time.Date(year, month, date, 0, minute, 0, 0, zone); next.After(at) && g.OpenIn(zone, next) {
				return next, true
			}
		}
	}
	return time.Time{}, false
}
