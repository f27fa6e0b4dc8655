-- The desk looks each second for those who wait: in the groups that route, and for an answer of
-- the operator who has them. The console counts and lists what is not closed with each message.
-- Most conversations are closed, or waited for in vain.

-- +goose Up
CREATE INDEX conversations_of_group ON conversations (site_id, group_id, last_at, id) WHERE state = 'waiting';
CREATE INDEX conversations_unanswered ON conversations (last_at, id) WHERE state = 'open' AND waiting_since > 0;
CREATE INDEX conversations_live ON conversations (last_at, id) WHERE state <> 'closed';
DROP INDEX conversations_of_state;
