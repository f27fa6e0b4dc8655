-- Up to where operators had read when a conversation was last handed to one of them:
-- "operator_read" goes back then, and the visitor is still told that it was read.

-- +goose Up
ALTER TABLE conversations ADD COLUMN read_before BIGINT NOT NULL DEFAULT 0;
