package inquiries

import (
	"context"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// Deed is something that was done with a lead.
type Deed struct {
	At   time.Time `json:"at"`
	By   string    `json:"by" doc:"The login of the operator who did it, or the name of the program; empty for nobody."`
	Kind string    `json:"kind" enum:"state,owner,note,merged,split,took_in,let_out,tags,sale,no_sale,called,made"`
	Was  string    `json:"was" doc:"The state, or the login of the owner, before."`
	Said string    `json:"said" doc:"The state or the owner's login now, the text of a note, the tags with commas, the amount of a sale, or the number of the other lead of a merge."`
}

type deedsOutput struct {
	Body struct {
		Deeds []Deed `json:"deeds" nullable:"false" doc:"The oldest first; of very many, the latest 300."`
	}
}

type stateInput struct {
	frame.ThingInput
	Body struct {
		State string `json:"state" enum:"new,work,done,spam"`
	}
}

type ownerInput struct {
	frame.ThingInput
	Body struct {
		From int64 `json:"from" minimum:"0" doc:"The number of the operator who has it, as the caller has seen it; 0 for nobody."`
		To   int64 `json:"to" minimum:"0" doc:"The number of the operator who is to have it; 0 for nobody."`
	}
}

type tagsInput struct {
	frame.ThingInput
	Body struct {
		Tags []string `json:"tags" nullable:"false" maxItems:"10" doc:"All of its tags: of at most 30 characters, without commas."`
	}
}

type saleInput struct {
	frame.ThingInput
	Body struct {
		IsSale   bool   `json:"is_sale"`
		SaleCost string `json:"sale_cost,omitempty" maxLength:"40" doc:"A decimal with a point; empty where it is not known." example:"1500.50"`
	}
}

type noteInput struct {
	frame.ThingInput
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"4000" doc:"It is shown to operators alone."`
	}
}

type mergeInput struct {
	frame.ThingInput
	Body struct {
		LeadID int64 `json:"lead_id" minimum:"1" doc:"The number of the lead that becomes a part of this one."`
	}
}

type partInput struct {
	frame.ThingInput
	Part int64 `path:"part" minimum:"1" doc:"The number of the lead that is a part."`
}

func (r *room) mountLeadWork() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/leads/{id}/deeds", ID: "listDeeds", Subject: "Leads", Opens: token.ReadLeads, Mistakes: leadMistakes,
		Summary: "List what was done with a lead", Description: "Its states, owners, notes, tags, sales and merges.",
	}, r.listDeeds)
	change(r, "PUT", "state", "setLeadState", "Set a lead's state", "A lead that somebody has marked as spam does not count in reports.",
		func(ctx context.Context, by lead.By, n lead.Key, in *stateInput) error {
			state, _ := lead.StateOf(in.Body.State)
			return r.Leads.SetState(ctx, by, n, state)
		})
	change(r, "PUT", "owner", "setLeadOwner", "Give a lead to an operator", "It is refused when somebody else than from has the lead by now.",
		func(ctx context.Context, by lead.By, n lead.Key, in *ownerInput) error {
			var from, to lead.By
			for _, one := range []struct {
				id int64
				of *lead.By
			}{{in.Body.From, &from}, {in.Body.To, &to}} {
				if one.id == 0 {
					continue
				}
				if one.of == &from { // who has it may have gone
					from.ID = one.id
					if o, err := r.Operators.Get(ctx, one.id); err == nil {
						from.Login = o.Login
					}
					continue
				}
				o, err := r.colleague(ctx, n.SiteID, one.id)
				if err != nil {
					return err
				}
				to = lead.By{ID: o.ID, Login: o.Login}
			}
			return r.Leads.Give(ctx, by, n, from, to)
		})
	change(r, "PUT", "tags", "setLeadTags", "Set a lead's tags", "It has these tags afterwards, and no others.",
		func(ctx context.Context, by lead.By, n lead.Key, in *tagsInput) error {
			tags, err := tagsOf(in.Body.Tags)
			if err != nil {
				return err
			}
			return r.Leads.SetTags(ctx, by, n, tags)
		})
	change(r, "PUT", "sale", "setLeadSale", "Say whether a lead is a sale", "Sales count in reports, and are told to endpoints and advertising platforms.",
		func(ctx context.Context, by lead.By, n lead.Key, in *saleInput) error {
			return r.Leads.SetSale(ctx, by, n, in.Body.IsSale, in.Body.SaleCost)
		})
	change(r, "POST", "notes", "addNote", "Add a note to a lead", "It stands among what was done with the lead.",
		func(ctx context.Context, by lead.By, n lead.Key, in *noteInput) error {
			return r.Leads.AddNote(ctx, by, n, in.Body.Text)
		})
	change(r, "POST", "parts", "mergeLeads", "Merge leads", "One lead becomes a part of the other. Both stay as they are stored.",
		func(ctx context.Context, by lead.By, n lead.Key, in *mergeInput) error {
			return r.Leads.Merge(ctx, by, n, in.Body.LeadID)
		})
	change(r, "DELETE", "parts/{part}", "splitLeads", "Split leads", "It undoes a merge.",
		func(ctx context.Context, by lead.By, n lead.Key, in *partInput) error {
			return r.Leads.Split(ctx, by, n, in.Part)
		})
}

// tagsOf are the tags as they are stored.
func tagsOf(said []string) ([]string, error) {
	typed := strings.Join(said, ",")
	tags, err := tag.Read(typed)
	if err != nil {
		return nil, frame.Wrong("body.tags", err, typed)
	}
	return tags, nil
}

// change adds an operation that changes a lead.
func change[I any, P interface {
	*I
	Thing() frame.ThingInput
}](r *room, method, path, id, summary, description string, do func(context.Context, lead.By, lead.Key, *I) error) {
	frame.Add(r.Frame, frame.Operation{
		Method: method, Path: "sites/{site}/leads/{id}/" + path, ID: id, Subject: "Leads", Opens: token.WriteLeads, Summary: summary, Description: description, Does: true,
		Mistakes: frame.Mistakes{
			lead.ErrUnknown: notFound, lead.ErrMerged: conflict, lead.ErrLongNote: wrong, lead.ErrNote: wrong, lead.ErrEmptyNote: wrong, lead.ErrState: wrong, lead.ErrAmount: wrong,
			lead.ErrSelf: wrong, lead.ErrManyParts: conflict, lead.ErrNotMerged: conflict, errTaken: conflict,
		},
	}, func(ctx context.Context, in *I) (*struct{}, error) {
		of := P(in).Thing()
		s, err := r.Site(ctx, of.Site)
		if err != nil {
			return nil, err
		}
		return nil, taken(do(ctx, lead.By{Login: frame.Actor(ctx).By}, lead.Key{SiteID: s.ID, ID: of.ID}, in))
	})
}

func (r *room) listDeeds(ctx context.Context, in *frame.ThingInput) (*deedsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err == nil {
		_, err = r.Leads.Outline(ctx, s.ID, in.ID)
	}
	if err != nil {
		return nil, err
	}
	deeds, err := r.Leads.Deeds(ctx, s.ID, []int64{in.ID})
	out := new(deedsOutput)
	out.Body.Deeds = make([]Deed, len(deeds))
	for i, d := range deeds {
		out.Body.Deeds[i] = Deed{At: d.At.UTC(), By: d.By.Login, Kind: d.Kind, Was: d.Was, Said: d.Said}
	}
	return out, err
}
