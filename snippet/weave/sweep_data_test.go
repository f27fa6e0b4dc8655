package weave

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dataPieces are parts of frameworks' data, and of the text around numbers in them.
var dataPieces = append(strings.Split(`+7 (495) 123-45-67~8 495 1234567~84951234567~020 7946 0018~\u002B7495~\\u002B7 495\u00a0~\u00384951234567~\u0034\u0039\u0035~123~-45-67~8~ ~(~+~order ~order&nbsp;~&nbsp;~&#52;95~&#~;~&~
",~":"~{"a":~\"~\\\"~\\~\n~\\n~\u003cp\u003e~\ud83d\ude00~a~price 1 234,50 ~"id":12345,~"price":67890,"old":98765,~2026-11-21T10:20:30Z~Заказ № ~заказ ~\u0437\u0430\u043a\u0430\u0437 ~é~８４９５~１~:T~:~T2f,~:T400,~14:T21,~14:T5f,~[1,2,3,4,5,6,7,8,9],~                    ~
"children\":\"the lamp on a table gives warm light and costs less than you would think, we deliver\"~"title":"a reading lamp of brass, with a switch and a cord that is long enough","image":"/lamps.webp",~
the lamp on a table gives warm light and costs less than you would think we deliver to every town and order`, "~"), strings.Repeat(" ", 130), strings.Repeat("long ", 30),
	`8\n495\n123\n45\n67`, `\u0038\u0034\u0039\u0035\u0031\u0032\u0033\u0034\u0035\u0036\u0037`, "order 84951234567", `order&#58; \n 84951234567`, "(order:"+strings.Repeat(" ", 40)+"84951234567", "order +"+strings.Repeat(" ", 60)+"7 4951234567",
	"order ("+strings.Repeat("&nbsp;", 8)+"8495) 1234567", "заказ:     84951234567", "order 5 84951234567")

func generatedData(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(40) {
		b.WriteString(dataPieces[r.IntN(len(dataPieces))])
		if r.IntN(4) == 0 {
			b.WriteString(strings.Repeat("a lamp ", r.IntN(40)))
		}
	}
	return b.Bytes()
}

// checkData compares swept data with data that is read byte by byte, in a page and alone, with a cut.
func checkData(t *testing.T, quick, patient *PairReplacer, data []byte, cut int) {
	replaced := func(z *PairReplacer, data []byte, cut int) string {
		out := z.Append(nil, append([]byte(nil), data[:cut]...))
		return string(z.Finish(z.Append(out, append([]byte(nil), data[cut:]...))))
	}
	cut = max(cut, 0)
	for _, z := range []*PairReplacer{quick, patient} {
		z.ResetData(z.shown)
	}
	require.Equal(t, replaced(patient, data, 0), replaced(quick, data, cut%(len(data)+1)), "%q", data)
	for _, begin := range []string{`<script id=__NEXT_DATA__>`, `<script>self.__next_f.push([1,"`} {
		page := []byte(begin + string(data) + "</script>" + begin + string(data) + "</script><p>8 495 123-45-67")
		cut := cut % (len(page) + 1)
		require.Equal(t, string(replaceAll(patient, nil, page)), string(replaceAll(quick, nil, page[:cut], page[cut:])), "%q", page)
	}
}

func TestSweptData(t *testing.T) {
	quick, _, patient := newTrio(t)
	r := rand.New(rand.NewPCG(15, 16))
	for range 5000 {
		checkData(t, quick, patient, generatedData(r), r.Int())
	}
}

func FuzzData(f *testing.F) {
	quick, _, patient := newTrio(f)
	r := rand.New(rand.NewPCG(17, 18))
	for range 50 {
		f.Add(generatedData(r), 7)
	}
	for _, separators := range []int{129, 258, 387, 1000} {
		f.Add([]byte(strings.Repeat("(", separators)+"8 495) 123-45-67"+strings.Repeat(" a", 40)), 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) { checkData(t, quick, patient, data, cut) })
}

// Data without a number allocates nothing.
func TestSweptDataAllocateNothing(t *testing.T) {
	data := []byte(strings.Repeat(`{"id":12345,"title":"a lamp of brass","text":"\u003cp\u003ewith a cord"},`, 1000))
	quick, _, _ := newTrio(t)
	out := make([]byte, 0, 2*len(data))
	require.Zero(t, testing.AllocsPerRun(5, func() {
		quick.ResetData(quick.shown)
		out = quick.Finish(quick.Append(out[:0], data))
	}))
}
