-- The numbers of the sites' own pools. They do not lead with the site: a number is in one
-- pool, whichever site has it.

-- +goose Up
CREATE TABLE own_pool_numbers (
	digits  TEXT NOT NULL PRIMARY KEY,
	site_id BIGINT NOT NULL,
	pool    TEXT NOT NULL
);
CREATE INDEX own_pool_numbers_of_site ON own_pool_numbers (site_id);
