package sites

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// groupsPage is the content of the page of a site's groups.
type groupsPage struct {
	site.Site
	Rows []groupRow
}

// groupRow is a group as a row of the list.
type groupRow struct {
	group.Group
	Link  string
	Open  bool // at this hour
	There int  // members who are there
	Names string
}

// groupPage is the content of the page of one group.
type groupPage struct {
	site.Site
	Group    group.Group
	Phone    string // as it was written
	Days     []groupDay
	Holidays string
	Members  []groupMember
	Routings []frame.Option
	Wrong    map[string]string
}

// groupDay is a day of the week, whose hours are as they were written.
type groupDay struct{ Field, Name, Hours string }

type groupMember struct {
	operator.Operator
	Chosen bool
}

// week are the names of the words for its days, from Monday on.
var week = []struct {
	day  time.Weekday
	name string
}{
	{time.Monday, "week.monday"}, {time.Tuesday, "week.tuesday"}, {time.Wednesday, "week.wednesday"}, {time.Thursday, "week.thursday"},
	{time.Friday, "week.friday"}, {time.Saturday, "week.saturday"}, {time.Sunday, "week.sunday"},
}

// routingWords are the names of the words for the ways of routing.
var routingWords = map[group.Routing]string{
	group.ToAll: "group.toAll", group.RoundRobin: "group.roundRobin", group.LeastBusy: "group.leastBusy",
}

// groupMistakes says at which field a mistake is shown, and by which words.
var groupMistakes = []struct {
	err         error
	field, text string
}{
	{group.ErrName, "name", "group.wrongName"}, {group.ErrPhone, "phone", "group.wrongPhone"}, {group.ErrZone, "zone", "group.wrongZone"},
	{group.ErrHours, "hours", "group.wrongHours"}, {group.ErrHolidays, "holidays", "group.wrongHolidays"}, {group.ErrRouting, "routing", "fail.form"},
	{group.ErrMembers, "members", "group.wrongMembers"}, {group.ErrMany, "name", "group.tooMany"},
}

func groupsLink(siteID int64) string { return frame.SiteLink(siteID) + "/groups" }

func (c *room) showGroups(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	groups, err := c.Groups.Of(r.Context(), named.ID)
	if err != nil {
		return err
	}
	staff, err := c.Operators.List(r.Context(), f.Operator.Sites)
	if err != nil {
		return err
	}
	body := groupsPage{Site: named}
	for _, g := range groups {
		row := groupRow{Group: g, Link: groupsLink(named.ID) + "/" + strconv.FormatInt(g.ID, 10), Open: g.Open(c.Now())}
		present, err := c.Presence.Present(r.Context(), named.ID, g.ID)
		if err != nil {
			return err
		}
		row.There = len(present)
		var names []string
		for _, o := range staff {
			if slices.Contains(g.Members, o.ID) {
				names = append(names, o.Label())
			}
		}
		row.Names = strings.Join(names, ", ")
		body.Rows = append(body.Rows, row)
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

func (c *room) showNewGroup(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	return c.groupPage(w, r, http.StatusOK, f, groupPage{Site: named, Group: group.Group{SiteID: named.ID, Routing: group.ToAll}})
}

func (c *room) showGroup(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	g, err := c.Groups.Get(r.Context(), named.ID, groupID(r))
	if err != nil {
		return err
	}
	body := groupPage{Site: named, Group: g}
	if g.Phone != "" {
		body.Phone = words.Phone(g.Phone, "")
	}
	var holidays []string
	for _, h := range g.Holidays {
		holidays = append(holidays, string(h))
	}
	body.Holidays = strings.Join(holidays, "\n")
	for _, d := range week {
		body.Days = append(body.Days, groupDay{Hours: group.FormatSpans(g.Hours[d.day])})
	}
	return c.groupPage(w, r, http.StatusOK, f, body)
}

// groupID is the one in the address; 0, which no group has, for what is no number.
func groupID(r *http.Request) int64 {
	id, err := strconv.ParseInt(r.PathValue("group"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// groupPage completes the page and shows it.
func (c *room) groupPage(w http.ResponseWriter, r *http.Request, status int, f frame.Page, body groupPage) error {
	staff, err := c.Operators.List(r.Context(), f.Operator.Sites)
	if err != nil {
		return err
	}
	for _, o := range staff {
		if o.Sites.Has(body.ID) && o.SeesPersons() {
			body.Members = append(body.Members, groupMember{o, slices.Contains(body.Group.Members, o.ID)})
		}
	}
	if body.Days == nil {
		body.Days = make([]groupDay, len(week))
	}
	for i, d := range week {
		body.Days[i].Field, body.Days[i].Name = "day"+strconv.Itoa(int(d.day)), f.Words.Text(d.name)
	}
	for _, routing := range group.Routings {
		body.Routings = append(body.Routings, frame.Option{Value: string(routing), Name: f.Words.Text(routingWords[routing])})
	}
	f.Title, f.Here = f.Words.Text("group.new"), groupsLink(body.ID)+"/new"
	if body.Group.ID != 0 {
		f.Title, f.Here = body.Group.Name, groupsLink(body.ID)+"/"+strconv.FormatInt(body.Group.ID, 10)
	}
	f.Body = body
	return c.Show(w, status, f)
}

// keepGroup stores the group of the form.
func (c *room) keepGroup(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	body, err := sentGroup(r, named)
	if err == nil {
		_, err = c.Groups.Keep(r.Context(), f.Operator.Actor(), body.Group)
	}
	if err == nil {
		return c.Back(w, r, groupsLink(named.ID), "group.kept")
	}
	for _, m := range groupMistakes {
		if errors.Is(err, m.err) {
			f.Problem = f.Words.Text(m.text)
			body.Wrong = map[string]string{m.field: f.Problem}
			return c.groupPage(w, r, http.StatusUnprocessableEntity, f, body)
		}
	}
	return err
}

// sentGroup is the group as the form has it, and what of it cannot be read.
func sentGroup(r *http.Request, named site.Site) (body groupPage, err error) {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	g := group.Group{SiteID: named.ID, Name: value("name"), Zone: value("zone"), Routing: group.Routing(value("routing"))}
	g.ID, _ = strconv.ParseInt(value("group"), 10, 64)
	if g.Zone == "" { // it would be UTC without a word
		err = group.ErrZone
	}
	body = groupPage{Site: named, Phone: value("phone"), Holidays: r.PostFormValue("holidays")}
	if body.Phone != "" {
		region := ""
		if named.Settings.Region != nil {
			region = *named.Settings.Region
		}
		if g.Phone = contact.ReadPhone(body.Phone, region).Digits; g.Phone == "" {
			err = group.ErrPhone
		}
	}
	for _, day := range strings.FieldsFunc(body.Holidays, func(r rune) bool { return strings.ContainsRune(" ,;\r\n\t", r) }) {
		g.Holidays = append(g.Holidays, group.Holiday(day))
	}
	for _, d := range week {
		hours := value("day" + strconv.Itoa(int(d.day)))
		body.Days = append(body.Days, groupDay{Hours: hours})
		spans, wrong := group.ParseSpans(hours)
		if wrong != nil {
			err = wrong
		}
		g.Hours[d.day] = spans
	}
	for _, text := range r.PostForm["members"] {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			g.Members = append(g.Members, id)
		}
	}
	body.Group = g
	return body, err
}

func (c *room) removeGroup(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	siteID, id, err := frame.IDs(r, frame.SiteField, "group")
	if err == nil {
		err = c.Groups.Remove(r.Context(), o.Actor(), siteID, id)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, groupsLink(siteID), "group.removed")
}
