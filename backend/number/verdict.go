package number

// Verdict says what a visitor sees in the place of a printed number, and why.
type Verdict struct {
	// Printed are the digits of the printed number.
	Printed string
	// Rule is the position of the rule that holds, from 1, or 0 if none holds.
	Rule int
	// Digits are those of a static tracking number, or "".
	Digits string
	// Pool is the pool whose number the visitor gets, or nil.
	Pool *Pool
}

// Verdicts returns the verdicts of the choice for each printed number, in order.
func (p *Plan) Verdicts(c Choice) []Verdict {
	verdicts := make([]Verdict, len(p.numbers))
	for i, n := range p.numbers {
		verdicts[i].Printed = n.digits
	}
	for i, r := range p.rules(c) {
		verdicts[i].Rule, verdicts[i].Digits, verdicts[i].Pool = int(c[2*i])<<8|int(c[2*i+1]), r.digits, r.pool
	}
	return verdicts
}
