-- How many page views and sessions each site had on each day (UTC, counted from
-- 1970), sessions by the kind of their source; bots are left out. "lane" keeps those
-- who count at the same time apart: a day is the sum of its lanes.

-- +goose Up
CREATE TABLE visit_days (
	site_id  BIGINT NOT NULL,
	day      BIGINT NOT NULL,
	lane     BIGINT NOT NULL,
	hits     BIGINT NOT NULL,
	direct   BIGINT NOT NULL,
	campaign BIGINT NOT NULL,
	ad       BIGINT NOT NULL,
	search   BIGINT NOT NULL,
	social   BIGINT NOT NULL,
	mail     BIGINT NOT NULL,
	map      BIGINT NOT NULL,
	referral BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, lane)
);
