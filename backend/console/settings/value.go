package settings

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// value reads and writes one of the settings T as text.
type value[T any] struct {
	// read returns false for a setting that is not set.
	read func(s T) (text string, set bool)
	// write takes nil for a setting that is to be set no longer. It does not change what the settings point to.
	write func(s *T, text *string) error
}

// errValue is the error for a text that is no value of its setting.
var errValue = errors.New("no such value")

func textAt[T any](at func(*T) **string) value[T] {
	return value[T]{
		func(s T) (string, bool) {
			if is := *at(&s); is != nil {
				return *is, true
			}
			return "", false
		},
		func(s *T, text *string) error {
			*at(s) = text
			return nil
		},
	}
}

// capitalsAt is [textAt] for what is written in capitals.
func capitalsAt[T any](at func(*T) **string) value[T] {
	v := textAt(at)
	return value[T]{v.read, func(s *T, text *string) error {
		if text != nil {
			text = new(strings.ToUpper(*text))
		}
		return v.write(s, text)
	}}
}

func numberAt[T any](at func(*T) **int) value[T] {
	return value[T]{
		func(s T) (string, bool) {
			if is := *at(&s); is != nil {
				return strconv.Itoa(*is), true
			}
			return "", false
		},
		func(s *T, text *string) error {
			*at(s) = nil
			if text == nil {
				return nil
			}
			n, err := strconv.Atoi(*text)
			*at(s) = &n
			return err
		},
	}
}

// switchAt writes true as on, or as off if the setting says what is not done.
func switchAt[T any](at func(*T) **bool, on, off string) value[T] {
	return value[T]{
		func(s T) (string, bool) {
			switch is := *at(&s); {
			case is == nil:
				return "", false
			case *is:
				return on, true
			default:
				return off, true
			}
		},
		func(s *T, text *string) error {
			*at(s) = nil
			if text != nil {
				*at(s) = new(*text == on)
			}
			return nil
		},
	}
}

// listAt reads and writes a list, between whose parts there is white space. An empty list is a value if none is true.
func listAt[T any](at func(*T) *[]string, between string, none bool, written func(string) string) value[T] {
	return value[T]{
		func(s T) (string, bool) { return strings.Join(*at(&s), between), *at(&s) != nil },
		func(s *T, text *string) error {
			if *at(s) = nil; text == nil {
				return nil
			}
			list := []string{}
			for part := range strings.FieldsSeq(*text) {
				list = append(list, written(part))
			}
			if *at(s) = list; len(list) == 0 && !none {
				return errValue
			}
			return nil
		},
	}
}

// plainAt reads and writes a setting that is not set if it is empty.
func plainAt[T any](at func(*T) *string, written func(string) string) value[T] {
	return value[T]{
		func(s T) (string, bool) { return *at(&s), *at(&s) != "" },
		func(s *T, text *string) error {
			if *at(s) = ""; text == nil {
				return nil
			}
			if *at(s) = written(*text); *at(s) == "" {
				return errValue
			}
			return nil
		},
	}
}

// countAt reads and writes a setting that is not set if it is 0.
func countAt[T any](at func(*T) *int) value[T] {
	return value[T]{
		func(s T) (string, bool) { return strconv.Itoa(*at(&s)), *at(&s) != 0 },
		func(s *T, text *string) error {
			if *at(s) = 0; text == nil {
				return nil
			}
			n, err := strconv.Atoi(*text)
			if *at(s) = n; n == 0 {
				return errValue
			}
			return err
		},
	}
}

// ofCallbacks is a value of the settings of callbacks.
func ofCallbacks(v value[callback.Settings]) value[site.Settings] {
	return value[site.Settings]{
		func(s site.Settings) (string, bool) {
			if s.Callback == nil {
				return "", false
			}
			return v.read(*s.Callback)
		},
		func(s *site.Settings, text *string) error {
			var changed callback.Settings
			if s.Callback != nil {
				changed = *s.Callback
			}
			err := v.write(&changed, text)
			if s.Callback = &changed; reflect.ValueOf(changed).IsZero() {
				s.Callback = nil
			}
			return err
		},
	}
}

// cookie is the consent as it is written: the name of a cookie, or name=value.
var cookie = value[site.Settings]{
	func(s site.Settings) (string, bool) {
		switch c := s.Consent; {
		case c == nil:
			return "", false
		case c.Value == "":
			return c.Cookie, true
		default:
			return c.Cookie + "=" + c.Value, true
		}
	},
	func(s *site.Settings, text *string) error {
		if s.Consent = nil; text == nil {
			return nil
		}
		name, is, _ := strings.Cut(*text, "=")
		s.Consent = &site.Consent{Cookie: strings.TrimSpace(name), Value: strings.TrimSpace(is)}
		return nil
	},
}
