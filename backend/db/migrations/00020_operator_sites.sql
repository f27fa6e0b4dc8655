-- Which sites an account sees: '*' for all, else their ids with a comma around each,
-- such as ',1,7,'. It stands in the account's row, so that one look tells what the
-- account may do, and a change of it is one change.

-- +goose Up
ALTER TABLE operators ADD COLUMN sites TEXT NOT NULL DEFAULT '*';
ALTER TABLE operator_declarations ADD COLUMN sites TEXT NOT NULL DEFAULT '*';

-- The links by which accounts get a new password, by the hash of their token.
CREATE TABLE operator_resets (
	operator_id BIGINT PRIMARY KEY,
	token       TEXT NOT NULL UNIQUE,
	expires_at  BIGINT NOT NULL
);

-- What was done to accounts and sites, which is little among all that happens.
CREATE INDEX journal_of_administration ON journal (tx, seq)
	WHERE (kind >= 'operator.' AND kind < 'operator/' OR kind >= 'site.' AND kind < 'site/');
