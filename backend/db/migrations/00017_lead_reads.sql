-- What each operator has read of the leads: all up to a place in the journal, of one
-- site or (site_id 0) of all, and those that were opened alone since.

-- +goose Up
CREATE TABLE lead_marks (
	operator_id BIGINT NOT NULL,
	site_id     BIGINT NOT NULL,
	tx          BIGINT NOT NULL,
	seq         BIGINT NOT NULL,
	PRIMARY KEY (operator_id, site_id)
);

CREATE TABLE lead_opened (
	operator_id BIGINT NOT NULL,
	site_id     BIGINT NOT NULL,
	lead_id     BIGINT NOT NULL,
	PRIMARY KEY (operator_id, site_id, lead_id)
);

CREATE INDEX journal_leads ON journal (tx, seq) WHERE kind = 'lead.added';
