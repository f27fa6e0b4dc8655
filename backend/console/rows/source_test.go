package rows

import (
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
