-- The tracking numbers of pools, each with the lease that it has, or had last. A lease
-- counts until "until"; a number that was never leased has a visitor of 0. They do not
-- lead with the site, since a number is one for all sites that share its pool.

-- +goose Up
CREATE TABLE pool_numbers (
	digits     TEXT NOT NULL PRIMARY KEY,
	pool       TEXT NOT NULL,
	lease_id   BIGINT NOT NULL,
	site_id    BIGINT NOT NULL,
	replaces   TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	begun_at   BIGINT NOT NULL,
	until      BIGINT NOT NULL,
	hold       BIGINT NOT NULL
);
-- A visitor has one number for each that is printed.
CREATE UNIQUE INDEX pool_numbers_of_visitor ON pool_numbers (site_id, visitor_id, replaces) WHERE visitor_id <> 0;
CREATE INDEX pool_numbers_of_session ON pool_numbers (site_id, session_id);

-- The leases that have ended, and those of numbers that several visitors share.
CREATE TABLE leases (
	digits     TEXT NOT NULL,
	begun_at   BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	site_id    BIGINT NOT NULL,
	replaces   TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	ended_at   BIGINT NOT NULL,
	shared     BOOLEAN NOT NULL,
	PRIMARY KEY (digits, begun_at, id)
);
CREATE INDEX leases_of_visitor ON leases (site_id, visitor_id);

-- How many leases began in an hour, and how many sessions found their pool exhausted. An
-- hour is counted since 1970.
CREATE TABLE lease_hours (
	site_id BIGINT NOT NULL,
	pool    TEXT NOT NULL,
	hour    BIGINT NOT NULL,
	lane    BIGINT NOT NULL,
	begun   BIGINT NOT NULL,
	lost    BIGINT NOT NULL,
	PRIMARY KEY (site_id, pool, hour, lane)
);
