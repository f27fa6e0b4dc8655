-- +goose Up

-- Who has had a person erased, when, and how many rows that were. The person is known by a
-- keyed hash alone. "ended_at" is 0 while it goes on.
CREATE TABLE erasures (
	id       BIGINT PRIMARY KEY,
	sites    TEXT NOT NULL,
	asked_by TEXT NOT NULL,
	person   TEXT NOT NULL,
	asked_at BIGINT NOT NULL,
	ended_at BIGINT NOT NULL,
	erased   BIGINT NOT NULL
);

-- By what the person of an erasure is known that has not ended.
CREATE TABLE erasure_marks (
	erasure_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	text       TEXT NOT NULL,
	PRIMARY KEY (erasure_id, kind, site_id, id, text)
);

-- Numbers and addresses of persons that were erased, as keyed hashes: what they sent before
-- "at" and has waited since is not stored any more.
CREATE TABLE erased_contacts (
	hash TEXT NOT NULL PRIMARY KEY,
	at   BIGINT NOT NULL
);

-- Which node does what one node does at a time.
CREATE TABLE duties (
	name       TEXT NOT NULL PRIMARY KEY,
	owner      TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);

-- By what persons are looked for.
CREATE INDEX contacts_of_value ON contacts (lower(value));
CREATE INDEX leads_by_phone ON leads (phone_digits);
CREATE INDEX leads_by_email ON leads (lower(email));
CREATE INDEX lead_deliveries_of_lead ON lead_deliveries (site_id, lead_id);
CREATE INDEX calls_from ON calls (caller);
CREATE INDEX call_places_of_call ON call_places (site_id, id);
CREATE INDEX journal_of_persons ON journal (site_id, subject_id)
	WHERE (kind >= 'lead.' AND kind < 'lead/' OR kind >= 'call.' AND kind < 'call/');

-- What is older than it is to be kept.
CREATE INDEX sessions_of_bots ON sessions (last_at) WHERE bot;
