-- Marks of what only names the person of an erasure in a text.

-- +goose Up
ALTER TABLE erasure_marks ADD COLUMN named BOOLEAN NOT NULL DEFAULT FALSE;
