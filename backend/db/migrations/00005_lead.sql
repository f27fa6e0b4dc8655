-- Leads, and the deliveries by which a repeated one is recognised.

-- +goose Up
CREATE TABLE leads (
	site_id      BIGINT NOT NULL,
	id           BIGINT NOT NULL,
	visitor_id   BIGINT NOT NULL,
	session_id   BIGINT NOT NULL,
	hit_id       BIGINT NOT NULL,
	at           BIGINT NOT NULL,
	origin       TEXT NOT NULL,
	name         TEXT NOT NULL,
	email        TEXT NOT NULL,
	phone        TEXT NOT NULL,
	phone_digits TEXT NOT NULL,
	message      TEXT NOT NULL,
	is_sale      BOOLEAN NOT NULL,
	sale_cost    TEXT NOT NULL,
	group_id     BIGINT NOT NULL,
	form_name    TEXT NOT NULL,
	user_fields  TEXT NOT NULL,
	url          TEXT NOT NULL,
	source       TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX leads_newest ON leads (at, id);
CREATE INDEX leads_of_site ON leads (site_id, at, id);
CREATE INDEX leads_of_visitor ON leads (site_id, visitor_id, at, id);

-- A delivery is what makes two requests the same lead: the id of a call, a key
-- that a server chose, or the hash of what was sent. "at" is when it made the
-- lead; those of long ago are deleted in passing.
CREATE TABLE lead_deliveries (
	site_id  BIGINT NOT NULL,
	delivery TEXT NOT NULL,
	lead_id  BIGINT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (site_id, delivery)
);
CREATE INDEX lead_deliveries_oldest ON lead_deliveries (site_id, at);
