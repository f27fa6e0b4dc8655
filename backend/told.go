package backend

import (
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// told are what an observer is told of leads, conversations and calls. They are nil where nobody observes.
type told struct {
	lead  func(origin string)
	chat  func(by chat.Author, begins bool)
	call  func(how telephony.Status)
	limit func(limit.Kind)
}

func toldTo(observer Observer) told {
	if observer == nil {
		return told{}
	}
	return told{observer.Lead, observer.Said, observer.CallEnded, observer.Limited}
}
