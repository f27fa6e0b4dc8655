package console

import (
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// alarmsFor returns what is wrong with the server, and what to do, in words for those who can do something about it:
// the admins of all sites.
func alarmsFor(s Subjects, o operator.Operator, w *words.Tongue) (alarms []string) {
	if !frame.IsChief(o) {
		return nil
	}
	if trouble := s.DB.Trouble(); trouble != nil {
		what := "alarm.away"
		if errors.Is(trouble, db.ErrFull) {
			what = "alarm.full"
		}
		alarms = append(alarms, w.Text(what, "at", w.Exactly(trouble.Since)))
	}
	if s.Spool == nil {
		return alarms
	}
	state := s.Spool()
	if state.Waiting > 0 {
		alarms = append(alarms, w.Text("alarm.waiting", "n", state.Waiting))
	}
	switch {
	case state.Full():
		alarms = append(alarms, w.Text("alarm.noRoom"))
	case state.Trouble != nil:
		alarms = append(alarms, w.Text("alarm.unreserved"))
	}
	return alarms
}
