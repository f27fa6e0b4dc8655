package capture

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// meaning is what a field says of who sends the form.
type meaning string

const (
	email   meaning = "email"
	phone   meaning = "phone"
	message meaning = "message"
	name    meaning = "name"
	first   meaning = "first" // parts of a name
	middle  meaning = "middle"
	last    meaning = "last"
)

// vocabulary are the words by which fields are called, as they are written in English and Russian
// and as Russian is written in Latin letters. The first meaning of which a field's name has a word counts.
var vocabulary = []struct {
	meaning meaning
	words   map[string]bool
}{
	{email, setOf("email mail emailaddress emejl imejl pochta почта емейл имейл мейл")},
	{phone, setOf("phone tel telephone mobile cell cellphone whatsapp phonenumber telnumber telefon mobilnyj telefonnyj телефон тел мобильный телефона")},
	{message, setOf(`message msg comment comments textarea question inquiry enquiry details text textarea body note
		soobschenie soobshchenie kommentarij kommentariy kommentarii vopros tekst opisanie otzyv
		сообщение комментарий комментарии вопрос текст описание отзыв пожелания`)},
	{first, setOf("firstname first fname givenname given imya имя")},
	{middle, setOf("middlename middle patronymic otchestvo отчество")},
	{last, setOf("lastname last lname surname familyname family familiya фамилия")},
	{name, setOf("name fullname fio author contactname фио обращаться")},
}

// others are words that make a name somebody else's, or something else's: company-name.
var others = setOf(`company organization organisation product item form file login nick event city country
	street page site shop brand kompaniya gorod firma компания компании организация организации город товар товара улица`)

// wordsOf takes the name of a field apart. Of a name in brackets, as PHP has them, the innermost
// counts that is no number: of form_fields[email] it is email.
func wordsOf(field string) []string {
	for _, inner := range slices.Backward(strings.FieldsFunc(field, func(r rune) bool { return r == '[' || r == ']' || r == '.' })) {
		if words := splitWords(inner); len(words) > 0 {
			return words
		}
	}
	return nil
}

// maxWords is how many words of a name or a label count.
const maxWords = 24

// splitWords splits where letters end, and where a capital follows a small letter. It returns the first maxWords.
func splitWords(s string) (words []string) {
	steps.Walk(len(s))
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	var before rune
	for _, r := range s {
		if len(words) == maxWords {
			return words
		}
		switch {
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

// meaningOf is what the name of a field says of it; empty for nothing.
func meaningOf(field string) meaning { return meaningOfWords(wordsOf(field)) }

func meaningOfWords(words []string) meaning {
	for i := range len(words) - 1 { // e-mail
		words = append(words, words[i]+words[i+1])
	}
	foreign := slices.ContainsFunc(words, func(w string) bool { return others[w] })
	for _, v := range vocabulary {
		if !slices.ContainsFunc(words, func(w string) bool { return v.words[w] }) {
			continue
		}
		if foreign && (v.meaning == name || v.meaning == first || v.meaning == last) {
			return ""
		}
		return v.meaning
	}
	return ""
}
