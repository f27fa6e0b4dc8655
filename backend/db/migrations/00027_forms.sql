-- What speaks against a lead; and the forms that visitors send, by the names of their fields.

-- +goose Up

-- Words, with commas between them. The hash of a message that is long enough to be nobody else's finds
-- others with the same; 0 for none.
ALTER TABLE leads ADD COLUMN marks TEXT NOT NULL DEFAULT '';
ALTER TABLE leads ADD COLUMN message_hash BIGINT NOT NULL DEFAULT 0;
CREATE INDEX leads_of_message ON leads (site_id, message_hash, at) WHERE message_hash <> 0;

-- A form by where it is sent to. "fields" are the names of its fields, as a JSON array. "untold" is how
-- often a kept one has failed since the journal told of it, at "told_at", and "status" the last answer.
CREATE TABLE forms (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	fields  TEXT NOT NULL,
	at      BIGINT NOT NULL,
	status  BIGINT NOT NULL DEFAULT 0,
	untold  BIGINT NOT NULL DEFAULT 0,
	told    BIGINT NOT NULL DEFAULT 0,
	told_at BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (site_id, path)
);
CREATE INDEX forms_untold ON forms (told_at) WHERE untold > 0;

-- How a site has answered a form, by day.
CREATE TABLE form_answers (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	day     BIGINT NOT NULL,
	status  BIGINT NOT NULL,
	times   BIGINT NOT NULL,
	PRIMARY KEY (site_id, path, day, status)
);
CREATE INDEX form_answers_failed ON form_answers (day, site_id) WHERE status >= 400;
