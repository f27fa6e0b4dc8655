package column_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

func textsOf(texts ...string) (t column.Texts) {
	places := make(map[string]uint32)
	for _, text := range texts {
		t.Add(text, places)
	}
	return t
}

func rowsOf(t column.Texts) (texts []string) {
	for _, place := range t.Rows {
		texts = append(texts, t.Values[place])
	}
	return texts
}

func TestColumnsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, distinct := range []int{0, 1, 2, 3, 16, 17, 300, 70_000} {
		var texts []string
		var numbers []int64
		for i := range distinct * 3 / 2 {
			texts = append(texts, fmt.Sprint("/lamps/", i%distinct))
			numbers = append(numbers, random.Int64N(1<<40)-1<<39)
		}
		numbers = append(numbers, math.MaxInt64, math.MinInt64, 0)
		read, err := column.ReadTexts(textsOf(texts...).Append(nil))
		require.NoError(t, err)
		require.Equal(t, texts, rowsOf(read))
		back, err := column.ReadNumbers(column.AppendNumbers(nil, numbers))
		require.NoError(t, err)
		require.Equal(t, numbers, back)
	}
}

// A day of visits is small: a text that always stands there takes no place, one of four takes two bits.
func TestColumnsAreSmall(t *testing.T) {
	var same, four []string
	var rising []int64
	for i := range 1000 {
		same, four, rising = append(same, "desktop"), append(four, fmt.Sprint(i%4)), append(rising, int64(1_795_000_000+i*50))
	}
	require.Len(t, textsOf(same...).Append(nil), 1+1+7+2)
	require.Len(t, textsOf(four...).Append(nil), 1+4*2+2+250)
	require.Less(t, len(column.AppendNumbers(nil, rising)), 1010)
}

// Bytes of a foreign file are read in little memory, whatever they say.
func TestColumnsAreBounded(t *testing.T) {
	many := binary.AppendUvarint(nil, column.MaxRows+1)
	_, err := column.ReadNumbers(append(many, make([]byte, column.MaxRows+1)...))
	require.ErrorIs(t, err, column.ErrBroken)
	_, err = column.ReadTexts(append(many, make([]byte, column.MaxRows+2)...))
	require.ErrorIs(t, err, column.ErrBroken)
	all := binary.AppendUvarint(nil, column.MaxRows)
	numbers, err := column.ReadNumbers(append(all, make([]byte, column.MaxRows)...))
	require.NoError(t, err)
	require.Len(t, numbers, column.MaxRows)
	texts, err := column.ReadTexts(append(all, make([]byte, column.MaxRows+1)...))
	require.NoError(t, err)
	require.Len(t, texts.Values, column.MaxRows)
}

func FuzzRead(f *testing.F) {
	f.Add(textsOf("a", "b", "a", "", "c").Append(nil))
	f.Add(column.AppendNumbers(nil, []int64{5, -7, 1 << 60}))
	f.Add([]byte{1, 0, 0xff, 0xff, 0xff, 7}) // a column of more rows than it may have without a bit
	f.Fuzz(func(t *testing.T, b []byte) {
		if texts, err := column.ReadTexts(b); err == nil {
			for _, place := range texts.Rows {
				require.Less(t, int(place), len(texts.Values))
			}
		} else {
			require.Equal(t, column.ErrBroken, err)
		}
		if numbers, err := column.ReadNumbers(b); err == nil {
			back, err := column.ReadNumbers(column.AppendNumbers(nil, numbers))
			require.NoError(t, err)
			require.Equal(t, numbers, back)
		}
	})
}

func BenchmarkReadTexts(b *testing.B) {
	var texts []string
	for i := range 342 {
		texts = append(texts, fmt.Sprint("/lamps/", i%40))
	}
	content := textsOf(texts...).Append(nil)
	b.SetBytes(int64(len(texts)))
	for b.Loop() {
		if _, err := column.ReadTexts(content); err != nil {
			b.Fatal(err)
		}
	}
}
