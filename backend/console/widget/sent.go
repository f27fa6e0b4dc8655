package widget

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

// sentWidget is the form as the request has it.
func (c *room) sentWidget(r *http.Request, s site.Site, configured *appearance.Widget) widgetForm {
	value := func(name string) string {
		return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(r.PostFormValue(name)))
	}
	count := func(name string, most int) int {
		n, _ := strconv.Atoi(value(name))
		return min(max(n, 0), most)
	}
	form := c.newWidgetForm(s, nil, configured)
	said := func(p phrase) {
		for i, in := range p.In {
			p.In[i].Text = value(p.Name + "." + in.Code)
		}
	}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	for name, of := range map[string]*string{
		"launcher": &form.Launcher, "chat": &form.Chat, "files": &form.Files, "rating": &form.Rating, "sitephone": &form.Sitephone, "side": &form.Side, "language": &form.Language,
		"unanswered": &form.Unanswered, "unansweredIn": &form.UnansweredIn, "mailAnswers": &form.MailAnswers, "mailedIn": &form.MailedIn,
		"color": &form.Color, "colorText": &form.ColorText, "avatar": &form.Avatar, "avatarText": &form.AvatarText,
		"fieldsAre": &form.FieldsAre, "invitationsAre": &form.InvitationsAs,
	} {
		*of = value(name)
	}
	said(form.Title)
	said(form.Greeting)
	for _, text := range form.Texts {
		said(text.Words)
	}
	for i := range count("fields", appearance.MaxFields) {
		at := "field" + strconv.Itoa(i)
		form.addField(appearance.FormField{Name: value(at + "name"), Required: value(at+"required") != ""})
		said(form.Fields[i].Label)
	}
	for i := range count("invitations", appearance.MaxInvitations) {
		at := "invite" + strconv.Itoa(i)
		form.addInvitation(appearance.Invitation{Address: value(at + "address"), Source: value(at + "source")})
		form.Invitations[i].After = value(at + "after")
		said(form.Invitations[i].Text)
	}
	return form
}

// do changes the form's rows as the button says that has been pressed.
func (f *widgetForm) do(button string) {
	what, number, _ := strings.Cut(button, "-")
	i, _ := strconv.Atoi(number)
	var fields []appearance.FormField
	for _, row := range f.Fields {
		fields = append(fields, row.field())
	}
	var invitations []appearance.Invitation
	afters := make([]string, 0, len(f.Invitations))
	for _, row := range f.Invitations {
		invitations, afters = append(invitations, row.invitation()), append(afters, row.After)
	}
	switch {
	case what == "field" && len(fields) < appearance.MaxFields:
		fields = append(fields, appearance.FormField{})
	case what == "unfield" && 0 <= i && i < len(fields):
		fields = slices.Delete(fields, i, i+1)
	case what == "up" && 0 < i && i < len(fields):
		fields[i-1], fields[i] = fields[i], fields[i-1]
	case what == "invite" && len(invitations) < appearance.MaxInvitations:
		invitations, afters = append(invitations, appearance.Invitation{}), append(afters, "30")
	case what == "uninvite" && 0 <= i && i < len(invitations):
		invitations, afters = slices.Delete(invitations, i, i+1), slices.Delete(afters, i, i+1)
	}
	f.Fields, f.Invitations = nil, nil
	for _, field := range fields {
		f.addField(field)
	}
	for at, invitation := range invitations {
		f.addInvitation(invitation)
		f.Invitations[at].After = afters[at]
	}
}

func (f fieldForm) field() appearance.FormField {
	return appearance.FormField{Name: f.Name, Required: f.Required, Label: f.Label.wording()}
}

func (f invitationForm) invitation() appearance.Invitation {
	i := appearance.Invitation{Address: f.Address, Source: f.Source, Text: f.Text.wording()}
	if f.After != "" {
		i.After = seconds(f.After)
	}
	return i
}

// seconds is the number, or -1, which is refused, for what is none.
func seconds(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}
