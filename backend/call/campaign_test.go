package call

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// A static tracking number tells of its callers what a visit by its conditions would, or the campaign's name.
func TestCampaignOfConditions(t *testing.T) {
	for conditions, want := range map[string]source.Source{
		"":                                    {},
		"Spring sale":                         {Kind: source.Campaign, Campaign: "Spring sale"},
		"utm_source=news*":                    {Kind: source.Campaign, Source: "news"},
		"utm_source=google utm_medium=cpc":    {Kind: source.Ad, Source: "google", Medium: "cpc"},
		"utm_source=google utm_source=yandex": {Kind: source.Campaign, Source: "google, yandex"},
		"utm_campaign=*autumn*":               {Kind: source.Campaign, Campaign: "autumn"},
		"utm_source=*":                        {Kind: source.Campaign},
		"gclid":                               {Kind: source.Ad, Source: "google"},
		"kind=ad":                             {Kind: source.Ad},
		"kind=ad kind=campaign":               {Kind: source.Campaign},
		"kind=direct":                         {Kind: source.Direct},
		"referrer=*.google.*":                 {Kind: source.Search, Source: "google"},
		"kind=search referrer=*.google.*":     {Kind: source.Search, Source: "google"},
		"referrer=forum.example":              {Kind: source.Referral, Source: "forum.example"},
		"landing=/sale*":                      {Kind: source.Campaign, Campaign: "/sale"},
	} {
		require.Equal(t, want, campaignOf(conditions), conditions)
	}
}
