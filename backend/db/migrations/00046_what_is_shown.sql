-- How many pixels a picture that was sent has, over all of its frames; 0 for other files, and for
-- pictures of which it is not known. These are not shown but offered as files.
--
-- What was noted of failed webhooks told of the network behind the server.

-- +goose Up
ALTER TABLE chat_files ADD COLUMN pixels BIGINT NOT NULL DEFAULT 0;
UPDATE deliveries SET reason = 'connect', detail = '' WHERE reason = 'private' OR reason = 'connect';
