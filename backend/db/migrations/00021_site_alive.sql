-- Since when a site is retired; 0 while it is served. And what became of each site's
-- pages, by day (UTC, counted from 1970).

-- +goose Up
ALTER TABLE sites ADD COLUMN retired_at BIGINT NOT NULL DEFAULT 0;
CREATE TABLE site_pages (
	site_id BIGINT NOT NULL,
	day     BIGINT NOT NULL,
	outcome TEXT NOT NULL,
	pages   BIGINT NOT NULL,
	last_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, outcome)
);
