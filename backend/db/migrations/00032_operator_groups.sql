-- Groups of a site's operators: who answers, when, and by which telephone. "hours" and
-- "holidays" are JSON. A group without members is of all who see the site.

-- +goose Up
CREATE TABLE operator_groups (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	name       TEXT NOT NULL,
	phone      TEXT NOT NULL,
	zone       TEXT NOT NULL,
	hours      TEXT NOT NULL,
	holidays   TEXT NOT NULL,
	routing    TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);

CREATE TABLE operator_group_members (
	site_id     BIGINT NOT NULL,
	group_id    BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, group_id, operator_id)
);
CREATE INDEX operator_group_members_of_operator ON operator_group_members (operator_id);
