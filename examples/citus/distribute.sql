-- Distributes what grows with traffic by site, in the database of Frontdesk on the coordinator of a Citus cluster:
--
--     psql --set ON_ERROR_STOP=1 --file distribute.sql "postgres://…@coordinator/frontdesk"
--
-- Run it when Frontdesk has made its schema, and again after an upgrade: what is distributed stays as it is. The tables
-- have the site first in their keys. All others stay on the coordinator, the journal among them, since what is told
-- there and what it is about have to be seen in one moment.

CREATE EXTENSION IF NOT EXISTS citus;

-- Triggers write to rows of the same site, which are in the same place.
ALTER DATABASE :"DBNAME" SET citus.enable_unsafe_triggers = on;
SET citus.enable_unsafe_triggers = on;

SELECT create_distributed_table(name, 'site_id', colocate_with => CASE name WHEN 'visits' THEN 'none' ELSE 'visits' END)
FROM unnest(ARRAY[
	'visits', 'views', 'visitors', 'user_events', 'properties', 'contacts', 'client_ids', 'visit_days', 'presences', -- who was where
	'report_columns', 'report_due'                                                                                   -- the figures of these
]) WITH ORDINALITY AS tables (name, place)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass)
ORDER BY place;
