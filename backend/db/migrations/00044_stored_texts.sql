-- How many bytes of texts and files were stored of a visitor on a day (UTC, counted from 1970), and
-- with visitor_id 0 of all visitors of the site. Texts of usual size are not counted. "lane" keeps
-- those who count for a site at the same time apart.

-- +goose Up
CREATE TABLE stored_texts (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	day        BIGINT NOT NULL,
	lane       BIGINT NOT NULL,
	bytes      BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, day, lane)
);
CREATE INDEX stored_texts_of_day ON stored_texts (day);
