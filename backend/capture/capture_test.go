package capture

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
)

const pairs = "application/x-www-form-urlencoded"

// sent is the form that the pairs say.
func sent(t *testing.T, query string) posted.Form {
	t.Helper()
	body := posted.New(pairs)
	body.Write([]byte(query))
	form, err := body.Form("")
	require.NoError(t, err)
	return form
}

// formOf is the form of fields with these names and values.
func formOf(namesAndValues ...string) (f posted.Form) {
	for pair := range slices.Chunk(namesAndValues, 2) {
		f.Fields = append(f.Fields, posted.Field{Name: pair[0], Value: pair[1]})
	}
	return f
}

// The forms of the programs that most sites have, as browsers send them.
func TestRecognise(t *testing.T) {
	for called, c := range map[string]struct {
		fields string
		want   Recognised
	}{
		"Contact Form 7": {`_wpcf7=12|_wpcf7_version=6.1|_wpcf7_unit_tag=wpcf7-f12-o1|_wpcf7_recaptcha_response=abc|your-name=Anna Bell|your-email=anna@example.com|your-tel=+7 495 123-45-67|your-subject=Lamp|your-message=Is it there?`,
			Recognised{Name: "Anna Bell", Email: "anna@example.com", Phone: "+7 495 123-45-67", Message: "Is it there?", FormName: "Contact Form 7 12", UserFields: map[string]string{"your-subject": "Lamp"}}},
		"Elementor": {`post_id=5|form_id=7a1b|referer_title=Lamps|queried_id=5|form_fields[name]=Anna|form_fields[email]=anna@example.com|form_fields[message]=Hello|form_fields[city]=Kazan|action=elementor_pro_forms_send_form|referrer=https://shop.example/`,
			Recognised{Name: "Anna", Email: "anna@example.com", Message: "Hello", FormName: "7a1b", UserFields: map[string]string{"city": "Kazan"}}},
		"WPForms": {`wpforms[fields][0][first]=Anna|wpforms[fields][0][last]=Bell|wpforms[fields][1]=anna@example.com|wpforms[fields][3]=8 (495) 123-45-67|wpforms[fields][2]=When does the shop open on Monday?|wpforms[hp]=|wpforms[id]=31|wpforms[author]=1|wpforms[post_id]=2|wpforms[token]=secret|page_title=Contacts`,
			Recognised{Name: "Anna Bell", Email: "anna@example.com", Phone: "8 (495) 123-45-67", Message: "When does the shop open on Monday?", FormName: "WPForms 31"}},
		"Gravity": {`input_1.3=Anna|input_1.6=Bell|input_2=anna@example.com|input_3=When does the shop open on Monday?|is_submit_4=1|gform_submit=4|gform_unique_id=|state_4=WyJbXS|gform_target_page_number_4=0`,
			Recognised{Name: "Anna Bell", Email: "anna@example.com", Message: "When does the shop open on Monday?", FormName: "Gravity Forms 4"}},
		"Tilda": {`Name=Анна|Phone=+7 (495) 123-45-67|Email=anna@example.com|Textarea=Перезвоните мне|formservices[]=abc|tildaspec-cookie=x|tildaspec-referer=https://shop.example/|form-spec-comments=Its good|formname=Заявка`,
			Recognised{Name: "Анна", Phone: "+7 (495) 123-45-67", Email: "anna@example.com", Message: "Перезвоните мне", FormName: "Заявка"}},
		"Bitrix": {`WEB_FORM_ID=3|sessid=0123456789abcdef|form_text_1=Анна Белова|form_text_2=8 495 123 45 67|form_email_3=anna@example.com|form_textarea_4=Нужна лампа на кухню, есть ли в наличии?|web_form_submit=Отправить|PROPERTY[CITY][0]=Казань`,
			Recognised{Name: "Анна Белова", Phone: "8 495 123 45 67", Email: "anna@example.com", Message: "Нужна лампа на кухню, есть ли в наличии?", FormName: "3", UserFields: map[string]string{"PROPERTY[CITY][0]": "Казань"}}},
		"Bitrix's order": {`PERSON_TYPE=1|ORDER_PROP_1=Анна Белова|ORDER_PROP_3=9211234567|ORDER_DESCRIPTION=|DELIVERY_ID=2`,
			Recognised{Name: "Анна Белова", Phone: "9211234567", UserFields: map[string]string{"PERSON_TYPE": "1", "DELIVERY_ID": "2"}}},
		"Drupal": {`name=Anna|mail=anna@example.com|field_telephone[0][value]=921 1234|message[0][value]=Hello|field_value=7|form_id=contact_message_feedback_form`,
			Recognised{Name: "Anna", Email: "anna@example.com", Phone: "921 1234", Message: "Hello", FormName: "contact_message_feedback_form", UserFields: map[string]string{"field_value": "7"}}},
		"Concrete": {`akID[31][value]=Anna|akID[33][value]=8 495 123 45 67`, Recognised{Name: "Anna", Phone: "8 495 123 45 67"}},
		"WordPress's comment": {`comment=Nice lamps|author=Anna|email=anna@example.com|url=|submit=Post Comment|comment_post_ID=7|comment_parent=0|_wp_unfiltered_html_comment=abc`,
			Recognised{Name: "Anna", Email: "anna@example.com", Message: "Nice lamps", FormName: "comment 7"}},
		"plain": {`imya=Анна|telefon=84951234567|soobschenie=Жду|company_name=ООО Свет|password=secret|csrf_token=abc|g-recaptcha-response=abc|card_number=4111111111111111|site_key=shop|visitor_id=7|hit_id=9`,
			Recognised{Name: "Анна", Phone: "84951234567", Message: "Жду", UserFields: map[string]string{"company_name": "ООО Свет"}, Credentials: map[string]string{"site_key": "shop", "visitor_id": "7", "hit_id": "9"}}},
		"a program": {`name=Bot|email=bot@example.com|message=Buy|_gotcha=yes`,
			Recognised{Name: "Bot", Email: "bot@example.com", Message: "Buy", Trapped: true}},
		"a search":      {`q=lamps|page=2`, Recognised{UserFields: map[string]string{"q": "lamps", "page": "2"}}},
		"a card":        {`message=my card is 4111 1111 1111 1111, call me`, Recognised{Message: "my card is **** 1111, call me"}},
		"no card":       {`message=order 4111111111111112`, Recognised{Message: "order 4111111111111112"}},
		"a choice":      {`contact_by_mail=yes|phone=call me|name=Anna`, Recognised{Name: "Anna", UserFields: map[string]string{"contact_by_mail": "yes", "phone": "call me"}}},
		"camel":         {`firstName=Anna|lastName=Bell|phoneNumber=+44 20 7946 0018|emailAddress=a@b.example`, Recognised{Name: "Anna Bell", Phone: "+44 20 7946 0018", Email: "a@b.example"}},
		"two names":     {`name=Anna|surname=Bell|tel=+74951234567`, Recognised{Name: "Anna Bell", Phone: "+74951234567"}},
		"nameless":      {`input_1=Иван|input_2=8 921 123-45-67`, Recognised{Name: "Иван", Phone: "8 921 123-45-67"}},
		"together":      {`contacts=89211234567 Иван`, Recognised{Name: "Иван", Phone: "89211234567", UserFields: map[string]string{"contacts": "89211234567 Иван"}}},
		"in a message":  {`name=Иван|message=Перезвоните: 8 (921) 123-45-67 или ivan@mail.example.`, Recognised{Name: "Иван", Phone: "8 (921) 123-45-67", Email: "ivan@mail.example", Message: "Перезвоните: 8 (921) 123-45-67 или ivan@mail.example."}},
		"in a name":     {`name=Иван 89211234567`, Recognised{Name: "Иван 89211234567", Phone: "89211234567"}},
		"no telephones": {`_ga=GA1.2.1234567890.1699999999|order_id=89211234567|q=24.12.2026 18`, Recognised{UserFields: map[string]string{"_ga": "GA1.2.1234567890.1699999999", "order_id": "89211234567", "q": "24.12.2026 18"}}},
		"Telegram":      {`name=Иван|telegram=@ivan`, Recognised{Name: "Иван", Messenger: true, UserFields: map[string]string{"Telegram": "@ivan"}}},
		"a link":        {`name=Иван|input_7=https://t.me/ivan_bell`, Recognised{Name: "Иван", Messenger: true, UserFields: map[string]string{"Telegram": "https://t.me/ivan_bell"}}},
		"an account":    {`input_1=Иван|input_7=@ivan_bell`, Recognised{Name: "Иван", Messenger: true, UserFields: map[string]string{"input_7": "@ivan_bell"}}},
		"WhatsApp":      {`name=Иван|whatsapp=8 921 123-45-67`, Recognised{Name: "Иван", Phone: "8 921 123-45-67"}},
		"wa.me":         {`name=Иван|social=wa.me/79211234567`, Recognised{Name: "Иван", Phone: "+79211234567", Messenger: true, UserFields: map[string]string{"WhatsApp": "wa.me/79211234567"}}},
		"a messenger":   {`name=Иван|messenger=telegram|tg=да|vk=no|address-line=Main`, Recognised{Name: "Иван", UserFields: map[string]string{"messenger": "telegram", "tg": "да", "vk": "no", "address-line": "Main"}}},
		"a handphone":   {`nama=Budi|no_hp=+62 812-3456-7890`, Recognised{Name: "Budi", Phone: "+62 812-3456-7890"}},
		"hp":            {`nama=Budi|hp=+62 812-3456-7890`, Recognised{Name: "Budi", Phone: "+62 812-3456-7890"}},
		"a trap":        {`name=Ivan|wpforms[hp]=89211234567`, Recognised{Name: "Ivan", Phone: "89211234567", Trapped: true}},
		"signing in":    {`login=anna|password=secret`, Recognised{Empty: true, UserFields: map[string]string{"login": "anna"}}},
		"a stranger":    {`action=bricks_form_submit|form-field-63a0bf=Anna Bell|form-field-0d7e5a=612340159`, Recognised{UserFields: map[string]string{"form-field-63a0bf": "Anna Bell", "form-field-0d7e5a": "612340159"}}},
		"a cart":        {`product_sku=|product_id=12|quantity=1`, Recognised{Empty: true, UserFields: map[string]string{"product_id": "12", "quantity": "1"}}},
		"a look at it":  {`time=1763890000123`, Recognised{Empty: true, UserFields: map[string]string{"time": "1763890000123"}}},
		"a checkout":    {`payment_method=cod|city=Berlin|post_data=a=b&c=d`, Recognised{Empty: true, UserFields: map[string]string{"payment_method": "cod", "city": "Berlin", "post_data": "a=b&c=d"}}},
		"its delivery":  {`security=0ab41c5cf2|shipping_method[0]=flat_rate:1`, Recognised{Empty: true, UserFields: map[string]string{"security": "0ab41c5cf2", "shipping_method[0]": "flat_rate:1"}}},
		"no coupon":     {`security=0ab41c5cf2|coupon=SPRING`, Recognised{Empty: true, UserFields: map[string]string{"security": "0ab41c5cf2", "coupon": "SPRING"}}},
		"an order":      {`product_id=12|name=Anna`, Recognised{Name: "Anna", UserFields: map[string]string{"product_id": "12"}}},
		"of WordPress":  {`action=load_more|page=2`, Recognised{Empty: true, UserFields: map[string]string{"page": "2"}}},
		"nothing":       {`name=|phone=|_wpnonce=1`, Recognised{Empty: true}},
		"German":        {`Vorname=Jörg|Nachname=Groß|Ihre-Telefonnummer=0151 23456789|Ihre-Nachricht=Hallo|Firma=Licht`, Recognised{Name: "Jörg Groß", Phone: "0151 23456789", Message: "Hallo", UserFields: map[string]string{"Firma": "Licht"}}},
		"French":        {`prénom=Zoé|nom=Blanc|téléphone=06 12 34 56 78|courriel=z@b.example|votre-message=Bonjour|comment-nous-avez-vous-connu=Web`, Recognised{Name: "Zoé Blanc", Phone: "06 12 34 56 78", Email: "z@b.example", Message: "Bonjour", UserFields: map[string]string{"comment-nous-avez-vous-connu": "Web"}}},
		"Spanish":       {`nombre=José|apellidos=Núñez|teléfono=612 34 56 78|correo=j@n.example|mensaje=Hola|nombre_empresa=Luz`, Recognised{Name: "José Núñez", Phone: "612 34 56 78", Email: "j@n.example", Message: "Hola", UserFields: map[string]string{"nombre_empresa": "Luz"}}},
		"Portuguese":    {`nome=João|sobrenome=Cruz|celular=(11) 91234-5678|cep=01310-100|mensagem=Olá`, Recognised{Name: "João Cruz", Phone: "(11) 91234-5678", Message: "Olá", UserFields: map[string]string{"cep": "01310-100"}}},
		"Italian":       {`nome=Anna|cognome=Rossi|cellulare=312 345 6789|messaggio=Ciao`, Recognised{Name: "Anna Rossi", Phone: "312 345 6789", Message: "Ciao"}},
		"Polish":        {`imię=Łucja|nazwisko=Wójcik|telefon=512 345 678|treść=Cześć`, Recognised{Name: "Łucja Wójcik", Phone: "512 345 678", Message: "Cześć"}},
		"Turkish":       {`adınız=Işık|soyadınız=Öz|cep_telefonu=0501 234 56 78|e-posta=i@o.example|mesajınız=Merhaba|ad_id=7`, Recognised{Name: "Işık Öz", Phone: "0501 234 56 78", Email: "i@o.example", Message: "Merhaba", UserFields: map[string]string{"ad_id": "7"}}},
		"Ukrainian":     {`ім'я=Їжак|прізвище=Ґудзь|телефон=067 123 45 67|пошта=i@g.example|повідомлення=Вітаю`, Recognised{Name: "Їжак Ґудзь", Phone: "067 123 45 67", Email: "i@g.example", Message: "Вітаю"}},
		"Kazakh":        {`аты-жөні=Әлия|ұялы телефон=8 701 123 45 67|хабарлама=Сәлем`, Recognised{Name: "Әлия", Phone: "8 701 123 45 67", Message: "Сәлем"}},
		"Dutch":         {`voornaam=Daan|achternaam=de Vries|telefoonnummer=06 12345678|bericht=Hoi|bedrijfsnaam=Licht`, Recognised{Name: "Daan de Vries", Phone: "06 12345678", Message: "Hoi", UserFields: map[string]string{"bedrijfsnaam": "Licht"}}},
		"guests":        {`nombre de personnes=4|date=24.12.2026`, Recognised{UserFields: map[string]string{"nombre de personnes": "4", "date": "24.12.2026"}}},
		"ticked boxes":  {`lamp[]=desk|lamp[]=floor|tel=+74951234567`, Recognised{Phone: "+74951234567", UserFields: map[string]string{"lamp[]": "desk, floor"}}},
	} {
		t.Run(called, func(t *testing.T) {
			var f posted.Form
			for pair := range strings.SplitSeq(c.fields, "|") {
				name, value, _ := strings.Cut(pair, "=")
				f.Fields = append(f.Fields, posted.Field{Name: name, Value: value})
			}
			require.Equal(t, c.want, Recognise(f, "RU", nil))
		})
	}
}

// WooCommerce's checkout sends all that is filled in with each change, to ask what the order would cost. Nobody has ordered
// yet.
func TestCheckoutThatIsBeingFilledIn(t *testing.T) {
	filled := "billing_first_name=Anna&billing_last_name=Bell&billing_phone=0151+23456789&billing_email=anna%40example.com&order_comments=Please+ring+twice+at+the+door&payment_method=cod"
	asked := url.Values{"security": {"0ab41c5cf2"}, "payment_method": {"cod"}, "country": {"DE"}, "postcode": {"10827"}, "city": {"Berlin"}, "address": {"Hauptstr. 12"},
		"s_city": {"Berlin"}, "has_full_address": {"true"}, "post_data": {filled}}
	require.Equal(t, Recognised{Empty: true}, Recognise(sent(t, asked.Encode()), "DE", nil))
	ordered := Recognise(sent(t, filled), "DE", nil)
	require.Equal(t, []string{"Anna Bell", "0151 23456789", "anna@example.com"}, []string{ordered.Name, ordered.Phone, ordered.Email})
}

// FuzzBody holds what is read of a body to be the same however it is cut to pieces, and to its price.
func FuzzBody(f *testing.F) {
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\nfile\r\n--b--\r\n"), 3)
	f.Add(pairs, []byte("a=1&b=%D0%90&c"), 1)
	f.Add("application/json", []byte(`{"a":{"b":[1,true,null,"x"]}}`), 2)
	f.Add("text/plain", []byte("a=1\r\nb=2\nc\r\n"), 1)
	f.Add(pairs, []byte(`data=a%3D1%26b%3D%25D0%2590&formData={"a":{"value":"1"}}&form=[{"name":"a","value":1}]`), 1)
	f.Add("", []byte(`[{"name":"a","value":["1","2"]},{"query":"mutation{a(b:\"1\")}","variables":{"c":1}}]`), 2)
	f.Fuzz(func(t *testing.T, contentType string, body []byte, size int) {
		whole, pieces := posted.New(contentType), posted.New(contentType)
		if whole == nil {
			return
		}
		whole.Write(body)
		for rest := body; len(rest) > 0; {
			n := min(max(1, size%1000), len(rest))
			pieces.Write(rest[:n])
			rest = rest[n:]
		}
		form, err := whole.Form("windows-1251")
		other, otherErr := pieces.Form("windows-1251")
		require.Equal(t, err == nil, otherErr == nil)
		require.Equal(t, form, other)
		_, _, err = priced(t, contentType, body)
		require.Equal(t, err, otherErr)
	})
}

func TestRules(t *testing.T) {
	rule := Rule{Path: "/wp-json/*/feedback", Name: []string{"n"}, Phone: []string{"tel", "mobile"}, UserFields: []string{"city"}, FormName: "Contact"}
	require.NoError(t, rule.Complete())
	require.True(t, rule.Matches("POST", "/wp-json/contact-form-7/v1/feedback"))
	require.False(t, rule.Matches("GET", "/wp-json/contact-form-7/v1/feedback"))
	require.False(t, rule.Matches("POST", "/x/wp-json/contact-form-7/v1/feedback"))
	require.False(t, rule.Matches("POST", "/wp-json/a/feedback/"))
	for status, counts := range map[int]bool{200: true, 303: true, 0: true, 400: false, 422: false, 500: false} {
		for _, on := range []struct {
			rule                Rule
			counts, ofReachable bool
		}{
			{Rule{On: OnContact, Kind: KindLead}, counts, true}, {Rule{On: OnContact, Kind: KindVisitor}, counts, counts},
			{Rule{On: OnSuccess, Kind: KindLead}, counts, counts}, {Rule{On: OnAlways, Kind: KindVisitor}, true, true},
		} {
			require.Equal(t, on.counts, on.rule.Counts(status, false), "%d, %+v", status, on)
			require.Equal(t, on.ofReachable, on.rule.Counts(status, true), "%d, %+v", status, on)
		}
	}
	said := rule.Read(formOf("n", " Ann ", "tel", "", "mobile", "+7495", "city", "Kazan", "email", "a@b.example", "hit_id", "7"), "", nil)
	require.Equal(t, Recognised{Name: "Ann", Phone: "+7495", FormName: "Contact", UserFields: map[string]string{"city": "Kazan"}, Credentials: map[string]string{"hit_id": "7"}}, said)

	booking := Rule{Path: "/", Name: []string{"who"}, UserFields: []string{"day", "guests", "tg"}}
	require.NoError(t, booking.Complete())
	said = booking.Read(formOf("who", "Ann", "day", "24.12.", "guests", "4"), "", nil)
	require.Equal(t, Recognised{Name: "Ann", UserFields: map[string]string{"day": "24.12.", "guests": "4"}}, said)
	require.True(t, booking.Read(formOf("who", "Ann", "tg", "@ann"), "", nil).Messenger)
	said = booking.Read(formOf("fio", "Ann", "tel", "+74951234567"), "", nil)
	require.Equal(t, Recognised{Name: "Ann", Phone: "+74951234567"}, said, "another form at the same address")

	for _, wrong := range []Rule{
		{}, {Path: "contact"}, {Path: "/a", Kind: "sale"}, {Path: "/a", On: "failure"}, {Path: "/a", Methods: []string{}}, {Path: "/a", Methods: []string{"GET"}},
		{Path: "/a", Name: []string{""}}, {Path: "/a", Name: []string{"a"}, Phone: []string{"a"}}, {Path: "/a", Message: []string{"password"}},
	} {
		require.Error(t, wrong.Complete(), "%+v", wrong)
	}
}
