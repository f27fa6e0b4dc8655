-- How many callbacks the visitors of a network have asked for, and when. "network" is a keyed
-- hash. Rows are kept for as long as they count.

-- +goose Up
CREATE TABLE callback_networks (
	site_id BIGINT NOT NULL,
	network TEXT NOT NULL,
	at      BIGINT NOT NULL,
	asked   BIGINT NOT NULL,
	PRIMARY KEY (site_id, network, at)
);
CREATE INDEX callback_networks_of_time ON callback_networks (site_id, at);
