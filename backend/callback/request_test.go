package callback_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestReadRequest(t *testing.T) {
	in := noon.Add(time.Hour)
	for object, expected := range map[string]request.Request{
		`{"phone":"8 912 345-67-89"}`:                                                         {Phone: "8 912 345-67-89"},
		`{"phone":79123456789,"group_id":"","delayed_call_time":""}`:                          {Phone: "79123456789"},
		`{"phone":"1","group_id":null,"delayed_call_time":null,"captcha_key":null}`:           {Phone: "1"},
		`{"phone":"1","group_id":"12","delayed_call_time":0}`:                                 {Phone: "1", GroupID: 12},
		`{"phone":"1","group_id":12,"delayed_call_time":"-5"}`:                                {Phone: "1", GroupID: 12},
		`{"phone":"1","group_id":"sales","more":{}}`:                                          {Phone: "1"},
		`{"phone":"1","captcha_key":"K","captcha_value":1234}`:                                {Phone: "1", CaptchaKey: "K", CaptchaValue: "1234"},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":%d}`, in.UnixMilli()):                   {Phone: "1", Time: in},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":"%d"}`, in.UnixMilli()):                 {Phone: "1", Time: in},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":%.12e}`, float64(in.UnixMilli())):       {Phone: "1", Time: in},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":%d}`, noon.Add(-1).UnixMilli()):         {Phone: "1"},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":%d}`, noon.Unix()):                      {Phone: "1"}, // seconds are long ago
		fmt.Sprintf(`{"phone":"1","delayed_call_time":"%d.0"}`, in.UnixMilli()):               {Phone: "1", Time: in},
		fmt.Sprintf(` {"phone":" 1 ","delayed_call_time":" %d "} `, in.UnixMilli()):           {Phone: "1", Time: in},
		fmt.Sprintf(`{"phone":"1","delayed_call_time":%d}`, in.AddDate(0, 0, 29).UnixMilli()): {Phone: "1", Time: in.AddDate(0, 0, 29)},
	} {
		got, err := request.Read([]byte(object), noon)
		require.NoError(t, err, object)
		require.True(t, expected.Time.Equal(got.Time), object)
		got.Time = expected.Time
		require.Equal(t, expected, got, object)
	}
	for object, code := range map[string]string{
		``: request.WrongRequest, `null`: request.WrongRequest, `[]`: request.WrongRequest, `"x"`: request.WrongRequest, `{`: request.WrongRequest,
		`{"phone":{}}`: request.WrongPhone, `{"phone":true}`: request.WrongPhone, `{"phone":"` + strings.Repeat("1", 1000) + `"}`: request.WrongPhone,
		`{"group_id":[1]}`: request.WrongGroup, `{"captcha_key":{}}`: request.WrongRequest,
		`{"delayed_call_time":"soon"}`: request.WrongTime, `{"delayed_call_time":"NaN"}`: request.WrongTime, `{"delayed_call_time":"Inf"}`: request.WrongTime,
		`{"delayed_call_time":1e300}`: request.WrongTime, `{"delayed_call_time":"0x10p5"}`: request.WrongTime, `{"delayed_call_time":true}`: request.WrongTime,
		fmt.Sprintf(`{"delayed_call_time":%d}`, noon.AddDate(1, 0, 0).UnixMilli()): request.WrongTime,
	} {
		_, err := request.Read([]byte(object), noon)
		wrong, is := err.(request.Wrong)
		require.True(t, is, object)
		require.Equal(t, code, wrong.Code, object)
		require.NotEmpty(t, wrong.Reason)
	}
}

func TestReadPhone(t *testing.T) {
	for written, expected := range map[string]string{
		"8 (912) 345-67-89": "79123456789", "+7 912 345 67 89": "79123456789", "79123456789": "79123456789", "9123456789": "79123456789",
		"8\u00a0912\u00a0345\u201167\u201189": "79123456789", "+49 30 12345678": "493012345678", "+1 (650) 253-0000": "16502530000",
	} {
		got, err := request.ReadPhone(written, "RU")
		require.NoError(t, err, written)
		require.Equal(t, expected, got, written)
	}
	for written, expected := range map[string]error{
		"": request.ErrPhone, "1": request.ErrPhone, "112": request.ErrPhone, "+7": request.ErrPhone, "8 912 345": request.ErrPhone, "0000000000": request.ErrPhone,
		"79123456789\n": request.ErrPhone, "\r\n79123456789": request.ErrPhone, "7912345\t6789": request.ErrPhone, "7912x456789": request.ErrPhone,
		"+7 912 345-67-89 доб. 5": request.ErrPhone, "79123456789;ext=5": request.ErrPhone, "tel:79123456789": request.ErrPhone, "79123456789,,1": request.ErrPhone, "*100#": request.ErrPhone,
		"٧٩١٢٣٤٥٦٧٨٩": request.ErrPhone, "７９１２３４５６７８９": request.ErrPhone,
		"8 809 555-11-22": request.ErrType, "8 800 555-35-35": request.ErrType, "+44 909 8790000": request.ErrType,
	} {
		_, err := request.ReadPhone(written, "RU")
		require.ErrorIs(t, err, expected, "%q", written)
	}
}

func FuzzReadRequest(f *testing.F) {
	for _, seed := range []string{`{"phone":"8 912 345-67-89","group_id":"1","delayed_call_time":"1790000000000"}`, `{"phone":1,"captcha_key":"K","captcha_value":1234}`, `{"delayed_call_time":1e300}`, `{"delayed_call_time":1795348800000.5}`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var r request.Request
		var err error
		stepstest.Hold(t, len(object), func() { r, err = request.Read(object, noon) })
		if err != nil {
			if _, is := err.(request.Wrong); !is {
				t.Fatalf("%v", err)
			}
			return
		}
		require.True(t, r.Time.IsZero() || r.Time.After(noon) && r.Time.Sub(noon) <= request.Ahead)
		require.GreaterOrEqual(t, r.GroupID, int64(0))
		require.LessOrEqual(t, len(r.Phone), 200)
		_, err = json.Marshal(r)
		require.NoError(t, err)
	})
}

func FuzzReadPhone(f *testing.F) {
	for _, seed := range []string{"8 (912) 345-67-89", "+49 30 12345678", "112", "7\n9", "+44 909 8790000", "4920100000000000"} {
		f.Add(seed, "RU")
	}
	f.Fuzz(func(t *testing.T, written, region string) {
		var digits string
		var err error
		stepstest.Hold(t, len(written)+len(region), func() { digits, err = request.ReadPhone(written, region) })
		if err != nil {
			require.Empty(t, digits)
			return
		}
		require.Regexp(t, `^[1-9][0-9]{5,14}$`, digits)
		again, err := request.ReadPhone("+"+digits, "")
		require.NoError(t, err)
		require.Equal(t, digits, again)
	})
}

func TestLimitsOfADay(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		other := func(a *callback.Asked) { a.Ref = o.visit() }
		later := func(n int) {
			for range n {
				o.pass(10 * time.Minute)
			}
		}
		for range 5 {
			later(1)
			require.Equal(t, callback.Sent, o.ask(number(1), site, other).Status)
			o.tell("ended", "talked")
		}
		later(1)
		require.Equal(t, callback.Result{Status: callback.TooMany, Code: callback.LimitPhone}, o.ask(number(1), site, other))
		require.Equal(t, callback.LimitPhone, o.ask(number(1), site, func(a *callback.Asked) { a.SiteID = 8; a.Ref = o.visit() }).Code, "at another site too")
		for n := range 10 {
			later(1)
			require.Equal(t, callback.Sent, o.ask(number(10+n), site).Status)
		}
		later(1)
		require.Equal(t, callback.LimitVisitor, o.ask(number(30), site).Code)
		s := site
		s.PerDay = 16
		require.Equal(t, callback.Sent, o.ask(number(31), s, other).Status)
		require.Equal(t, callback.LimitDay, o.ask(number(32), s, other).Code)
		o.pass(25 * time.Hour)
		require.Equal(t, callback.Sent, o.ask(number(1), s).Status)
	})
}

// One network cannot use up what all visitors of a site have, on whichever node it asks.
func TestANetworkHasAPartOfTheDay(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		second := open(t, o.db)
		asked := 0
		ask := func(network string, change ...func(*callback.Asked)) callback.Result {
			at := []*office{o, second}[asked%2]
			asked++
			for _, node := range []*office{o, second} {
				node.pass(7 * time.Second)
			}
			return at.ask(number(asked), site, append(change, func(a *callback.Asked) { a.Ref, a.Network, a.ID = at.visit(), network, fmt.Sprint("asked ", asked) })...)
		}
		limited := callback.Result{Status: callback.TooMany, Code: callback.LimitNetwork}
		for range 20 { // a tenth of 200
			require.Equal(t, callback.Sent, ask("192.0.2.0/24").Status)
		}
		for range 3 {
			require.Equal(t, limited, ask("192.0.2.0/24"))
		}
		require.Equal(t, callback.Sent, ask("198.51.100.0/24").Status)
		require.Equal(t, callback.Sent, ask("192.0.2.0/24", func(a *callback.Asked) { a.SiteID = 8 }).Status, "at another site")
		for range 20 {
			require.Equal(t, callback.Sent, ask("").Status, "a network that is not known")
		}
		stored, err := db.List(t.Context(), o.db.Read(), db.Only[string], `SELECT network FROM callback_networks`)
		require.NoError(t, err)
		require.NotContains(t, strings.Join(stored, " "), "192.0", "no network is stored")

		o.pass(24*time.Hour + time.Minute)
		second.pass(24*time.Hour + time.Minute)
		require.Equal(t, callback.Sent, ask("192.0.2.0/24").Status)
		left := func() int {
			n, _, err := db.One(t.Context(), o.db.Read(), db.Only[int], `SELECT COUNT(*) FROM callback_networks`)
			require.NoError(t, err)
			return n
		}
		require.Equal(t, 2, left(), "the one of now, and that of the other site")
		require.NoError(t, o.Prune(t.Context()))
		require.Equal(t, 1, left())
		s := site
		s.PerDay = 5
		for _, expected := range []int{callback.Sent, callback.Sent, callback.TooMany} { // three at the least
			o.pass(7 * time.Second)
			asked++
			require.Equal(t, expected, o.ask(number(asked), s, func(a *callback.Asked) { a.Ref, a.Network = o.visit(), "192.0.2.0/24" }).Status)
		}
	})
}

// A captcha is good for the visitor who has asked for it, with the proof that it wants. What is sent without these does
// not use it up.
func TestCaptchaOfAVisitor(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		key, err := o.captchas.Issue(t.Context(), shop, int64(o.visitor.Visitor), 1)
		require.NoError(t, err)
		digits, _, err := db.One(t.Context(), o.db.Read(), db.Only[string], `SELECT digits FROM captchas WHERE key = $1`, key)
		require.NoError(t, err)
		puzzle, proof := o.captchas.PuzzleOf(shop, key), 0
		for ; ; proof++ {
			if sum := sha256.Sum256(fmt.Append(nil, puzzle.Salt, proof)); hex.EncodeToString(sum[:]) == puzzle.Sum {
				break
			}
		}
		s := site
		s.Captcha = new(true)
		ask := func(change func(*callback.Asked)) callback.Result {
			return o.ask(number(1), s, func(a *callback.Asked) {
				a.CaptchaKey, a.CaptchaValue, a.Proof = key, digits, fmt.Sprint(proof)
				change(a)
			})
		}
		wrong := callback.Result{Status: callback.CaptchaWrong, Code: callback.CodeCaptcha}
		require.Equal(t, wrong, ask(func(a *callback.Asked) { a.Ref = o.visit() }))
		require.Equal(t, wrong, ask(func(a *callback.Asked) { a.Proof = "" }))
		require.Equal(t, wrong, ask(func(a *callback.Asked) { a.Proof = fmt.Sprint(proof + 1) }))
		require.Equal(t, callback.Sent, ask(func(*callback.Asked) {}).Status)
		require.Equal(t, wrong, ask(func(*callback.Asked) {}), "it is used up")
	})
}

// Of many at once, from several nodes, no more than the limit get through.
func TestLimitHoldsForManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		results := make(chan callback.Result)
		refs := make([]callback.Asked, callback.PerMinute+6)
		for n := range refs {
			refs[n] = callback.Asked{Request: request.Request{Phone: number(n)}, SiteID: shop, Ref: o.visit(), ID: fmt.Sprint("many", n), Region: "RU"}
		}
		second := open(t, o.db)
		second.diallers = o.diallers
		for n, a := range refs {
			go func() {
				from := o
				if n%2 == 1 {
					from = second
				}
				result, err := from.Order(t.Context(), a, site)
				if err != nil {
					result.Status = -1
				}
				results <- result
			}()
		}
		sent := 0
		for range refs {
			switch r := <-results; r.Status {
			case callback.Sent:
				sent++
			default:
				require.Equal(t, callback.TooMany, r.Status)
			}
		}
		require.Equal(t, callback.PerMinute, sent)
		require.Len(t, o.pbx.orders(), callback.PerMinute)
	})
}

func TestGroupIsCalledInItsHours(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		actor := operator.Actor{By: "ann", Sites: everySite}
		keep := func(g group.Group) group.Group {
			g.SiteID, g.Routing = shop, group.ToAll
			kept, err := o.groups.Keep(t.Context(), actor, g)
			require.NoError(t, err)
			return kept
		}
		always := keep(group.Group{Name: "Sales", Phone: "74950000001"})
		var hours group.Hours
		tomorrow := time.Now().UTC().Add(48 * time.Hour)
		hours[tomorrow.Weekday()] = []group.Span{{From: 9 * 60, To: 10 * 60}}
		closed := keep(group.Group{Name: "Service", Phone: "74950000002", Hours: hours})
		in := func(id int64) func(*callback.Asked) { return func(a *callback.Asked) { a.GroupID = id } }

		require.Equal(t, callback.CodeSent, o.ask(number(1), site, in(always.ID)).Code)
		require.Equal(t, "74950000001", o.last().Operator)
		require.Equal(t, callback.Result{Status: callback.Sent, Code: callback.CodeLater}, o.ask(number(2), site, in(closed.ID)))
		waits := o.last()
		require.Equal(t, callback.Waiting, waits.State)
		require.Equal(t, "74950000002", waits.Operator)
		opens := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 9, 0, 0, 0, time.UTC)
		require.True(t, opens.Equal(waits.DueAt), "%v instead of %v", waits.DueAt, opens)
		require.Equal(t, callback.CodeSent, o.ask(number(3), site, in(12345)).Code, "one that is not known")
		require.Equal(t, "74951234567", o.last().Operator)
		require.Equal(t, callback.CodeSent, o.ask(number(4), callback.Settings{}).Code, "without a number of the site's")
		require.Equal(t, "74950000001", o.last().Operator, "the one that works now")
	})
}

func TestByHand(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		made, result, err := o.Make(t.Context(), callback.By{SiteID: shop, Login: "ann", Phone: "8 912 345-67-89", Region: "RU"}, site)
		require.NoError(t, err)
		require.Equal(t, callback.Sent, result.Status)
		require.ErrorIs(t, o.Postpone(t.Context(), shop, made.ID, o.now().Add(time.Hour), "ann"), callback.ErrState, "it is being called")
		_, err = o.Call(t.Context(), shop, made.ID, "ann", site)
		require.ErrorIs(t, err, callback.ErrState)
		require.NoError(t, o.Close(t.Context(), shop, made.ID, "ann"))
		require.Equal(t, callback.Closed, o.last().State)
		require.ErrorIs(t, o.Close(t.Context(), shop, made.ID, "ann"), callback.ErrState)
		o.tell("talking")
		require.Equal(t, callback.Closed, o.last().State)

		require.NoError(t, o.Postpone(t.Context(), shop, made.ID, o.now().Add(time.Hour), "bob"))
		require.ErrorIs(t, o.Postpone(t.Context(), shop, made.ID, o.now().AddDate(1, 0, 0), "bob"), callback.ErrTime)
		require.ErrorIs(t, o.Postpone(t.Context(), shop, made.ID, o.now(), "bob"), callback.ErrTime)
		require.ErrorIs(t, o.Postpone(t.Context(), 8, made.ID, o.now().Add(time.Hour), "bob"), callback.ErrUnknown)
		o.look()
		require.Len(t, o.pbx.orders(), 1)
		o.pass(time.Hour + time.Second)
		o.look()
		require.Len(t, o.pbx.orders(), 2)
		require.Equal(t, []string{"asked", "placed", "closed", "talking", "postponed", "placed"}, o.kinds(made.ID))
		for _, wrong := range []callback.By{{Phone: "112"}, {Phone: "8 809 555-11-22"}, {Phone: "8 912 345-67-89", Time: o.now().AddDate(1, 0, 0)}} {
			wrong.SiteID, wrong.Region = shop, "RU"
			_, _, err := o.Make(t.Context(), wrong, site)
			require.Error(t, err)
		}
		require.Len(t, o.all(), 1)
	})
}
