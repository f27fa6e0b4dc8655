-- outside of a transaction
-- sqlite:
CREATE INDEX leads_by_size ON leads (site_id, message_size);
-- postgres:
DROP INDEX CONCURRENTLY IF EXISTS leads_by_size;
CREATE INDEX CONCURRENTLY leads_by_size ON leads (site_id, message_size);
