package staff

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/door"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// staff is the content of the page of operators.
type staff struct {
	List []member
	// What was in the form that was not accepted.
	Login, Name, Email string
	Role               operator.Role
	Sites              siteChoice
	MayMail            bool // links for a password can be mailed
}

// member is an operator as an admin sees one.
type member struct {
	operator.Operator
	Keys []string // of the sites that both see; none for all sites
	Ours bool     // the admin may change all of it
	// Photo is where the admin may change it; nil for who may not.
	Photo *frame.FaceForm
	Self  bool
	Form  accountForm
	Link  string // by which the member sets a new password; shown once
	// MayMail is set where such links can be mailed.
	MayMail bool
	// Sessions are those of an account of which the admin has all sites; nil for others, and for the own one.
	Sessions *frame.OpenSessions
}

// accountForm is what the form of an account has in its fields.
type accountForm struct {
	Name  string
	Role  operator.Role
	Sites siteChoice
}

func memberOf(f frame.Page, o operator.Operator) member {
	actor := f.Operator.Actor()
	m := member{Operator: o, Self: o.ID == f.Operator.ID, Ours: actor.Administers(o), Form: accountForm{o.Name, o.Role, choose(f, o.Sites)}}
	if actor.Sites.Covers(o.Sites) {
		m.Photo = &frame.FaceForm{Face: o.Face, Link: operatorLink(o.ID) + "/face"}
	}
	if !o.Sites.All() {
		m.Keys = keysOf(f, o.Sites)
	}
	return m
}

// keysOf are the keys of those of the sites that the admin sees.
func keysOf(f frame.Page, sites scope.Sites) (keys []string) {
	for _, s := range f.Sites {
		if sites.Has(s.ID) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

func (c *room) showOperators(w http.ResponseWriter, r *http.Request) error {
	return c.operators(w, r, http.StatusOK, "")
}

func (c *room) operators(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "operators")
	if err != nil {
		return err
	}
	chosen, _ := chosenSites(r, f)
	if r.Method != http.MethodPost && len(f.Sites) == 1 {
		chosen = scope.Of(f.Sites[0].ID)
	}
	s := staff{Login: r.PostFormValue("login"), Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Role: operator.Role(r.PostFormValue("role")), Sites: choose(f, chosen).keep(r), MayMail: c.Invitations.Can()}
	list, err := c.Operators.List(r.Context(), f.Operator.Sites)
	if err != nil {
		return err
	}
	for _, o := range list {
		s.List = append(s.List, memberOf(f, o))
	}
	f.Problem, f.Body = problem, s
	return c.Show(w, status, f)
}

func (c *room) addOperator(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	chosen, problem := chosenSites(r, f)
	if problem != "" {
		return c.operators(w, r, http.StatusUnprocessableEntity, problem)
	}
	account := operator.Account{
		Login: r.PostFormValue("login"), Name: r.PostFormValue("name"), Email: r.PostFormValue("email"),
		Password: r.PostFormValue("password"), Role: operator.Role(r.PostFormValue("role")), Sites: chosen,
	}
	var err error
	notice := "operators.added"
	if account.Password == "" && c.Invitations.Can() {
		notice = "operators.invited"
		_, err = operator.Invite(r.Context(), c.Operators, f.Operator.Actor(), account, c.Invitations.Invited(f.Operator.Label(), f.Words.Code))
	} else {
		_, err = c.Operators.Create(r.Context(), f.Operator.Actor(), account)
	}
	problem = door.Problem(f.Words, err)
	switch {
	case problem != "":
		return c.operators(w, r, http.StatusUnprocessableEntity, problem)
	case err != nil:
		return err
	default:
		return c.Back(w, r, "/operators", notice)
	}
}

func (c *room) showOperator(w http.ResponseWriter, r *http.Request) error {
	return c.operator(w, r, http.StatusOK, "", "")
}

// operator shows the operator that the address names: with what was not accepted, or
// with a link for a new password.
func (c *room) operator(w http.ResponseWriter, r *http.Request, status int, problem, link string) error {
	f, err := c.Page(r, "operator")
	if err != nil {
		return err
	}
	list, err := c.Operators.List(r.Context(), f.Operator.Sites)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(o operator.Operator) bool { return o.ID == operatorID(r) })
	if at < 0 {
		return frame.NotFound
	}
	m := memberOf(f, list[at])
	m.Link, m.MayMail = link, c.Invitations.Can()
	if m.Photo != nil && !m.Self {
		open, err := c.SignIns.Sessions(r.Context(), m.Operator)
		if err != nil {
			return err
		}
		m.Sessions = &frame.OpenSessions{Open: open, Link: operatorLink(m.ID)}
	}
	m.Form.keep(r, f)
	f.Title, f.Problem, f.Body, f.Here = words.Plainly(m.Label()), problem, m, operatorLink(m.ID)
	return c.Show(w, status, f)
}

// keep leaves in the fields what was typed, if the request is a form that was not accepted.
func (a *accountForm) keep(r *http.Request, f frame.Page) {
	if r.PostForm.Has("name") {
		a.Name, a.Role = r.PostFormValue("name"), operator.Role(r.PostFormValue("role"))
	}
	if r.PostFormValue("with") == "sites" {
		chosen, _ := chosenSites(r, f)
		a.Sites = choose(f, chosen).keep(r)
	}
}

// operatorID is the one in the address; 0, which nobody has, for what is no number.
func operatorID(r *http.Request) int64 {
	id, err := strconv.ParseInt(r.PathValue("operator"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// editOperator changes the name, the role, and the sites if the form shows them.
func (c *room) editOperator(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	var wanted *scope.Sites
	to := operatorLink(operatorID(r))
	if r.PostFormValue("with") == "sites" {
		chosen, problem := chosenSites(r, f)
		if problem != "" {
			return c.operator(w, r, http.StatusUnprocessableEntity, problem, "")
		}
		wanted = &chosen
		if chosen.None() { // as in setOperatorSites
			to = "/operators"
		}
	}
	return c.change(w, r, to, "operators.changed", func(actor operator.Actor, id int64) error {
		return c.Operators.Edit(r.Context(), actor, id, r.PostFormValue("name"), operator.Role(r.PostFormValue("role")), wanted)
	})
}

func (c *room) setOperatorSites(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	chosen, problem := chosenSites(r, f)
	if problem != "" {
		return c.operator(w, r, http.StatusUnprocessableEntity, problem, "")
	}
	to := operatorLink(operatorID(r))
	if chosen.None() { // it has none of the admin's sites any more, and so no page that the admin may see
		to = "/operators"
	}
	return c.change(w, r, to, "operators.changed", func(actor operator.Actor, id int64) error {
		return c.Operators.SetSites(r.Context(), actor, id, chosen)
	})
}

func (c *room) setDisabled(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, operatorLink(operatorID(r)), "operators.changed", func(actor operator.Actor, id int64) error {
		return c.Operators.SetDisabled(r.Context(), actor, id, r.PostFormValue("disabled") == "true")
	})
}

func (c *room) removeOperator(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, "/operators", "operators.removed", func(actor operator.Actor, id int64) error {
		return c.Operators.Remove(r.Context(), actor, id)
	})
}

// resetPassword mails the link, or shows it in its own answer: it is not kept for another page.
func (c *room) resetPassword(w http.ResponseWriter, r *http.Request) error {
	self, _ := frame.Current(r)
	if r.PostFormValue("by") == "mail" && c.Invitations.Can() {
		return c.change(w, r, operatorLink(operatorID(r)), "reset.mailed", func(actor operator.Actor, id int64) error {
			return operator.ResetByMail(r.Context(), c.Operators, actor, id, r.PostFormValue("email"), c.Invitations.Reset(self.Label(), c.Words(r).Code))
		})
	}
	token, err := c.Operators.Reset(r.Context(), self.Actor(), operatorID(r))
	if err != nil {
		return c.unchanged(w, r, err)
	}
	return c.operator(w, r, http.StatusOK, "", door.ResetLink(r, token))
}

// turnOffStep is for operators who have lost their authenticator and their recovery codes, or the device of their passkeys.
func (c *room) turnOffStep(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, operatorLink(operatorID(r)), "operators.changed", func(actor operator.Actor, id int64) error {
		if self, _ := frame.Current(r); self.ID == id { // who has a code, on the page of the own account
			return operator.ErrSelf
		}
		// What is gone already, somebody else has taken.
		if err := c.TwoStep.TurnOff(r.Context(), actor, id); err != nil && !errors.Is(err, twostep.ErrOff) {
			return err
		}
		if err := c.Passkeys.RemoveAll(r.Context(), actor, id); err != nil && !errors.Is(err, passkey.ErrUnknown) {
			return err
		}
		return nil
	})
}

func (c *room) endSessions(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, operatorLink(operatorID(r)), "sessions.ended", func(_ operator.Actor, id int64) error {
		self, _ := frame.Current(r)
		if self.ID == id { // on the page of the own account
			return operator.ErrSelf
		}
		return door.EndSessions(c.Frame, r, id, "")
	})
}

func (c *room) setFace(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, operatorLink(operatorID(r)), "face.changed", func(_ operator.Actor, id int64) error {
		return door.SetFace(c.Frame, r, id)
	})
}

func (c *room) removeFace(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, operatorLink(operatorID(r)), "face.changed", func(actor operator.Actor, id int64) error {
		return c.Operators.Faces().Set(r.Context(), actor, id, nil)
	})
}

// change changes the operator that the address names, and goes to a page, which says
// the notice.
func (c *room) change(w http.ResponseWriter, r *http.Request, to, notice string, f func(operator.Actor, int64) error) error {
	self, _ := frame.Current(r)
	if err := f(self.Actor(), operatorID(r)); err != nil {
		return c.unchanged(w, r, err)
	}
	return c.Back(w, r, to, notice)
}

func operatorLink(id int64) string { return "/operators/" + strconv.FormatInt(id, 10) }

// unchanged answers why an operator was not changed.
func (c *room) unchanged(w http.ResponseWriter, r *http.Request, err error) error {
	problem := door.Problem(c.Words(r), err)
	switch {
	case problem != "":
		return c.operator(w, r, http.StatusUnprocessableEntity, problem, "")
	default:
		return err
	}
}
