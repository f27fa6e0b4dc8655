package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// mistakes are the names of the words for what can be wrong with numbers and pools.
var mistakes = map[string]string{
	"not_number": "mistake.notNumber", "country_code": "mistake.countryCode", "pooled": "mistake.pooled", "twice": "mistake.twice",
	"tracking": "mistake.tracking", "itself": "mistake.itself", "printed": "mistake.printed", "given": "mistake.given",
	"pool_printed": "mistake.poolPrinted", "pool_static": "mistake.poolStatic", "pools": "mistake.pools", "rules": "mistake.rules",
	"behind_all": "mistake.behindAll", "same": "mistake.same", "covered": "mistake.covered",
	"pool_empty": "mistake.poolEmpty", "pool_many": "mistake.poolMany", "hold": "mistake.hold", "exhausted": "mistake.exhausted",
	"reserve": "mistake.reserve", "reserve_pooled": "mistake.reservePooled", "pool_name": "mistake.poolName", "no_pool": "mistake.noPool",
	"condition": "mistake.condition", "impossible": "mistake.impossible", "conditions": "mistake.conditions", "place": "mistake.place",
	"place_taken": "mistake.placeTaken", "picture": "mistake.picture", "one_of": "mistake.oneOf", "name": "mistake.name",
	"many_numbers": "mistake.manyNumbers", "many_pools": "mistake.manyPools", "many_pooled": "mistake.manyPooled", "many_places": "mistake.manyPlaces",
	"large": "mistake.large", "pool_configured": "mistake.poolConfigured", "pool_taken": "mistake.poolTaken", "pool_foreign": "mistake.poolForeign",
	"pool_used": "mistake.poolUsed", "template": "mistake.template", "template_number": "mistake.templateNumber",
	"table_quotes": "mistake.tableQuotes", "table_cell": "mistake.tableCell", "table_pool": "mistake.tablePool", "table_printed": "mistake.tablePrinted", "table_source": "mistake.tableSource",
	"table_pools": "mistake.tablePools",
}

// NumberMistake is what is wrong, in words. What has none is said as configurations are told it.
func NumberMistake(w *words.Tongue, err error) string {
	var m *number.Mistake
	if !errors.As(err, &m) || mistakes[m.Kind] == "" {
		return err.Error()
	}
	gaps := []any{"a", "", "b", "", "c", ""}
	for i, text := range m.Of {
		if i < 3 {
			gaps[2*i+1] = words.Plainly(words.Written(text))
		}
	}
	return w.Text(mistakes[m.Kind], gaps...)
}

// asks says whether there is something to ask about in the numbers and pools of the site's own that is not in effect
// already, and that sure does not affirm.
func (n *Numbering) asks(w *words.Tongue, own number.Own, sure string) bool {
	over, err := own.Over(n.Configured, n.ID, n.Pools)
	if err != nil {
		return false
	}
	known := n.Effective.Doubts(n.Region)
	var asked []string
	for _, doubt := range over.Doubts(n.Region) {
		if !slices.ContainsFunc(known, func(k number.Doubt) bool { return k.String() == doubt.String() }) {
			asked = append(asked, doubt.String())
			n.Doubts = append(n.Doubts, numberDoubt(w, doubt))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(asked, "\n")))
	n.Sure = hex.EncodeToString(sum[:])
	return len(asked) > 0 && sure != n.Sure
}

// numberDoubt is the doubt, in words.
func numberDoubt(w *words.Tongue, d number.Doubt) string {
	gaps := []any{"a", "", "b", "", "c", "", "d", "", "e", ""}
	for i, text := range d.Of {
		gaps[2*i+1] = words.Plainly(words.Written(text))
	}
	return w.Text(doubts[d.Kind], gaps...)
}

// doubts are the names of the words for what is asked about.
var doubts = map[string]string{"other_country": "doubt.otherCountry", "other_country_meant": "doubt.otherCountryMeant", "printed_meant": "doubt.printedMeant"}
