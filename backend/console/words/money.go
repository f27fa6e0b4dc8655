package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
	"golang.org/x/text/number"
)

// Money is an amount, a decimal with a point, as the language writes it, in the
// tongue's currency.
func (w *Tongue) Money(amount string) string {
	value, err := strconv.ParseFloat(amount, 64)
	if err != nil || len(amount) > 15 { // more digits than a float64 has
		return amount
	}
	amount = w.decimal(amount, value)
	unit, err := currency.ParseISO(w.Currency)
	if err != nil {
		return amount
	}
	sign := w.Out.Sprint(currency.NarrowSymbol(unit))
	if w.Code == "ru" {
		return amount + "\u00a0" + sign
	}
	if last, _ := utf8.DecodeLastRuneInString(sign); unicode.IsLetter(last) {
		sign += "\u00a0"
	}
	return sign + amount
}

// Sum is an amount in units of the currency, rounded as its prices are.
func (w *Tongue) Sum(amount float64) string {
	digits := 2
	if unit, err := currency.ParseISO(w.Currency); err == nil {
		digits, _ = currency.Standard.Rounding(unit)
	}
	return w.Money(strconv.FormatFloat(amount, 'f', digits, 64))
}

func (w *Tongue) decimal(amount string, value float64) string {
	_, fraction, _ := strings.Cut(amount, ".")
	digits := 0
	if strings.Trim(fraction, "0") != "" {
		digits = max(2, len(fraction))
	}
	return w.Out.Sprint(number.Decimal(value, number.Scale(digits)))
}
