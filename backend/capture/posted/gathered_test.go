package posted

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// Forms that a script has gathered are read as others; other texts stay what they are.
func TestGatheredForms(t *testing.T) {
	for value, expected := range map[string][]Field{
		`{"id":"1","fields":{"1":{"value":"Ann","id":1},"2":{"value":"+7 495","id":2}}}`: {{"id", "1"}, {"fields.1.value", "Ann"}, {"fields.1.id", "1"}, {"fields.2.value", "+7 495"}, {"fields.2.id", "2"}},
		`[{"name":"phone","value":"+7 495"}]`:                                            {{"phone", "+7 495"}},
		"names%5Bfirst%5D=Ann&text=d'accord+%26%20more&formData=a%3Db%26c%3Dd":           {{"names[first]", "Ann"}, {"text", "d'accord & more"}, {"formData", "a=b&c=d"}},
		`{"id":`:              {{"formData", `{"id":`}},
		`{}`:                  {{"formData", `{}`}},
		"I ask: a=b & c=d?":   {{"formData", "I ask: a=b & c=d?"}},
		"/?utm=a&b=c":         {{"formData", "/?utm=a&b=c"}},
		"one=two":             {{"formData", "one=two"}},
		"":                    {{"formData", ""}},
		"=&=":                 {{"formData", "=&="}},
		"{\"a\":{\"b\":null}": {{"formData", "{\"a\":{\"b\":null}"}},
	} {
		read := passed(t, pairs, "action=send&formData="+url.QueryEscape(value)+"&page=5", "").Fields
		require.Equal(t, append(append([]Field{{"action", "send"}}, expected...), Field{"page", "5"}), read, value)
	}
	require.Equal(t, []Field{{"message", "a=b&c=d"}}, passed(t, pairs, "message=a%3Db%26c%3Dd", "").Fields)
}
