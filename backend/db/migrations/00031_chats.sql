-- Conversations of visitors with operators, one for each visitor of a site. Visitors and
-- sessions are in public form, as in leads. "seq" is the number of the last entry, and
-- "waiting_since" when the visitor wrote what nobody has answered yet, or 0. "lead_id" is
-- the lead that was made of it when nobody answered, or 0.

-- +goose Up
CREATE TABLE conversations (
	site_id       BIGINT NOT NULL,
	id            BIGINT NOT NULL,
	visitor_id    BIGINT NOT NULL,
	session_id    BIGINT NOT NULL,
	hit_id        BIGINT NOT NULL,
	group_id      BIGINT NOT NULL,
	state         TEXT NOT NULL,
	operator_id   BIGINT NOT NULL,
	seq           BIGINT NOT NULL,
	visitor_read  BIGINT NOT NULL,
	operator_read BIGINT NOT NULL,
	opened_at     BIGINT NOT NULL,
	waiting_since BIGINT NOT NULL,
	last_at       BIGINT NOT NULL,
	last_from     TEXT NOT NULL,
	banned        BOOLEAN NOT NULL,
	url           TEXT NOT NULL,
	language      TEXT NOT NULL,
	lead_id       BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX conversations_of_visitor ON conversations (site_id, visitor_id);
CREATE INDEX conversations_newest ON conversations (last_at, id);
CREATE INDEX conversations_of_site ON conversations (site_id, last_at, id);
CREATE INDEX conversations_of_state ON conversations (state, last_at, id) WHERE state <> 'closed';
CREATE INDEX conversations_of_lead ON conversations (site_id, lead_id) WHERE lead_id <> 0;

-- What was said, in order. A service message has a "code" by which each side words it, or
-- a text. Notes are the operators' own: no visitor sees them.
CREATE TABLE messages (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	seq             BIGINT NOT NULL,
	author          TEXT NOT NULL,
	operator_id     BIGINT NOT NULL,
	client_id       TEXT NOT NULL,
	code            TEXT NOT NULL,
	text            TEXT NOT NULL,
	file_id         BIGINT NOT NULL,
	at              BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, seq)
);
CREATE UNIQUE INDEX messages_once ON messages (site_id, conversation_id, client_id);

-- What was sent along. "content" is in base64, "type" what the content was found to be.
CREATE TABLE chat_files (
	site_id         BIGINT NOT NULL,
	id              BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	author          TEXT NOT NULL,
	name            TEXT NOT NULL,
	type            TEXT NOT NULL,
	size            BIGINT NOT NULL,
	at              BIGINT NOT NULL,
	content         TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX chat_files_of ON chat_files (site_id, conversation_id, at);
