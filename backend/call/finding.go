package call

import (
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Finding says who has called, and from which source, as far as that is known.
type Finding struct {
	Reason     Reason
	Confidence Confidence
	// Replaces is the printed number that the called number stands for, or Called if that is printed itself. It is
	// empty if that is not known.
	Replaces string
	// Conditions are the name of the campaign of a static tracking number. If it has none, they are the conditions, such
	// as "utm_source=news*".
	Conditions string
	// Visitor and Visit are 0 if they are not known. Then Source is empty, see [Finding.SourceOrCampaign].
	Visitor, Visit visit.ID
	Source         source.Source
}

// Reason says why a call is attributed to a visitor or a campaign.
type Reason string

// The reasons, the best first.
const (
	// KnownShown: the caller is known as a visitor who saw the called number, or who has called the same number before.
	KnownShown Reason = "known_shown"
	// KnownCaller: the caller is known as a visitor, and nobody had the called number within the day before.
	KnownCaller Reason = "known"
	// ShownNow: one visitor saw the called number at the time.
	ShownNow Reason = "shown"
	// ShownBefore: one visitor saw it within the day before, and nobody at the time.
	ShownBefore Reason = "shown_before"
	// ShownMany: several visitors saw it. This is the last of them.
	ShownMany Reason = "shown_many"
	// Campaign: it is the static tracking number for some visitors.
	Campaign Reason = "campaign"
	// Printed: it is printed on the site's pages.
	Printed Reason = "printed"
	// Pooled: it belongs to a pool, and nobody has seen it for a day.
	Pooled Reason = "pooled"
	// Nothing: it is no number of any site.
	Nothing Reason = "unknown"
)

// Reasons are all reasons.
var Reasons = []Reason{KnownShown, KnownCaller, ShownNow, ShownBefore, ShownMany, Campaign, Printed, Pooled, Nothing}

// Confidence says how far a reason can be trusted.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
	None   Confidence = "none" // nothing is known of the visit
)

// confidences are the confidences of the reasons. That of [Campaign] is about the campaign only.
var confidences = map[Reason]Confidence{
	KnownShown: High, KnownCaller: Medium, ShownNow: High, ShownBefore: Medium, ShownMany: Low, Campaign: Medium, Printed: None, Pooled: None, Nothing: None,
}
