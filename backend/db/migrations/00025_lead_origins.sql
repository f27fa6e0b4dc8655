-- +goose Up

-- The further ways by which the same request has come, with spaces between them.
ALTER TABLE leads ADD COLUMN also TEXT NOT NULL DEFAULT '';
