-- Those who work in the console. They belong to the installation, not to one
-- of its sites.

-- +goose Up
CREATE TABLE operators (
	id            BIGINT PRIMARY KEY,
	login         TEXT NOT NULL UNIQUE,
	name          TEXT NOT NULL,
	role          TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	-- Grows when what a session stands on changes: the sessions of an earlier
	-- epoch are over.
	epoch         BIGINT NOT NULL,
	provisioned   BOOLEAN NOT NULL,
	disabled      BOOLEAN NOT NULL,
	away          BOOLEAN NOT NULL,
	language      TEXT NOT NULL,
	created_at    BIGINT NOT NULL
);

-- The token of the link by which the first account is made, until it is made.
CREATE TABLE operator_setup (
	id    BIGINT PRIMARY KEY,
	token TEXT NOT NULL
);

-- Sessions of the console by the hash of their token.
CREATE TABLE operator_sessions (
	token      TEXT PRIMARY KEY,
	data       TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX operator_sessions_expiring ON operator_sessions (expires_at);

-- A lease is held by an open stream of a console and ends on its own when it is
-- not renewed.
CREATE TABLE operator_leases (
	id          TEXT PRIMARY KEY,
	operator_id BIGINT NOT NULL,
	expires_at  BIGINT NOT NULL
);
CREATE INDEX operator_leases_expiring ON operator_leases (expires_at);
