-- What visitors are asked to read from a picture, until they answer or "until" has passed.

-- +goose Up
CREATE TABLE captchas (
	site_id BIGINT NOT NULL,
	key     TEXT NOT NULL,
	digits  TEXT NOT NULL,
	until   BIGINT NOT NULL,
	PRIMARY KEY (site_id, key)
);
CREATE INDEX captchas_until ON captchas (site_id, until);
