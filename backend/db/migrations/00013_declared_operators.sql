-- Which configurations declare an account, with which password, and since when with
-- this one. An account is provisioned as long as there is a declaration of it.

-- +goose Up
CREATE TABLE operator_declarations (
	login         TEXT NOT NULL,
	declarer      TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	at            BIGINT NOT NULL,
	PRIMARY KEY (login, declarer)
);
