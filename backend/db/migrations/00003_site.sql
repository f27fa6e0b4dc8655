-- The sites that the service works for.

-- +goose Up
CREATE TABLE sites (
	id         BIGINT PRIMARY KEY,
	key        TEXT NOT NULL UNIQUE,
	created_at BIGINT NOT NULL
);
