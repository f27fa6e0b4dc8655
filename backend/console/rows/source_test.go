package rows

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBrandsKeepTheirLetters(t *testing.T) {
	for name, wanted := range map[string]string{
		"google": "Google", "яндекс": "Яндекс", "éclair": "Éclair", "vk": "VK", "news.example": "news.example", "搜狗": "搜狗", "": "", "\xffbroken": "\xffbroken", "ß": "ß",
	} {
		require.Equal(t, wanted, brand(name), name)
	}
}
