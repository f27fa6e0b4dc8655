package report

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/report/channel"
	"github.com/seed-3405227d/frontdesk/backend/report/column"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// visitTexts are the columns of visits that make the dimension.
var visitTexts = map[Dimension][]int{
	Channel: {fact.VisitKind, fact.VisitSource, fact.VisitMedium},
	Source:  {fact.VisitSource}, Medium: {fact.VisitMedium}, Campaign: {fact.VisitCampaign}, Content: {fact.VisitContent}, Keyword: {fact.VisitKeyword},
	Referrer: {fact.VisitReferrer}, Landing: {fact.VisitLanding}, Device: {fact.VisitDevice}, Browser: {fact.VisitBrowser}, Language: {fact.VisitLanguage},
	Country: {fact.VisitCountry}, Area: {fact.VisitArea}, City: {fact.VisitCity},
}

// ownTexts are the columns of inquiries that make the dimension of the inquiry itself.
var ownTexts = map[Dimension]int{
	Kind: fact.InquiryKind, Page: fact.InquiryPage, Number: fact.InquiryNumber, Pool: fact.InquiryPool, Operator: fact.InquiryOperator, Group: fact.InquiryGroup, Form: fact.InquiryForm,
}

// sourceTexts are the columns of an inquiry's own source, for one of which no visit is known.
var sourceTexts = map[Dimension][]int{
	Channel: {fact.InquirySourceKind, fact.InquirySource, fact.InquiryMedium},
	Source:  {fact.InquirySource}, Medium: {fact.InquiryMedium}, Campaign: {fact.InquiryCampaign}, Content: {fact.InquiryContent}, Keyword: {fact.InquiryKeyword},
	Referrer: {fact.InquiryReferrer}, Landing: {fact.InquiryLanding},
}

// values are the values of a dimension, each with a number.
type values struct {
	dimension Dimension
	texts     []string
	numbers   map[string]uint32
	channels  map[[3]string]uint32
}

func newValues(d Dimension) *values {
	return &values{dimension: d, numbers: make(map[string]uint32), channels: make(map[[3]string]uint32)}
}

func (v *values) value(number uint32) string { return v.texts[number] }

func (v *values) number(text string) uint32 {
	n, known := v.numbers[text]
	if !known {
		n = uint32(len(v.texts))
		v.numbers[text] = n
		v.texts = append(v.texts, text)
	}
	return n
}

func (v *values) channel(kind, name, medium string) uint32 {
	of := [3]string{kind, name, medium}
	n, known := v.channels[of]
	if !known {
		n = v.number(string(channel.Of(kind, name, medium)))
		v.channels[of] = n
	}
	return n
}

// reading gives the number of a row's value in a block.
type reading func(row int) uint32

// ofVisits reads the dimension of a block's visits.
func (v *values) ofVisits(b *fact.Block, c *clock) reading {
	if v.dimension.ofTime() {
		return v.ofTime(b, c)
	}
	columns := visitTexts[v.dimension]
	if len(columns) == 0 {
		return func(int) uint32 { return 0 }
	}
	texts := b.Texts[columns[0]]
	if v.dimension == Channel {
		names, media := b.Texts[columns[1]], b.Texts[columns[2]]
		known := make(map[[3]uint32]uint32)
		return func(row int) uint32 {
			of := [3]uint32{texts.Rows[row], names.Rows[row], media.Rows[row]}
			n, is := known[of]
			if !is {
				n = v.channel(texts.Values[of[0]], names.Values[of[1]], media.Values[of[2]])
				known[of] = n
			}
			return n
		}
	}
	return v.ofTexts(&texts)
}

// ofTexts reads a column, of which each text is looked up once. A text that no row asks for gets no number.
func (v *values) ofTexts(texts *column.Texts) reading {
	numbers := make([]uint32, len(texts.Values)) // plus one
	return func(row int) uint32 {
		place := texts.Rows[row]
		if numbers[place] == 0 {
			numbers[place] = v.number(texts.Values[place]) + 1
		}
		return numbers[place] - 1
	}
}

func (v *values) ofTime(b *fact.Block, c *clock) reading {
	at, day := b.Numbers[fact.Minute], b.Day*minutesOfDay
	c.enter(day)
	texts := weekdays[:]
	if v.dimension == Hour {
		texts = hours[:]
	}
	numbers := make([]uint32, len(texts)) // plus one
	return func(row int) uint32 {
		place := c.place(v.dimension, day+at[row])
		if numbers[place] == 0 {
			numbers[place] = v.number(texts[place]) + 1
		}
		return numbers[place] - 1
	}
}

const minutesOfDay = 24 * 60

// clock tells hours and weekdays in a zone.
type clock struct {
	zone   *time.Location
	even   bool // the offset is that of the whole day
	offset int64
}

// enter prepares for times of the day that begins at the time.
func (c *clock) enter(day int64) {
	c.offset = c.offsetAt(day)
	c.even = c.offset == c.offsetAt(day+minutesOfDay-1)
}

func (c *clock) offsetAt(at int64) int64 {
	_, seconds := time.Unix(at*60, 0).In(c.zone).Zone()
	return int64(seconds) / 60
}

// hours and weekdays are the values of the dimensions.
var hours = func() (texts [24]string) {
	for i := range texts {
		texts[i] = string([]byte{'0' + byte(i/10), '0' + byte(i%10)})
	}
	return texts
}()

var weekdays = [...]string{"1", "2", "3", "4", "5", "6", "7"}

// place is that of the value of Hour or Weekday at the time, in minutes since 1970, of the day that was entered.
func (c *clock) place(d Dimension, at int64) int {
	offset := c.offset
	if !c.even {
		offset = c.offsetAt(at)
	}
	local := at + offset
	if d == Hour {
		return int(local / 60 % 24)
	}
	return int((local/minutesOfDay + 3) % 7) // 1970 began on a Thursday
}

func (d Dimension) ofTime() bool { return d == Hour || d == Weekday }
