package conversation

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// The events that say no more than whether an operator is there, or is typing.
var (
	cameEvent   = []byte("data: {\"online\":true}\n\n")
	goneEvent   = []byte("data: {\"online\":false}\n\n")
	typingEvent = []byte("data: {\"typing\":true}\n\n")
	noEvent     = []byte{}
)

// The events that say whether the node hears what happens. While it does not, the script asks beside the stream, which
// stays where it is: another node may answer.
var (
	lateEvent   = []byte("data: {\"late\":true}\n\n")
	inTimeEvent = []byte("data: {\"late\":false}\n\n")
)

// maxEvent is how many bytes an event has at most.
const maxEvent = 16 << 10

// eventsOf are the news as events, with as many messages in each as fit. They are nil when one message does not fit into
// an event. Then the stream ends, and the client asks for the message by v1/chat.
func eventsOf(news answer) (events []byte) {
	messages := news.Messages
	for first := true; first || len(messages) > 0; first = false {
		take, size := 0, 0
		for take < len(messages) {
			one, err := compact(messages[take])
			if err != nil {
				return nil
			}
			if size += len(one) + len(","); size > maxEvent-eventRest {
				break
			}
			take++
		}
		if take == 0 && len(messages) > 0 {
			return nil
		}
		news.Messages = messages[:take]
		data, err := compact(news)
		if err != nil || len(data) > maxEvent-eventRest/2 {
			return nil
		}
		if take > 0 {
			events = append(strconv.AppendInt(append(events, "id: "...), messages[take-1].Seq, 10), '\n')
		}
		events = append(append(append(events, "data: "...), data...), "\n\n"...)
		news, messages = answer{}, messages[take:]
	}
	return events
}

// eventRest is room in an event for what stands beside the messages: the conversation, the name of its operator, and the id.
const eventRest = 2 << 10

// compact is the value as JSON on one line, in which "<" takes one byte: what reads it is no page.
func compact(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
