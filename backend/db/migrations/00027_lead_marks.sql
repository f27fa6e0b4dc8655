-- Words for what speaks against a lead, with commas between them; and the hash of a message that is
-- long enough to be nobody else's, by which others with the same are found; 0 for none.

-- +goose Up
ALTER TABLE leads ADD COLUMN marks TEXT NOT NULL DEFAULT '';
ALTER TABLE leads ADD COLUMN message_hash BIGINT NOT NULL DEFAULT 0;
CREATE INDEX leads_of_message ON leads (site_id, message_hash, at) WHERE message_hash <> 0;
