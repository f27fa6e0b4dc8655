-- +goose Up

-- The status, 400 or more, with which the site has answered the form of a lead; 0 where it has not failed.
ALTER TABLE leads ADD COLUMN site_error BIGINT NOT NULL DEFAULT 0;
CREATE INDEX leads_failed ON leads (site_id, at, id) WHERE merged_into = 0 AND site_error <> 0;

-- How many bytes of refused submissions were kept of a network on a day (UTC, counted from 1970), and with an empty
-- network of all of the site. "lost" is how many of the site were not kept.
CREATE TABLE refused_days (
	site_id BIGINT NOT NULL,
	day     BIGINT NOT NULL,
	network TEXT NOT NULL,
	bytes   BIGINT NOT NULL,
	lost    BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, network)
);
CREATE INDEX refused_days_of_day ON refused_days (day);
DROP INDEX refused_leads_of_address;

-- The site_error of a refused form, and where the site's service is elsewhere, how the form goes there, as JSON: a lead_id
-- of -1 says that it has gone.
ALTER TABLE refused_leads ADD COLUMN site_error BIGINT NOT NULL DEFAULT 0;
ALTER TABLE refused_leads ADD COLUMN forward TEXT NOT NULL DEFAULT '';
