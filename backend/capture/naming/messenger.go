package naming

import (
	"strings"
	"unicode/utf8"
)

// messengers are the services through which people are reached: by words in a field's name and by the beginnings of
// their links. If dialled is set, a number is an account.
var messengers = []struct {
	called  string
	words   map[string]bool
	links   []string
	dialled bool
}{
	{"WhatsApp", called("whatsapp wa wapp whatsap nowa nomorwa ватсап вацап вотсап уотсап"), []string{"wa.me/", "whatsapp.com/"}, true},
	{"Viber", called("viber вайбер"), []string{"viber://", "viber.click/"}, true},
	{"Telegram", called("telegram telegramm tg telega tlg телеграм телеграмм телега тг"), []string{"t.me/", "telegram.me/", "tg://"}, true},
	{"Signal", called("signal"), []string{"signal.me/"}, true},
	{"Zalo", called("zalo"), []string{"zalo.me/"}, true},
	{"VK", called("vk vkontakte вк вконтакте"), []string{"vk.com/", "vk.ru/", "vk.me/"}, false},
	{"Skype", called("skype скайп"), []string{"skype:", "join.skype.com/"}, false},
	{"Instagram", called("instagram insta ig инстаграм инстаграмм инста"), []string{"instagram.com/", "ig.me/"}, false},
	{"Facebook", called("facebook fb фейсбук"), []string{"facebook.com/", "fb.com/", "m.me/"}, false},
	{"WeChat", called("wechat weixin wechatid"), nil, false},
	{"LINE", called("lineid"), []string{"line.me/"}, false},
	{"KakaoTalk", called("kakao kakaotalk"), []string{"open.kakao.com/"}, false},
	{"Discord", called("discord"), []string{"discord.gg/", "discord.com/users/"}, false},
}

// MessengerOf returns the messenger of a field, by the words of its name or label with their pairs, and whether a
// number is an account. The messenger is empty for none.
func MessengerOf(words []string) (called string, dialled bool) {
	if len(words) == 1 && words[0] == "line" { // not that of an address
		return "LINE", false
	}
	for _, m := range messengers {
		for _, word := range words {
			if m.words[word] {
				return m.called, m.dialled
			}
		}
	}
	return "", false
}

// choices are the values of a field that only asks whether to use a messenger.
var choices = setOf("yes no on off true false none да нет ja nein oui non si sim não sí tak nie evet hayır так ні")

// IsAccount reports whether the value of a messenger's field may be an account there.
func IsAccount(value string) bool {
	n := utf8.RuneCountInString(value)
	return 3 <= n && n <= maxAccount && !choices[strings.ToLower(value)]
}

// maxAccount limits the bytes of a text that are searched for an account.
const maxAccount = 200

// AccountIn returns the messenger of a link to an account in the text. It is empty for none, and for a name after an at
// sign, which may belong to any.
func AccountIn(text string) (called string, found bool) {
	text = strings.ToLower(text[:min(len(text), maxAccount)])
	for _, m := range messengers {
		for _, link := range m.links {
			if before, behind, has := strings.Cut(text, link); has && behind != "" && (before == "" || strings.IndexByte(" /.,;:(@\n", before[len(before)-1]) >= 0) {
				return m.called, true
			}
		}
	}
	for word := range strings.FieldsSeq(text) {
		if account, has := strings.CutPrefix(word, "@"); has && len(account) >= 3 && len(strings.Trim(account, "abcdefghijklmnopqrstuvwxyz0123456789_.")) <= 1 {
			return "", true
		}
	}
	return "", false
}
