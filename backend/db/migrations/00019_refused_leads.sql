-- Submissions that became no lead, for the owner of the site to see why. The same
-- one, by its "digest", is kept once and counted. "lead_id" is the lead that
-- somebody has made of it, or 0.

-- +goose Up
CREATE TABLE refused_leads (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	digest     TEXT NOT NULL,
	at         BIGINT NOT NULL,
	times      BIGINT NOT NULL,
	address    TEXT NOT NULL,
	origin     TEXT NOT NULL,
	code       TEXT NOT NULL,
	reason     TEXT NOT NULL,
	sent       TEXT NOT NULL,
	region     TEXT NOT NULL,
	url        TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	session_id BIGINT NOT NULL,
	hit_id     BIGINT NOT NULL,
	lead_id    BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX refused_leads_once ON refused_leads (site_id, digest);
CREATE INDEX refused_leads_newest ON refused_leads (at, id);
CREATE INDEX refused_leads_of_site ON refused_leads (site_id, at, id);
CREATE INDEX refused_leads_of_address ON refused_leads (site_id, address, at, id);
