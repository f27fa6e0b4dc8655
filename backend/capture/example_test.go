package capture_test

import (
	"fmt"
	"io"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
)

// A body is kept while it passes to the site, and read behind it. Fields are known by their names.
func ExampleRecognise() {
	body := posted.New("application/x-www-form-urlencoded")
	io.WriteString(body, "your-name=Anna&tel=8+(912)+345-67-89&comment=Is+the+lamp+in+stock%3F&password=secret&csrf_token=1f2e")
	form, err := body.Form()
	if err != nil {
		panic(err)
	}
	said := capture.Recognise(form, "RU", nil)
	fmt.Println(said.Name)
	fmt.Println(said.Phone)
	fmt.Println(said.Message)
	fmt.Println(said.UserFields)
	// Output:
	// Anna
	// 8 (912) 345-67-89
	// Is the lamp in stock?
	// map[]
}

// A rule says which posts are kept, and which of their fields say what.
func ExampleRule() {
	rule := capture.Rule{Path: "/order/*", Name: []string{"customer"}, Phone: []string{"number"}, UserFields: []string{"city"}}
	if err := rule.Complete(); err != nil {
		panic(err)
	}
	fmt.Println(rule.Matches("POST", "/order/lamp"), rule.Matches("GET", "/order/lamp"), rule.Matches("POST", "/search"))

	form := posted.Form{Fields: []posted.Field{{Name: "customer", Value: "Anna"}, {Name: "number", Value: "+7 912 345-67-89"}, {Name: "city", Value: "Perm"}, {Name: "floor", Value: "3"}}}
	said := rule.Read(form, "RU", nil)
	fmt.Println(said.Name, said.Phone, said.UserFields)

	fmt.Println(rule.Counts(200, false), rule.Counts(500, said.Reachable()), rule.Counts(500, false))
	// Output:
	// true false false
	// Anna +7 912 345-67-89 map[city:Perm]
	// true true false
}
