-- The open pages of visitors: each counts as being there until "until". A page is
-- known by the hit that it has last spoken for.

-- +goose Up
CREATE TABLE presences (
	site_id    BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	hit_id     BIGINT NOT NULL,
	until      BIGINT NOT NULL,
	PRIMARY KEY (site_id, session_id, hit_id)
);
CREATE INDEX presences_until ON presences (until);
