package chat

import (
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Typed says that somebody is typing now. It is sent to the nodes and not stored.
type Typed struct {
	SiteID, ConversationID int64
	Visitor                visit.ID
	// By is Visitor or Operator.
	By Author
	// OperatorID is the operator who is typing; 0 for the visitor.
	OperatorID int64
}

// typingTopic is the beginning of the topics for typing.
const typingTopic = "chat.typing "

// Typing tells all nodes that somebody is typing in the conversation. It holds for some seconds and has to be repeated.
func (c *Chats) Typing(of Conversation, by Author, operatorID int64) {
	c.db.Wake(typingTopic + strings.Join([]string{
		decimal(of.SiteID), decimal(of.ID), decimal(int64(of.Visitor)), string(by), decimal(operatorID)}, " "))
}

// OnTyping calls heard when somebody types, on any node, until cancel is called. heard must not block.
func (c *Chats) OnTyping(heard func(Typed)) (cancel func()) {
	return c.db.Overhear(typingTopic, func(topic string) {
		if t, ok := parseTyping(topic); ok {
			heard(t)
		}
	})
}

func parseTyping(topic string) (t Typed, ok bool) {
	fields := strings.Split(strings.TrimPrefix(topic, typingTopic), " ")
	if len(fields) != 5 {
		return Typed{}, false
	}
	var numbers [4]int64
	for i, field := range []string{fields[0], fields[1], fields[2], fields[4]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Typed{}, false
		}
		numbers[i] = n
	}
	by := Author(fields[3])
	return Typed{numbers[0], numbers[1], visit.ID(numbers[2]), by, numbers[3]}, by == Visitor || by == Operator
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
