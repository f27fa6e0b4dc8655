-- The desk looks each second for those who wait: in the groups that route, and for an answer of
-- the operator who has them. Nobody closes what nobody answers, so there are many others.

-- +goose Up
CREATE INDEX conversations_of_group ON conversations (site_id, group_id, last_at, id) WHERE state = 'waiting';
CREATE INDEX conversations_unanswered ON conversations (last_at, id) WHERE state = 'open' AND waiting_since > 0;
