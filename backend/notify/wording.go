package notify

import (
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// wording holds the words of mails in one language.
type wording struct {
	events      map[Event]string
	statuses    map[telephony.Status]string
	sources     map[string]string // by their kinds
	unknownSale string
	withheld    string
	test        string
	// subject and text are the usual templates of a mail.
	subject, text string
	// sample has the texts of a made-up lead.
	sample struct{ name, message, form, field, value string }
}

// wordings are by the codes of the languages.
var wordings = map[string]wording{
	"en": {
		events: map[Event]string{
			LeadAdded: "New request", SaleAdded: "New sale", CallStarted: "Incoming call", CallAnswered: "Call answered", CallEnded: "Call ended",
			CallRecorded: "Call recording", FormFailed: "A form does not work", Test: "Test",
		},
		statuses:    map[telephony.Status]string{telephony.Answered: "answered", telephony.Missed: "missed", telephony.Busy: "busy", telephony.Failed: "failed"},
		unknownSale: "amount unknown",
		withheld:    "number withheld",
		test:        "This is a test. This address receives the events of the site.",
		subject:     "{{.event}}{{if .name}}: {{.name}}{{else}}{{if .caller}}: {{.caller}}{{end}}{{end}} · {{.site}}",
		text: `{{.event}} · {{.site}}
{{.time}}
{{if .name}}
Name: {{.name}}{{end}}{{if .phone}}
Phone: {{.phone}}{{end}}{{if .email}}
E-mail: {{.email}}{{end}}{{if .sale}}
Sale: {{.sale}}{{end}}{{if .caller}}
From: {{.caller}}{{end}}{{if .called}}
To: {{.called}}{{end}}{{if .path}}
Form: {{.path}}{{end}}{{if .status}}
Status: {{.status}}{{end}}{{if .count}}
Times: {{.count}}{{end}}{{if .talk}}
Talk: {{.talk}}{{end}}{{if .recording}}
Recording: {{.recording}}{{end}}{{if .message}}

{{.message}}
{{end}}{{if .fields}}
{{.fields}}
{{end}}{{if .site_error}}
The site answered the form with an error, {{.site_error}}, and may not know about the request.
{{end}}{{if .form}}
Form: {{.form}}{{end}}{{if .page}}
Page: {{.page}}{{end}}{{if .source}}
Source: {{.source}}{{if .campaign}} · {{.campaign}}{{end}}{{end}}{{if .link}}

{{.link}}{{end}}
`,
		sample: struct{ name, message, form, field, value string }{"Ada Lovelace", "Is the lamp in stock?", "Order", "City", "London"},
	},
	"ru": {
		events: map[Event]string{
			LeadAdded: "Новая заявка", SaleAdded: "Новая продажа", CallStarted: "Входящий звонок", CallAnswered: "На звонок ответили", CallEnded: "Звонок завершён",
			CallRecorded: "Запись звонка", FormFailed: "Форма не работает", Test: "Проверка",
		},
		statuses: map[telephony.Status]string{telephony.Answered: "принят", telephony.Missed: "пропущен", telephony.Busy: "занято", telephony.Failed: "не состоялся"},
		sources: map[string]string{visit.Direct: "прямой заход", visit.Campaign: "кампания", visit.Ad: "реклама", visit.Search: "поиск", visit.Social: "соцсеть",
			visit.Mail: "почта", visit.Map: "карты", visit.Referral: "ссылка"},
		unknownSale: "сумма неизвестна",
		withheld:    "номер скрыт",
		test:        "Это проверка. На этот адрес приходят события сайта.",
		subject:     "{{.event}}{{if .name}}: {{.name}}{{else}}{{if .caller}}: {{.caller}}{{end}}{{end}} · {{.site}}",
		text: `{{.event}} · {{.site}}
{{.time}}
{{if .name}}
Имя: {{.name}}{{end}}{{if .phone}}
Телефон: {{.phone}}{{end}}{{if .email}}
Почта: {{.email}}{{end}}{{if .sale}}
Продажа: {{.sale}}{{end}}{{if .caller}}
Кто звонил: {{.caller}}{{end}}{{if .called}}
На номер: {{.called}}{{end}}{{if .path}}
Форма: {{.path}}{{end}}{{if .status}}
Состояние: {{.status}}{{end}}{{if .count}}
Сколько раз: {{.count}}{{end}}{{if .talk}}
Разговор: {{.talk}}{{end}}{{if .recording}}
Запись: {{.recording}}{{end}}{{if .message}}

{{.message}}
{{end}}{{if .fields}}
{{.fields}}
{{end}}{{if .site_error}}
Сайт ответил на форму ошибкой {{.site_error}} и может не знать о заявке.
{{end}}{{if .form}}
Форма: {{.form}}{{end}}{{if .page}}
Страница: {{.page}}{{end}}{{if .source}}
Источник: {{.source}}{{if .campaign}} · {{.campaign}}{{end}}{{end}}{{if .link}}

{{.link}}{{end}}
`,
		sample: struct{ name, message, form, field, value string }{"Ада Лавлейс", "Есть ли лампа в наличии?", "Заказ", "Город", "Лондон"},
	},
}
