package backend

import (
	"errors"
	"net/url"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// conceal takes the settings' secrets out of an error's text. Of the error's kind
// it keeps whether it is a [db.Trouble].
func conceal(settings db.Settings, err error) error {
	if err == nil || settings.Engine != db.Postgres {
		return err
	}
	if trouble, ok := errors.AsType[*db.Trouble](err); ok {
		return &db.Trouble{Err: conceal(settings, trouble.Err), Since: trouble.Since}
	}
	text := err.Error()
	for _, connection := range []string{settings.Source, settings.Direct, settings.Read} {
		if connection == "" {
			continue
		}
		text = strings.ReplaceAll(text, connection, "(connection string)")
		if source, parseErr := url.Parse(connection); parseErr == nil && source.User != nil {
			if password, ok := source.User.Password(); ok && password != "" {
				text = strings.ReplaceAll(text, password, "(password)")
			}
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
