-- What belongs to the installation, not to one of its sites.

-- +goose Up
CREATE TABLE secrets (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
);

-- Numbers below "next" have been given out to nodes.
CREATE TABLE sequences (
	name TEXT PRIMARY KEY,
	next BIGINT NOT NULL
);
