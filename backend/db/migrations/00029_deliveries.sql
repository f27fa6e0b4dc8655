-- Where the news of a site goes: "address" is the URL of a webhook or an address of
-- mail. "begun" is 1 once the reader of the journal has come to where it was added:
-- what was before is not sent there. "gone" is 1 when the receiver has said so.

-- +goose Up
CREATE TABLE endpoints (
	site_id        BIGINT NOT NULL,
	id             BIGINT NOT NULL,
	kind           TEXT NOT NULL,
	address        TEXT NOT NULL,
	events         TEXT NOT NULL,
	language       TEXT NOT NULL,
	subject        TEXT NOT NULL,
	template       TEXT NOT NULL,
	content_type   TEXT NOT NULL,
	secret         TEXT NOT NULL,
	earlier_secret TEXT NOT NULL,
	earlier_until  BIGINT NOT NULL,
	version        BIGINT NOT NULL,
	created_at     BIGINT NOT NULL,
	begun          BIGINT NOT NULL,
	paused_at      BIGINT NOT NULL,
	gone           BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);

-- What was sent to an endpoint, or is to be. "entry" is the number of the journal's
-- entry, "subject_id" the lead or call, and "data" what else the entry said, of which
-- nothing names a person: who it is about is read when it is sent.
CREATE TABLE deliveries (
	site_id     BIGINT NOT NULL,
	endpoint_id BIGINT NOT NULL,
	entry       BIGINT NOT NULL,
	event       TEXT NOT NULL,
	subject_id  BIGINT NOT NULL,
	data        TEXT NOT NULL,
	at          BIGINT NOT NULL,
	noted_at    BIGINT NOT NULL,
	state       TEXT NOT NULL,
	attempts    BIGINT NOT NULL,
	status      BIGINT NOT NULL,
	reason      TEXT NOT NULL,
	detail      TEXT NOT NULL,
	tried_at    BIGINT NOT NULL,
	PRIMARY KEY (site_id, endpoint_id, entry)
);
CREATE INDEX deliveries_newest ON deliveries (site_id, entry);
CREATE INDEX deliveries_of_state ON deliveries (site_id, state, entry);
CREATE INDEX deliveries_oldest ON deliveries (noted_at);
CREATE INDEX deliveries_held ON deliveries (entry) WHERE state = 'held';
