-- What a list or a live page of one site reads, whatever happens at the others.

-- +goose Up
CREATE INDEX journal_of_site ON journal (site_id, tx, seq);
CREATE INDEX sessions_live_of_site ON sessions (site_id, last_at) WHERE NOT bot;
