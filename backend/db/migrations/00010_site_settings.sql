-- What has been set for a site above its configuration, as a JSON object, and how
-- often it has been changed: a change names the version that it was made from.

-- +goose Up
ALTER TABLE sites ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sites ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
