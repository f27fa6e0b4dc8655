package notify

import (
	"github.com/seed-3405227d/frontdesk/backend/notify/told"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// sample are the values of a made-up lead.
func (d *Deliveries) sample(language, site string) values {
	w := mailTexts[language]
	v := values{"site": site, "event": w["event."+string(LeadAdded)], "time": d.now().Local().Format(timeLayout)}
	v.lead(told.Lead{
		Name: w["sample.name"], Phone: "+7 912 345-67-89", Email: "ada@example.com", Message: w["sample.message"], FormName: w["sample.form"],
		UserFields: map[string]string{w["sample.field"]: w["sample.value"]}, PageURL: "https://" + site + "/order",
		Source: &source.Source{Kind: source.Campaign, Source: "news", Campaign: "autumn"}, ConsoleURL: d.link("leads/1/1"),
	}, w)
	return v
}
