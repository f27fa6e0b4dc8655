// Package naming knows what the names of a form's fields say: which of them name the sender or the request, which are never
// kept, and with which a form speaks to its own program.
package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Meaning is what a field says about the sender of the form.
type Meaning string

// The meanings.
const (
	Email   Meaning = "email"
	Phone   Meaning = "phone"
	Message Meaning = "message"
	Name    Meaning = "name"
	First   Meaning = "first" // parts of a name
	Middle  Meaning = "middle"
	Last    Meaning = "last"
)

// IsName reports whether it is a name, or a part of one.
func (m Meaning) IsName() bool { return m == Name || m == First || m == Middle || m == Last }

// vocabulary are the words that name fields: in English, Russian, and Russian in Latin letters, then in German, French,
// Spanish, Portuguese, Italian, Polish, Turkish, Ukrainian, Kazakh, Dutch and Indonesian. Accents do not count. The
// first meaning with a word of the field's name counts. Words that mean something else in another of the languages are
// left out: cep, ad, nummer.
var vocabulary = []struct {
	meaning Meaning
	words   map[string]bool
}{
	{Email, called(`email mail emailaddress emejl imejl pochta почта емейл имейл мейл
		emailadresse mailadresse courriel mel adressemail correo correoelectronico correio posta poczta eposta пошта emailadres mailadres`)},
	{Phone, called(`phone tel telephone mobile cell cellphone phonenumber telnumber telefon mobilnyj telefonnyj телефон тел мобильный телефона сотовый
		telefonnummer handy handynummer mobil mobilnummer mobiltelefon rufnummer festnetz portable numerotelephone telefono movil celular
		telefone telemovel cellulare telefonu komorka nrtelefonu ceptelefonu ceptel cepno gsm мобільний ұялы
		telefoon telefoonnummer mobiel hp nohp handphone telepon telp ponsel`)},
	{Message, called(`message msg comment comments textarea question inquiry enquiry details text body note
		soobschenie soobshchenie kommentarij kommentariy kommentarii vopros tekst opisanie otzyv
		сообщение комментарий комментарии вопрос текст описание отзыв пожелания
		nachricht bemerkung bemerkungen anmerkung anmerkungen mitteilung anliegen kommentar frage beschreibung anfrage
		commentaire commentaires remarque remarques demande mensaje comentario comentarios consulta pregunta observaciones
		mensagem duvida pergunta observacao observacoes messaggio commento commenti richiesta domanda
		wiadomosc komentarz tresc pytanie uwagi mesaj mesaji mesajiniz yorum soru aciklama
		повідомлення коментар питання запитання побажання хабарлама пікір сұрақ bericht opmerking opmerkingen vraag toelichting pesan`)},
	{First, called(`firstname first fname givenname given imya имя
		vorname prenom nombres primeiro primeironome imie isim isminiz adiniz імя аты есімі есіміңіз voornaam`)},
	{Middle, called("middlename middle patronymic otchestvo отчество батькові")},
	{Last, called(`lastname last lname surname familyname family familiya фамилия
		nachname familienname apellido apellidos sobrenome apelido cognome nazwisko soyad soyadi soyadiniz прізвище тегі achternaam`)},
	{Name, called(`name fullname fio author contactname фио обращаться зовут
		nom nombre nome naam adsoyad adisoyadi adinizsoyadiniz піб атыжөні nama`)},
}

// others are words with which a name belongs to somebody or something else: company-name.
var others = called(`company organization organisation product item form file login nick event city country
	street page site shop brand kompaniya gorod firma компания компании организация организации город товар товара улица
	unternehmen produkt ort stadt strasse entreprise societe ville rue pays produit empresa ciudad calle pais producto
	cidade rua produto azienda societa citta prodotto miasto ulica kraj sirket sehir urun
	компанія місто вулиця країна bedrijf plaats straat`)

// asked are words beside which a word does not name a field but is part of a question: how did you hear of us?
var asked = map[string]map[string]bool{"comment": called("nous vous avez connu")}

func called(words string) map[string]bool { return setOf(folded(words)) }

// Words are the words of a field's name, and each two of them together: e-mail.
func Words(field string) []string { return withPairs(wordsOf(field)) }

// LabelWords are the same for what people read beside the field.
func LabelWords(label string) []string { return withPairs(splitWords(label)) }

// wordsOf splits the name of a field. In a name with brackets, as PHP has them, the innermost part that is not a number
// counts: form_fields[email] is email. For a value, the part before it counts if it has a meaning: mail[0][value] is
// mail.
func wordsOf(field string) (words []string) {
	for _, inner := range slices.Backward(strings.FieldsFunc(field, func(r rune) bool { return r == '[' || r == ']' || r == '.' })) {
		outer := splitWords(inner)
		switch {
		case len(outer) == 0:
		case words != nil:
			if MeaningOf(withPairs(outer)) == "" {
				return words
			}
			return outer
		case len(outer) > 1 || outer[0] != "value":
			return outer
		default:
			words = outer
		}
	}
	return words
}

// maxWords limits the words of a name or a label that count.
const maxWords = 24

// splitWords splits where letters end, and where a capital follows a small letter. It returns the first maxWords words
// in small letters without accents.
func splitWords(s string) (words []string) {
	steps.Walk(len(s))
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, folded(string(word)))
		}
		word = word[:0]
	}
	var before rune
	for _, r := range s {
		if len(words) == maxWords {
			return words
		}
		switch {
		case unicode.Is(unicode.Mn, r): // an accent of the letter before
		case !unicode.IsLetter(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		before = r
	}
	flush()
	return words
}

// folded returns a word in small letters without accents.
func folded(word string) string {
	ascii := true
	for i := 0; i < len(word); i++ {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(word)
	}
	var plain strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(word)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			plain.WriteString("ss")
		case r == 'ł':
			plain.WriteByte('l')
		case r == 'ı':
			plain.WriteByte('i')
		default:
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

// withPairs returns the words and each two of them together: e-mail.
func withPairs(words []string) []string {
	for i := range len(words) - 1 {
		words = append(words, words[i]+words[i+1])
	}
	return words
}

// MeaningOf returns what the words of a field's name or label, with their pairs, say about it, or "".
func MeaningOf(words []string) Meaning {
	foreign := slices.ContainsFunc(words, func(w string) bool { return others[w] })
	has := func(of map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return of[w] && !slices.ContainsFunc(words, func(beside string) bool { return asked[w][beside] })
		})
	}
	for _, v := range vocabulary {
		if !has(v.words) {
			continue
		}
		if foreign && (v.meaning == Name || v.meaning == First || v.meaning == Last) {
			return ""
		}
		return v.meaning
	}
	return ""
}

// generic are words in names that programs make for fields. They say nothing about the field.
var generic = strings.Fields("input field fields form text textarea wpforms checkbox radio select menu number date dropdown property item f")

// IsGeneric reports whether the name of a field says nothing to people.
func IsGeneric(field string) bool {
	for _, word := range splitWords(field) {
		if utf8.RuneCountInString(word) > 3 && !slices.Contains(generic, word) {
			return false
		}
	}
	return true
}

// numbers are words in the names of fields whose numbers are not telephone numbers.
var numbers = called(`id uid cid guid time timestamp ts hash key ip inn ogrn kpp order price sum total amount code index zip postcode plz cep date
	version gclid yclid fbclid инн огрн кпп заказ цена сумма код индекс дата`)

// IsNumber reports whether the number in a field of that name is not a telephone number. A property may be anything.
func IsNumber(words []string) bool {
	return !slices.Contains(words, "prop") && slices.ContainsFunc(words, func(word string) bool { return numbers[word] })
}
