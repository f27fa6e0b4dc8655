package rows

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

func TestBrandsKeepTheirLetters(t *testing.T) {
	for name, wanted := range map[string]string{
		"google": "Google", "яндекс": "Яндекс", "éclair": "Éclair", "vk": "VK", "news.example": "news.example", "搜狗": "搜狗", "": "", "\xffbroken": "\xffbroken", "ß": "ß",
	} {
		require.Equal(t, wanted, brand(name), name)
	}
}

// A system has one name, however the visit tells of it. Other names of campaigns are the marketer's own.
func TestSourcesOfOneSystemHaveOneName(t *testing.T) {
	english := words.All(time.Now)[0]
	for query, name := range map[string]string{
		"gclid=x": "Google", "utm_source=google": "Google", "utm_source=Google&utm_medium=cpc": "Google", "utm_source=vk": "VK",
		"utm_source=spring_news": "spring_news", "utm_source=ya-direct&utm_medium=cpc": "ya-direct",
	} {
		require.Equal(t, name, SourceOf(english, source.Of("https://shop.example/?"+query, "", source.Own{})).Name, query)
	}
}

// What a tracking number stands for has the name of its campaign, and without one reads like a source.
func TestCampaignsOfNumbers(t *testing.T) {
	english := words.All(time.Now)[0]
	for conditions, name := range map[string]string{
		"Spring sale": "Spring sale", "utm_source=news*": "news", "utm_source=google utm_medium=cpc": "Google cpc", "kind=search referrer=*.google.*": "Search Google",
		"gclid": "gclid", "a=b": "a=b", "kind=ad": "Advertising", "utm_source=*": "utm_source",
	} {
		shown := campaignOf(english, conditions)
		require.Equal(t, name, strings.Join(append([]string{shown.Name}, shown.Details...), " "), conditions)
	}
	require.Nil(t, campaignOf(english, ""))
}
