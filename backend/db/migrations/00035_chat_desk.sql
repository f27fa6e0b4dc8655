-- To whom a waiting conversation is offered, until when, and to whom it has been since it
-- began to wait: "tried" are operators, with a comma around each. operator_id 0 is all.

-- +goose Up
CREATE TABLE chat_offers (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	operator_id     BIGINT NOT NULL,
	until           BIGINT NOT NULL,
	tried           TEXT NOT NULL,
	PRIMARY KEY (site_id, conversation_id)
);

-- When an operator was last offered a conversation.
CREATE TABLE chat_turns (
	site_id     BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	at          BIGINT NOT NULL,
	PRIMARY KEY (site_id, operator_id)
);

-- What operators of a site say often, by a short word. "place" is its key, 1 to 9, or 0.
CREATE TABLE chat_replies (
	site_id BIGINT NOT NULL,
	id      BIGINT NOT NULL,
	word    TEXT NOT NULL,
	place   BIGINT NOT NULL,
	text    TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
