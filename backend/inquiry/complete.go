package inquiry

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// complete asks the subjects for what stands at the keys. What is gone by now is left out.
func (q *Inquiries) complete(ctx context.Context, keys []key) ([]Inquiry, error) {
	list := make([]Inquiry, len(keys))
	for i, k := range keys {
		list[i] = Inquiry{Kind: Kinds[k.place], SiteID: k.site, ID: k.id, At: db.Time(k.at), Visitor: k.visitor}
	}
	err := q.completeLeads(ctx, keys, list)
	if err == nil {
		err = q.completeSources(ctx, keys, list)
	}
	if err == nil {
		err = q.completeCalls(ctx, list)
	}
	if err == nil {
		err = q.completeCallbacks(ctx, list)
	}
	if err == nil {
		err = q.completeChats(ctx, list)
	}
	return slices.DeleteFunc(list, Inquiry.gone), err
}

// gone tells whether the subject has it no more.
func (i Inquiry) gone() bool {
	switch i.Kind {
	case Call:
		return i.Call == nil
	case Callback:
		return i.Callback == nil
	case Chat:
		return i.Chat == nil
	}
	return i.Lead == nil
}

// completeLeads reads the leads, and those that calls and conversations have become.
func (q *Inquiries) completeLeads(ctx context.Context, keys []key, list []Inquiry) error {
	var names []lead.Key
	for _, k := range keys {
		if k.lead != 0 {
			names = append(names, lead.Key{SiteID: k.site, ID: k.lead})
		}
	}
	leads, err := q.Leads.Outlines(ctx, names)
	if err != nil {
		return err
	}
	known := make(map[lead.Key]*lead.Lead, len(leads))
	for i := range leads {
		name := leads[i].Key()
		if leads[i].MergedInto != 0 {
			if leads[i], err = q.Leads.Root(ctx, leads[i]); err != nil {
				return err
			}
		}
		known[name] = &leads[i]
	}
	for i, k := range keys {
		if of := known[lead.Key{SiteID: k.site, ID: k.lead}]; of != nil {
			list[i].Lead = of
			if list[i].Kind == Request {
				list[i].Source = of.Source
			}
		}
	}
	return nil
}

// ofKind are the ids of the inquiries of the kind, by site.
func ofKind(kind Kind, list []Inquiry) map[int64][]int64 {
	ids := make(map[int64][]int64)
	for _, i := range list {
		if i.Kind == kind {
			ids[i.SiteID] = append(ids[i.SiteID], i.ID)
		}
	}
	return ids
}

// byID are the inquiries of the kind and the site in the list, of which each is there once.
func byID(list []Inquiry, kind Kind, site int64) map[int64]*Inquiry {
	places := make(map[int64]*Inquiry)
	for n := range list {
		if i := &list[n]; i.Kind == kind && i.SiteID == site {
			places[i.ID] = i
		}
	}
	return places
}

func (q *Inquiries) completeCalls(ctx context.Context, list []Inquiry) error {
	for site, ids := range ofKind(Call, list) {
		calls, err := q.Calls.Named(ctx, site, ids...)
		if err != nil {
			return err
		}
		places := byID(list, Call, site)
		for n := range calls {
			if one := places[calls[n].ID]; one != nil {
				one.Call, one.Source = &calls[n], calls[n].SourceOrCampaign()
			}
		}
	}
	return nil
}

func (q *Inquiries) completeCallbacks(ctx context.Context, list []Inquiry) error {
	for site, ids := range ofKind(Callback, list) {
		callbacks, err := q.Callbacks.Named(ctx, site, ids...)
		if err != nil {
			return err
		}
		places := byID(list, Callback, site)
		for n := range callbacks {
			if one := places[callbacks[n].ID]; one != nil {
				one.Callback = &callbacks[n]
			}
		}
	}
	return nil
}

// completeChats reads each conversation once, of which the list may have several inquiries.
func (q *Inquiries) completeChats(ctx context.Context, list []Inquiry) error {
	known := make(map[chat.Key]*chat.Conversation)
	var names []chat.Key
	for _, i := range list {
		name := chat.Key{SiteID: i.SiteID, ID: i.ID}
		if _, named := known[name]; i.Kind == Chat && !named {
			known[name] = nil
			names = append(names, name)
		}
	}
	there, err := q.Chats.Named(ctx, names)
	if err != nil {
		return err
	}
	for n := range there {
		known[there[n].Key()] = &there[n]
	}
	for n := range list {
		if list[n].Kind == Chat {
			list[n].Chat = known[chat.Key{SiteID: list[n].SiteID, ID: list[n].ID}]
		}
	}
	last, err := q.Overview.Last(ctx, there)
	for n := range list {
		if list[n].Chat != nil {
			list[n].Said = last[list[n].Chat.Key()]
		}
	}
	return err
}

// completeSources fills in the sources of the visits of callbacks and conversations.
func (q *Inquiries) completeSources(ctx context.Context, keys []key, list []Inquiry) error {
	without := slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return !views[k.place].sourceless() })
	sources, err := q.sourcesOf(ctx, without)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if views[k.place].sourceless() {
			list[i].Source = sources[stay{k.site, k.visit}]
		}
	}
	return nil
}
