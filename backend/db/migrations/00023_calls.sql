-- Telephone calls, and what has been found out about who called. Times are those of the
-- call, but "told_at", when it was heard of last; seconds that nobody has told are -1.
-- "start_told" says that the time of the start was told, and is no conclusion. Visitors
-- and sessions are in public form, as in leads. A call to a number of no site is of site 0.

-- +goose Up
CREATE TABLE calls (
	site_id     BIGINT NOT NULL,
	id          BIGINT NOT NULL,
	platform    TEXT NOT NULL,
	call_id     TEXT NOT NULL,
	called      TEXT NOT NULL,
	caller      TEXT NOT NULL,
	started_at  BIGINT NOT NULL,
	start_told  BOOLEAN NOT NULL,
	answered_at BIGINT NOT NULL,
	ended_at    BIGINT NOT NULL,
	status      TEXT NOT NULL,
	talk        BIGINT NOT NULL,
	wait        BIGINT NOT NULL,
	recording   TEXT NOT NULL,
	price       TEXT NOT NULL,
	currency    TEXT NOT NULL,
	notes       TEXT NOT NULL,
	told_at     BIGINT NOT NULL,
	reason      TEXT NOT NULL,
	confidence  TEXT NOT NULL,
	replaces    TEXT NOT NULL,
	conditions  TEXT NOT NULL,
	visitor_id  BIGINT NOT NULL,
	session_id  BIGINT NOT NULL,
	source_kind          TEXT NOT NULL,
	source_name          TEXT NOT NULL,
	source_medium        TEXT NOT NULL,
	source_campaign      TEXT NOT NULL,
	source_term          TEXT NOT NULL,
	source_content       TEXT NOT NULL,
	source_click_id_name TEXT NOT NULL,
	source_click_id      TEXT NOT NULL,
	source_referrer      TEXT NOT NULL,
	source_landing       TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX calls_newest ON calls (started_at, id);
CREATE INDEX calls_of_site ON calls (site_id, started_at, id);
CREATE INDEX calls_of_visitor ON calls (site_id, visitor_id, started_at, id) WHERE visitor_id <> 0;
CREATE INDEX calls_of_caller ON calls (site_id, caller, started_at) WHERE caller <> '';

-- Where each call stands, by what its platform calls it. Only by this can be told which
-- site a call is of: it does not lead with the site.
CREATE TABLE call_places (
	platform TEXT NOT NULL,
	call_id  TEXT NOT NULL,
	site_id  BIGINT NOT NULL,
	id       BIGINT NOT NULL,
	PRIMARY KEY (platform, call_id)
);

-- Whose a number is: the caller's among visitors, the called one among sites.
CREATE INDEX contacts_of_phone ON contacts (site_id, value) WHERE kind = 'phone';
CREATE INDEX declared_numbers_of ON declared_numbers (digits);

-- For which visitors a configuration has a tracking number.
ALTER TABLE number_declarations ADD COLUMN conditions TEXT NOT NULL DEFAULT '';
