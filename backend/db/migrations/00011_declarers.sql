-- Whose configurations declare things, by name, and when each did last.

-- +goose Up
CREATE TABLE declarers (
	name    TEXT PRIMARY KEY,
	seen_at BIGINT NOT NULL
);
