package passwords_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
)

func TestPasswordsThatAreEasilyGuessed(t *testing.T) {
	words := []string{"Anna.Petrova@shop.example", "Анна Петрова"}
	for expected, texts := range map[error]string{
		passwords.ErrCommon: "password12 PASSWORD12 ｐａｓｓｗｏｒｄ１２ password123 Sunshine2024 123-football iloveyou!!! q1w2e3r4t5 1qaz2wsx3edc 1q2w3e4r5t " +
			"1234567890 qwertyuiop 1111111111",
		passwords.ErrPlain:  "aaaaaaaaaaaa ......................... abababababab йцукйцукйцук abcdefghij zyxwvutsrq йцукенгшщзхъ абвгдежзийк asdfghjklqwe qweasdzxcrty",
		passwords.ErrOwn:    "frontdesk1 FrontDesk-2026 annapetrova Anna2026!! shop.example 1990петрова anna.petrova@shop.example 2026frontdeskanna",
		passwords.ErrLength: "short a234567",
	} {
		for password := range strings.FieldsSeq(texts) {
			require.ErrorIs(t, passwords.Check(password, words...), expected, password)
		}
	}
	for _, password := range []string{
		"correct horse battery", "annapetrovasings", "frontdesk is my work", "sunshine over 2024", "xk7-9$fQ!2w", "8374 1926 5550", "password of the shop", "тихая улица 7",
		strings.Repeat("long ", 100) + "end",
	} {
		require.NoError(t, passwords.Check(password, words...), password)
	}
	require.NoError(t, passwords.Check("annapetrova"), "of somebody else")
}
