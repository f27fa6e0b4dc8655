-- The numbers that configurations have for sites. "replaces" is empty for a number
-- that is printed on pages; for a tracking number it is the printed one.

-- +goose Up
CREATE TABLE number_declarations (
	site_id  BIGINT NOT NULL,
	digits   TEXT NOT NULL,
	replaces TEXT NOT NULL,
	declarer TEXT NOT NULL,
	place    BIGINT NOT NULL,
	PRIMARY KEY (site_id, digits, replaces, declarer)
);
CREATE INDEX number_declarations_of ON number_declarations (declarer);

-- All that have ever been declared. "retired_at" is when the last declaration
-- ended; 0 while there is one.
CREATE TABLE declared_numbers (
	site_id    BIGINT NOT NULL,
	digits     TEXT NOT NULL,
	replaces   TEXT NOT NULL,
	first_at   BIGINT NOT NULL,
	retired_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, digits, replaces)
);
