package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// remark is something that was said in a conversation of the day, and how long before it ended.
type remark struct {
	ago  time.Duration
	by   chat.Author
	who  int64 // the operator
	text string
	file bool
}

// conversations are those of the day, by the guest whose they are.
var conversations = []struct {
	guest int
	said  []remark
	read  int64
	close bool
}{
	{0, []remark{{26 * time.Hour, chat.Visitor, 0, "Good day. Do you deliver to Kazan?", false}, {26*time.Hour - time.Minute, chat.Operator, 2, "We do, in three to four days.", false}}, 2, true},
	{5, []remark{{9 * time.Minute, chat.Visitor, 0, "Which bulb do I need for a ceiling of 3.2 m?", false}, {8 * time.Minute, chat.Operator, 2, "For Lantern or for Arc?", false}, {7 * time.Minute, chat.Visitor, 0, "Lantern, the large one", false}, {6 * time.Minute, chat.Operator, 2, "E27, up to 60 W. We have them, too: https://lamps.example/guides/bulbs.html", false}}, 2, false},
	{6, []remark{{20 * time.Second, chat.Visitor, 0, "Is there a discount when I take five Pebble?", false}}, 0, false},
	{8, []remark{{5 * time.Second, chat.Visitor, 0, "Hello! I have seen you in the list of ten lamps. Can Lantern hang over a bath?", false}}, 0, false},
	{4, []remark{
		{14 * time.Minute, chat.Visitor, 0, "Good day! Is the Arc lamp in stock? I would like two of them.", false},
		{13 * time.Minute, chat.Note, 2, "A regular: she took Birch in spring.", false},
		{13 * time.Minute, chat.Operator, 1, "Good day, Anna! Arc is here in brass and in black. Which would you like?", false},
		{12 * time.Minute, chat.Visitor, 0, "One of each, please. This is the place where they are to go:", false},
		{11 * time.Minute, chat.Visitor, 0, "", true},
		{10 * time.Minute, chat.Operator, 1, "They will look fine there. All that is in stock: https://lamps.example/lamps/arc.html", false},
		{50 * time.Second, chat.Visitor, 0, "Thank you! Could they be delivered on Saturday before noon?", false},
	}, 6, false},
}

// converse fills the day with conversations; refs are the guests' page views.
func converse(ctx context.Context, database *db.DB, visits *visittest.Rooms, siteID int64, refs []visit.Ref, began time.Time) (path string, err error) {
	at := began
	now := func() time.Time { return at }
	chats := chat.New(chat.Subjects{DB: database, Visits: visits.Visits, Texts: visits.Texts, Cards: visits.Cards}, now)
	for _, t := range conversations {
		var c chat.Conversation
		for i, r := range t.said {
			at = began.Add(-r.ago)
			m := chat.Message{Author: r.by, OperatorID: r.who, Text: r.text}
			if r.file {
				m.File = &file.File{Name: "living-room.png", Content: room()}
			}
			if r.by == chat.Visitor {
				c, _, err = chats.SayFrom(ctx, chat.From{SiteID: siteID, Ref: refs[t.guest], URL: shop + "/lamps/arc.html", Language: "en"}, m)
			} else {
				_, err = chats.Say(ctx, siteID, c.ID, m)
			}
			if err != nil {
				return "", fmt.Errorf("remark %d of guest %d: %w", i, t.guest, err)
			}
		}
		if err := chats.Read(ctx, siteID, c.ID, chat.Visitor, t.read); err != nil {
			return "", err
		}
		if t.close {
			if err := chats.Close(ctx, siteID, c.ID, 2); err != nil {
				return "", err
			}
		}
		path = fmt.Sprintf("/chats/%d/%d", siteID, c.ID)
	}
	for _, r := range []reply.Reply{
		{Word: "hello", Place: 1, Text: "Good day! How can we help?"}, {Word: "delivery", Place: 2, Text: "We deliver in Moscow the next day, and elsewhere in three to five days."},
		{Word: "stock", Text: "All lamps that can be ordered on the site are in stock."}, {Word: "thanks", Place: 9, Text: "Thank you for writing to us. Have a good day!"},
	} {
		r.SiteID = siteID
		if _, err := reply.New(database).Keep(ctx, r); err != nil {
			return "", err
		}
	}
	for _, g := range []group.Group{
		{Name: "Sales", Phone: "74955550101", Zone: "Europe/Moscow", Routing: group.RoundRobin, Holidays: []group.Holiday{"01-01", "05-09"}},
		{Name: "Repairs", Phone: "74955550102", Zone: "Europe/Moscow", Routing: group.ToAll, Members: []int64{2}},
	} {
		for day := range g.Hours {
			g.Hours[day] = []group.Span{{From: 0, To: 24 * 60}}
		}
		g.SiteID = siteID
		if _, err := group.New(database, now).Keep(ctx, operator.Server(), g); err != nil {
			return "", err
		}
	}
	return path, nil
}

// room is a picture such as somebody sends.
func room() []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 320, 200))
	for y := range 200 {
		for x := range 320 {
			c := color.RGBA{uint8(226 - y/4), uint8(214 - y/5), uint8(196 - y/6), 255}
			if y > 150 {
				c = color.RGBA{150, 116, 84, 255}
			}
			if d := (x-225)*(x-225) + (y-60)*(y-60); d < 500 {
				c = color.RGBA{250, 236, 190, 255}
			}
			if x > 40 && x < 160 && y > 100 && y < 160 {
				c = color.RGBA{92, 110, 118, 255}
			}
			picture.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err) // into memory
	}
	return b.Bytes()
}
