-- Visitors, their sessions and page views, what they did and told.
-- Ids are the numbers as they were drawn, see package visit.

-- +goose Up
CREATE TABLE visitors (
	site_id  BIGINT NOT NULL,
	id       BIGINT NOT NULL,
	first_at BIGINT NOT NULL,
	last_at  BIGINT NOT NULL,
	name     TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);

-- url, title, nonce and last_hit_id are those of the last page view.
CREATE TABLE sessions (
	site_id     BIGINT NOT NULL,
	id          BIGINT NOT NULL,
	visitor_id  BIGINT NOT NULL,
	started_at  BIGINT NOT NULL,
	last_at     BIGINT NOT NULL,
	hits        BIGINT NOT NULL,
	last_hit_id BIGINT NOT NULL,
	nonce       TEXT NOT NULL,
	url         TEXT NOT NULL,
	title       TEXT NOT NULL,
	bot         BOOLEAN NOT NULL,
	user_agent  TEXT NOT NULL,
	language    TEXT NOT NULL,
	campaign    TEXT NOT NULL,
	source      TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX sessions_visitor ON sessions (site_id, visitor_id, started_at);
CREATE INDEX sessions_live ON sessions (last_at);

CREATE TABLE hits (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	url        TEXT NOT NULL,
	referrer   TEXT NOT NULL,
	title      TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX hits_session ON hits (site_id, session_id);

CREATE TABLE events (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	hit_id     BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	call_id    TEXT NOT NULL,
	category   TEXT NOT NULL,
	action     TEXT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, call_id)
);
CREATE INDEX events_session ON events (site_id, session_id);

-- A value of NULL is a flag.
CREATE TABLE properties (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, name)
);

-- kind is email or phone; value is the normal form, written is as it was written.
CREATE TABLE contacts (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	value      TEXT NOT NULL,
	written    TEXT NOT NULL,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, kind, value)
);
