-- The telephone numbers that the sites' own pages show, as far as pages have been
-- looked at.

-- +goose Up
CREATE TABLE shown_numbers (
	site_id  BIGINT NOT NULL,
	digits   TEXT NOT NULL,
	first_at BIGINT NOT NULL,
	last_at  BIGINT NOT NULL,
	PRIMARY KEY (site_id, digits)
);

-- On which pages, by their paths, and in which writings: a list as JSON.
CREATE TABLE shown_pages (
	site_id  BIGINT NOT NULL,
	path     TEXT NOT NULL,
	digits   TEXT NOT NULL,
	writings TEXT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (site_id, path, digits)
);
CREATE INDEX shown_pages_newest ON shown_pages (site_id, digits, at);
