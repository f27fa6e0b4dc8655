package mail_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
)

func TestServersAreChecked(t *testing.T) {
	for address, want := range map[string]mail.Server{
		"smtp://desk@mail.example":              {Host: "mail.example", Port: 587, User: "desk"},
		"smtps://desk%40a.example@mail.example": {Host: "mail.example", Port: 465, TLS: true, User: "desk@a.example"},
		"smtp://desk@[::1]:25":                  {Host: "::1", Port: 25, User: "desk"},
	} {
		got, err := mail.ParseServer(address, "secret", "desk@shop.example")
		require.NoError(t, err, address)
		want.Password, want.From = "secret", "desk@shop.example"
		require.Equal(t, want, got)
	}
	for _, address := range []string{"", "mail.example:587", "http://mail.example", "smtp://", "smtp://desk:secret@mail.example", "smtp://desk@mail.example/x", "smtp://desk@mail.example:0", "smtp://mail.example"} {
		_, err := mail.ParseServer(address, "secret", "desk@shop.example")
		assert.Error(t, err, address)
	}
	for _, from := range []string{"", "desk", "a@b.example, c@d.example", "desk@shop.example\r\nBcc: a@b.example"} {
		_, err := mail.ParseServer("smtp://mail.example", "", from)
		assert.Error(t, err, from)
	}
}
