package telephony

import (
	"encoding/xml"
	"net/url"
	"strings"
)

// response is TwiML.
type response struct {
	XMLName xml.Name  `xml:"Response"`
	Reject  *struct{} `xml:"Reject"`
	Dial    *dial     `xml:"Dial"`
}

// dial connects a call. The caller hears ringing until somebody answers.
type dial struct {
	AnswerOnBridge bool   `xml:"answerOnBridge,attr"`
	Action         string `xml:"action,attr"` // where Twilio reports the result
	Number         leg    `xml:"Number"`
}

// leg is the number to dial.
type leg struct {
	StatusCallback      string `xml:"statusCallback,attr"`
	StatusCallbackEvent string `xml:"statusCallbackEvent,attr"`
	Digits              string `xml:",chardata"`
}

// Reply implements [Platform].
func (t *Twilio) Reply(r *Request, e Event, number string) Reply {
	var answer response
	if e.Connects {
		if number == "" {
			number = t.destination
		}
		if number == e.Called { // it would ring here again
			answer.Reject = new(struct{})
		} else {
			status := statusAddress(r.URL, e)
			answer.Dial = &dial{AnswerOnBridge: true, Action: status, Number: leg{status, "answered completed", "+" + number}}
		}
	}
	body, err := xml.Marshal(answer)
	if err != nil { // texts do not fail
		panic(err)
	}
	return Reply{"text/xml; charset=utf-8", append([]byte(xml.Header), body...)}
}

// statusAddress returns the address to which Twilio reports how the call goes on. It contains the call, in case its
// start could not be stored.
func statusAddress(voice string, e Event) string {
	u, err := url.Parse(voice)
	if err != nil {
		return ""
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, voiceRoute)+statusRoute, ""
	u.RawQuery = url.Values{"called": {e.Called}, "caller": {e.Caller}}.Encode()
	return u.String()
}
