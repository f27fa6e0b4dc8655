-- What the forms of pages say of their fields: names, kinds and labels. "markup" is JSON that the edge writes and reads,
-- "path" that of the pages, with * for what numbers something. Nothing of visitors is in it.

-- +goose Up
CREATE TABLE page_markups (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	at      BIGINT NOT NULL,
	markup  TEXT NOT NULL,
	PRIMARY KEY (site_id, path)
);
CREATE INDEX page_markups_of_time ON page_markups (at);
