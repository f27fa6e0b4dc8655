-- Where those who read the journal by name have come to, and which node does it
-- for them: "owner" may, until "expires_at". "seen_at" is when there last was one.

-- +goose Up
CREATE TABLE journal_readers (
	name       TEXT PRIMARY KEY,
	tx         BIGINT NOT NULL,
	seq        BIGINT NOT NULL,
	owner      TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL
);
