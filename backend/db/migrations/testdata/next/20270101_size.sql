-- A column for the size of the message, which nodes of the release before do not know.
ALTER TABLE leads ADD COLUMN message_size BIGINT NOT NULL DEFAULT -1;
