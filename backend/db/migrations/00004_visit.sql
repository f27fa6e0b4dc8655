-- Visitors, their sessions and page views, and what is known of them. The ids
-- here are the numbers that were drawn, so that new rows lie next to each other;
-- package visit turns them into what everyone else sees.

-- +goose Up
-- "arrived" and "nonce" recognise the first view of a visitor without a cookie
-- when it is reported again; the time stands first so that the index, too, grows
-- at one end. "session_id" is the latest session; "marked"
-- tells that there are properties to ask for.
CREATE TABLE visitors (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	arrived    BIGINT NOT NULL,
	nonce      TEXT NOT NULL,
	first_at   BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	marked     BOOLEAN NOT NULL DEFAULT FALSE,
	name       TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX visitors_arriving ON visitors (site_id, arrived, nonce);

-- "hit_id" is the latest page view, "recent" recognises the latest few. "campaign"
-- is what tells one campaign from another, "source" the whole source as JSON.
CREATE TABLE sessions (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	started_at BIGINT NOT NULL,
	last_at    BIGINT NOT NULL,
	hits       BIGINT NOT NULL,
	hit_id     BIGINT NOT NULL,
	recent     TEXT NOT NULL,
	campaign   TEXT NOT NULL,
	bot        BOOLEAN NOT NULL,
	user_agent TEXT NOT NULL,
	language   TEXT NOT NULL,
	source     TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX sessions_of_visitor ON sessions (site_id, visitor_id, started_at);
CREATE INDEX sessions_live ON sessions (last_at) WHERE NOT bot;

CREATE TABLE hits (
	site_id    BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	url        TEXT NOT NULL,
	referrer   TEXT NOT NULL,
	title      TEXT NOT NULL,
	PRIMARY KEY (site_id, session_id, id)
);

CREATE TABLE events (
	site_id    BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	hit_id     BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	call_id    TEXT NOT NULL,
	category   TEXT NOT NULL,
	action     TEXT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	PRIMARY KEY (site_id, session_id, id)
);
CREATE UNIQUE INDEX events_once ON events (site_id, session_id, call_id);

-- A property without a value is a flag.
CREATE TABLE properties (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, name)
);

-- "value" is what makes two writings the same, "written" the first of them.
CREATE TABLE contacts (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	value      TEXT NOT NULL,
	written    TEXT NOT NULL,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, kind, value)
);
