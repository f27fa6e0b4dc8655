-- The schema, by the rooms of backend/ that own the tables. Times are milliseconds since 1970 and 0 for never; days and
-- hours are counted since 1970, in UTC; lists and objects are JSON. "site_id" leads the key of what grows with a site; where it does not, it is said why.
--
-- Both engines are given this text, but for the lines between "-- sqlite:" or "-- postgres:" and "-- both:", which are
-- one engine's. What changes the schema later is a file of its own beside this one, named by its date.


-- db: what belongs to the installation and its nodes

CREATE TABLE secrets (
	name  TEXT PRIMARY KEY,
	value BYTEA NOT NULL
);

-- Numbers below "next" have been given out to nodes.
CREATE TABLE sequences (
	name TEXT PRIMARY KEY,
	next BIGINT NOT NULL
);

-- Which node does what one node does at a time.
CREATE TABLE duties (
	name       TEXT NOT NULL PRIMARY KEY,
	owner      TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);

-- The programs that use the database, or have used it lately. "knows" is the last step of the schema that each knows.
CREATE TABLE nodes (
	id      TEXT PRIMARY KEY,
	knows   BIGINT NOT NULL,
	seen_at BIGINT NOT NULL
);

-- The steps of the schema that a program has to know, of which the largest counts.
CREATE TABLE needed_steps (
	step BIGINT PRIMARY KEY
);

-- How far the rewriting of a table has come: "behind" is the last key of "pass" in JSON, or empty at its beginning.
CREATE TABLE rewrites (
	step   BIGINT PRIMARY KEY,
	pass   BIGINT NOT NULL,
	behind TEXT NOT NULL
);


-- declarer: whose configurations declare things

CREATE TABLE declarers (
	name    TEXT PRIMARY KEY,
	seen_at BIGINT NOT NULL
);


-- site

-- "settings" are what the console has set above the configuration, as an object, and "version" is how often they have
-- been changed: a change names the version that it was made from. A site is served unless it has been retired, or its data
-- have been arriving since "arriving_at", which is negative while what has arrived is taken back.
CREATE TABLE sites (
	id         BIGINT PRIMARY KEY,
	key        TEXT NOT NULL UNIQUE,
	created_at BIGINT NOT NULL,
	settings   TEXT NOT NULL DEFAULT '{}',
	version    BIGINT NOT NULL DEFAULT 0,
	retired_at BIGINT NOT NULL DEFAULT 0,
	suspended_at BIGINT NOT NULL DEFAULT 0,
	arriving_at BIGINT NOT NULL DEFAULT 0
);
-- Each node looks twice a second whether a site is another one, and does not read settings for that.
CREATE INDEX sites_versions ON sites (id, version);

-- How many pages of a site had which outcome on a day.
CREATE TABLE site_pages (
	site_id BIGINT NOT NULL,
	day     BIGINT NOT NULL,
	outcome TEXT NOT NULL,
	pages   BIGINT NOT NULL,
	last_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, outcome)
);
CREATE INDEX site_pages_of_day ON site_pages (day);


-- limit: what sites have used of their limits on a day, and how often more was refused. "most" is the limit, or 0 for
-- none; "at" is when a node has stored it last.

CREATE TABLE limit_uses (
	site_id BIGINT NOT NULL,
	kind    TEXT NOT NULL,
	day     BIGINT NOT NULL,
	most    BIGINT NOT NULL,
	used    BIGINT NOT NULL,
	refused BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, kind, day)
);
CREATE INDEX limit_uses_latest ON limit_uses (day, at); -- each node looks for what others have stored

-- How many bytes are stored of a site that has a limit of them: what was counted at "counted_at", and what was written
-- since. "at" is as above.
CREATE TABLE limit_sizes (
	site_id    BIGINT NOT NULL PRIMARY KEY,
	bytes      BIGINT NOT NULL,
	counted_at BIGINT NOT NULL,
	at         BIGINT NOT NULL
);
CREATE INDEX limit_sizes_latest ON limit_sizes (at);


-- sighting: when parts of a site's installation were last seen at work

CREATE TABLE sightings (
	site_id BIGINT NOT NULL,
	part    TEXT NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, part)
);

-- sighting: the codes of other services that pages have. "path" is the page on which a code was seen last.

CREATE TABLE rivals (
	site_id BIGINT NOT NULL,
	loader  TEXT NOT NULL,
	account TEXT NOT NULL,
	path    TEXT NOT NULL,
	at      BIGINT NOT NULL,
	looks   BIGINT NOT NULL,
	PRIMARY KEY (site_id, loader, account)
);


-- visit: visitors, visits and page views, and what is known of them. The ids here are the numbers that were
-- drawn, so that new rows lie next to each other; package visit turns them into what all others see. A number tells the day
-- on which it was drawn. By it PostgreSQL keeps what grows with each view in partitions, each of some days: package partition
-- makes them, and package retain drops them. Visitors stay as long as their last visit, so they have none.

-- "arrived" and "nonce" recognise the first view of a visitor without a cookie when it is reported again; the time stands
-- first so that the index, too, grows at one end. "visit_id" is the latest visit. A visitor who is "marked" has
-- properties. "crossed" is when the latest link ends that has brought the visitor to another host of the site, in seconds
-- since 1970.
CREATE TABLE visitors (
	site_id  BIGINT NOT NULL,
	id       BIGINT NOT NULL,
	arrived  BIGINT NOT NULL,
	nonce    TEXT NOT NULL,
	first_at BIGINT NOT NULL,
	visit_id BIGINT NOT NULL,
	marked   BOOLEAN NOT NULL DEFAULT FALSE,
	crossed  BIGINT NOT NULL DEFAULT 0,
	name     TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX visitors_arriving ON visitors (site_id, arrived, nonce);
CREATE INDEX visitors_named ON visitors (site_id, id) WHERE name <> ''; -- who are looked for by their names

-- "view_id" is the latest page view, and "recent" recognises the latest few. "campaign" is what tells one campaign from
-- another. The source is in columns so that it can be counted by. Where the client was is told by its address, which is
-- not kept. A visit that is not "scripted" is one from whose pages no script has reported. One that is "numberless" found no
-- number left in a pool.
CREATE TABLE visits (
	site_id              BIGINT NOT NULL,
	id                   BIGINT NOT NULL,
	visitor_id           BIGINT NOT NULL,
	started_at           BIGINT NOT NULL,
	last_at              BIGINT NOT NULL,
	views                BIGINT NOT NULL,
	view_id              BIGINT NOT NULL,
	recent               TEXT NOT NULL,
	campaign             TEXT NOT NULL,
	bot                  BOOLEAN NOT NULL,
	user_agent           TEXT NOT NULL,
	language             TEXT NOT NULL,
	country              TEXT NOT NULL DEFAULT '',
	area                 TEXT NOT NULL DEFAULT '',
	city                 TEXT NOT NULL DEFAULT '',
	scripted             BOOLEAN NOT NULL DEFAULT TRUE,
	numberless           BOOLEAN NOT NULL DEFAULT FALSE,
	source_kind          TEXT NOT NULL,
	source_name          TEXT NOT NULL,
	source_medium        TEXT NOT NULL,
	source_campaign      TEXT NOT NULL,
	source_term          TEXT NOT NULL,
	source_content       TEXT NOT NULL,
	source_click_id_name TEXT NOT NULL,
	source_click_id      TEXT NOT NULL,
	source_referrer      TEXT NOT NULL,
	source_landing       TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
-- postgres:
) PARTITION BY RANGE (id);
-- sqlite:
);
-- both:
-- The visitor leads: while a table is small, PostgreSQL takes all indexes that begin with the site for equally good to
-- find one row of a site, and keeps the plan while the table grows.
CREATE INDEX visits_of_visitor ON visits (visitor_id, site_id, started_at);
CREATE INDEX visits_live ON visits (last_at) WHERE NOT bot;
CREATE INDEX visits_live_of_site ON visits (site_id, last_at) WHERE NOT bot;
CREATE INDEX visits_of_bots ON visits (last_at) WHERE bot;

CREATE TABLE views (
	site_id    BIGINT NOT NULL,
	visit_id   BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	url        TEXT NOT NULL,
	referrer   TEXT NOT NULL,
	title      TEXT NOT NULL,
	PRIMARY KEY (site_id, visit_id, id)
-- postgres:
) PARTITION BY RANGE (visit_id);
-- sqlite:
);
-- both:

-- What the site's own scripts have told. "call_id" is the request's, by which it is known when it is repeated.
CREATE TABLE user_events (
	site_id    BIGINT NOT NULL,
	visit_id   BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	view_id    BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	call_id    TEXT NOT NULL,
	category   TEXT NOT NULL,
	action     TEXT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	PRIMARY KEY (site_id, visit_id, id)
-- postgres:
) PARTITION BY RANGE (visit_id);
-- sqlite:
);
-- both:
CREATE UNIQUE INDEX user_events_once ON user_events (site_id, visit_id, call_id);
CREATE INDEX user_events_of_site ON user_events (site_id, id); -- what is counted, whichever visit it is of

-- A property without a value is a flag.
CREATE TABLE properties (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	name       TEXT NOT NULL,
	value      TEXT,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, name)
);

-- "value" is what makes two writings the same, "written" the first of them.
CREATE TABLE contacts (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	value      TEXT NOT NULL,
	written    TEXT NOT NULL,
	at         BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, kind, value)
);
CREATE INDEX contacts_of_phone ON contacts (site_id, value, at) WHERE kind = 'phone';
CREATE INDEX contacts_of_value ON contacts (lower(value)); -- of all sites: by what persons are looked for

-- By what analytics and advertising platforms know the visitor's browser, as the site's own cookies have it. The sessions
-- are names and values with "=" between.
CREATE TABLE client_ids (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	ga         TEXT NOT NULL,
	sessions   TEXT NOT NULL,
	ym         TEXT NOT NULL,
	fbp        TEXT NOT NULL,
	fbc        TEXT NOT NULL,
	pk         TEXT NOT NULL,
	PRIMARY KEY (site_id, visitor_id)
);

-- How many page views and visits a site had on a day, visits by the kind of their source, without bots. "lane" keeps
-- those who count at the same time apart: a day is the sum of its lanes.
CREATE TABLE visit_days (
	site_id  BIGINT NOT NULL,
	day      BIGINT NOT NULL,
	lane     BIGINT NOT NULL,
	views    BIGINT NOT NULL,
	direct   BIGINT NOT NULL,
	campaign BIGINT NOT NULL,
	ad       BIGINT NOT NULL,
	search   BIGINT NOT NULL,
	social   BIGINT NOT NULL,
	mail     BIGINT NOT NULL,
	map      BIGINT NOT NULL,
	referral BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, lane)
);

-- The open pages of visitors: each counts as being there until "until". A page is known by the hit that it has last
-- spoken for.
CREATE TABLE presences (
	site_id  BIGINT NOT NULL,
	visit_id BIGINT NOT NULL,
	view_id  BIGINT NOT NULL,
	until    BIGINT NOT NULL,
	PRIMARY KEY (site_id, visit_id, view_id)
);
CREATE INDEX presences_until ON presences (until);

-- How many bytes of texts and files were stored of a visitor on a day, and with visitor_id 0 of all visitors of the site.
-- Texts of usual size are not counted. "lane" is as in visit_days.
CREATE TABLE stored_texts (
	site_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	day        BIGINT NOT NULL,
	lane       BIGINT NOT NULL,
	bytes      BIGINT NOT NULL,
	PRIMARY KEY (site_id, visitor_id, day, lane)
);
CREATE INDEX stored_texts_of_day ON stored_texts (day);


-- number: the numbers that pages show, and those that take their place

-- The numbers that configurations have for sites. "replaces" is empty for a number that is printed on pages; for a
-- tracking number it is the printed one, and "conditions" say for which visitors.
CREATE TABLE number_declarations (
	site_id    BIGINT NOT NULL,
	digits     TEXT NOT NULL,
	replaces   TEXT NOT NULL,
	declarer   TEXT NOT NULL,
	place      BIGINT NOT NULL,
	conditions TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (site_id, digits, replaces, declarer)
);
CREATE INDEX number_declarations_of ON number_declarations (declarer);

-- All that have ever been declared. "retired_at" is when the last declaration ended; 0 while there is one.
CREATE TABLE declared_numbers (
	site_id    BIGINT NOT NULL,
	digits     TEXT NOT NULL,
	replaces   TEXT NOT NULL,
	first_at   BIGINT NOT NULL,
	retired_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, digits, replaces)
);
CREATE INDEX declared_numbers_of ON declared_numbers (digits);

-- The telephone numbers that the sites' own pages show, as far as pages have been looked at.
CREATE TABLE shown_numbers (
	site_id  BIGINT NOT NULL,
	digits   TEXT NOT NULL,
	first_at BIGINT NOT NULL,
	last_at  BIGINT NOT NULL,
	PRIMARY KEY (site_id, digits)
);

-- On which pages, by their paths, and in which writings: a list.
CREATE TABLE shown_pages (
	site_id  BIGINT NOT NULL,
	path     TEXT NOT NULL,
	digits   TEXT NOT NULL,
	writings TEXT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (site_id, path, digits)
);
CREATE INDEX shown_pages_newest ON shown_pages (site_id, digits, at);

-- The numbers of the sites' own pools. The site is not in the key: a number is in one pool, whichever site has it.
CREATE TABLE own_pool_numbers (
	digits  TEXT NOT NULL PRIMARY KEY,
	site_id BIGINT NOT NULL,
	pool    TEXT NOT NULL
);
CREATE INDEX own_pool_numbers_of_site ON own_pool_numbers (site_id);


-- lease: who has which number. Its tables have the number first and not the site: a number is one for all sites that
-- share its pool.

-- The tracking numbers of pools, each with the lease that it has, or had last. A lease counts until "until"; a number
-- that was never leased has a visitor of 0.
CREATE TABLE pool_numbers (
	digits     TEXT NOT NULL PRIMARY KEY,
	pool       TEXT NOT NULL,
	lease_id   BIGINT NOT NULL,
	site_id    BIGINT NOT NULL,
	replaces   TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	visit_id   BIGINT NOT NULL,
	begun_at   BIGINT NOT NULL,
	until      BIGINT NOT NULL,
	hold       BIGINT NOT NULL
);
-- A visitor has one number for each that is printed.
CREATE UNIQUE INDEX pool_numbers_of_visitor ON pool_numbers (site_id, visitor_id, replaces) WHERE visitor_id <> 0;
CREATE INDEX pool_numbers_of_visit ON pool_numbers (site_id, visit_id);
CREATE INDEX pool_numbers_of_pool ON pool_numbers (pool);

-- The leases that have ended, and those of numbers that several visitors share.
CREATE TABLE leases (
	digits     TEXT NOT NULL,
	begun_at   BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	site_id    BIGINT NOT NULL,
	replaces   TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	visit_id   BIGINT NOT NULL,
	ended_at   BIGINT NOT NULL,
	shared     BOOLEAN NOT NULL,
	PRIMARY KEY (digits, begun_at, id)
);
CREATE INDEX leases_of_visitor ON leases (site_id, visitor_id);

-- How many leases began in an hour, and how many visits found their pool exhausted. "lane" is as in visit_days.
CREATE TABLE lease_hours (
	site_id BIGINT NOT NULL,
	pool    TEXT NOT NULL,
	hour    BIGINT NOT NULL,
	lane    BIGINT NOT NULL,
	begun   BIGINT NOT NULL,
	lost    BIGINT NOT NULL,
	PRIMARY KEY (site_id, pool, hour, lane)
);


-- call: telephone calls, and whose they are

-- Times are those of the call, but "told_at", when it was heard of last. "talk" and "wait" are seconds, -1 where nobody
-- has told them. "start_told" says that the time of the start was told, and is no conclusion. A call to a number of no
-- site is of site 0. Visitors and visits are in public form.
CREATE TABLE calls (
	site_id              BIGINT NOT NULL,
	id                   BIGINT NOT NULL,
	platform             TEXT NOT NULL,
	call_id              TEXT NOT NULL,
	called               TEXT NOT NULL,
	caller               TEXT NOT NULL,
	started_at           BIGINT NOT NULL,
	start_told           BOOLEAN NOT NULL,
	answered_at          BIGINT NOT NULL,
	ended_at             BIGINT NOT NULL,
	status               TEXT NOT NULL,
	talk                 BIGINT NOT NULL,
	wait                 BIGINT NOT NULL,
	recording            TEXT NOT NULL,
	price                TEXT NOT NULL,
	currency             TEXT NOT NULL,
	notes                TEXT NOT NULL,
	told_at              BIGINT NOT NULL,
	reason               TEXT NOT NULL,
	confidence           TEXT NOT NULL,
	replaces             TEXT NOT NULL,
	conditions           TEXT NOT NULL,
	visitor_id           BIGINT NOT NULL,
	visit_id             BIGINT NOT NULL,
	source_kind          TEXT NOT NULL,
	source_name          TEXT NOT NULL,
	source_medium        TEXT NOT NULL,
	source_campaign      TEXT NOT NULL,
	source_term          TEXT NOT NULL,
	source_content       TEXT NOT NULL,
	source_click_id_name TEXT NOT NULL,
	source_click_id      TEXT NOT NULL,
	source_referrer      TEXT NOT NULL,
	source_landing       TEXT NOT NULL,
	listed_kind          TEXT NOT NULL DEFAULT '',
	lead_id              BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (site_id, id)
);
-- The list goes along these, of all sites and of one; they have what its filters ask. "listed_kind" is the kind of the
-- source that the list shows: if that of the visitor is not known, that of the called number's campaign.
CREATE INDEX calls_newest ON calls (started_at, id, site_id, caller, called, replaces, status, answered_at, confidence, listed_kind);
CREATE INDEX calls_of_site ON calls (site_id, started_at, id, caller, called, replaces, status, answered_at, confidence, listed_kind);
CREATE INDEX calls_of_visitor ON calls (site_id, visitor_id, started_at, id) WHERE visitor_id <> 0;
CREATE INDEX calls_of_caller ON calls (site_id, caller, started_at) WHERE caller <> '';
CREATE INDEX calls_of_lead ON calls (site_id, lead_id) WHERE lead_id <> 0;
CREATE INDEX calls_from ON calls (caller); -- of all sites: by what persons are looked for

-- Where each call stands, by what its platform calls it. Only by this can be told which site a call is of: the site is
-- not in the key.
CREATE TABLE call_places (
	platform TEXT NOT NULL,
	call_id  TEXT NOT NULL,
	site_id  BIGINT NOT NULL,
	id       BIGINT NOT NULL,
	PRIMARY KEY (platform, call_id)
);
CREATE INDEX call_places_of_call ON call_places (site_id, id);


-- lead

-- "phone" is as it was written, "phone_digits" and "phone_extension" what is dialled. "message_hash" finds others with the
-- same message, which is long enough to be nobody else's; 0 for none.
-- "site_error" is the status, 400 or more, with which the site has answered the form; 0 where it has not failed.
--
-- The state is one of package lead, "owner_id" the operator who has the lead, and "merged_into" the lead of the same site
-- that it is a part of; each 0 for none. Of a lead that is not indexed, the search does not know yet. Visitors and
-- visits are in public form.
CREATE TABLE leads (
	site_id              BIGINT NOT NULL,
	id                   BIGINT NOT NULL,
	visitor_id           BIGINT NOT NULL,
	visit_id             BIGINT NOT NULL,
	view_id              BIGINT NOT NULL,
	at                   BIGINT NOT NULL,
	origin               TEXT NOT NULL,
	name                 TEXT NOT NULL,
	email                TEXT NOT NULL,
	phone                TEXT NOT NULL,
	phone_digits         TEXT NOT NULL,
	phone_extension      TEXT NOT NULL DEFAULT '',
	message              TEXT NOT NULL,
	message_hash         BIGINT NOT NULL DEFAULT 0,
	is_sale              BOOLEAN NOT NULL,
	sale_cost            TEXT NOT NULL,
	group_id             BIGINT NOT NULL,
	form_name            TEXT NOT NULL,
	user_fields          TEXT NOT NULL,
	url                  TEXT NOT NULL,
	site_error           BIGINT NOT NULL DEFAULT 0,
	state                BIGINT NOT NULL DEFAULT 0,
	owner_id             BIGINT NOT NULL DEFAULT 0,
	merged_into          BIGINT NOT NULL DEFAULT 0,
	indexed              BOOLEAN NOT NULL DEFAULT TRUE,
	source_kind          TEXT NOT NULL,
	source_name          TEXT NOT NULL,
	source_medium        TEXT NOT NULL,
	source_campaign      TEXT NOT NULL,
	source_term          TEXT NOT NULL,
	source_content       TEXT NOT NULL,
	source_click_id_name TEXT NOT NULL,
	source_click_id      TEXT NOT NULL,
	source_referrer      TEXT NOT NULL,
	source_landing       TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);
-- The inbox goes along these, of a site and of all; they have what its filters ask.
CREATE INDEX leads_of_site ON leads (site_id, at, id, merged_into, state, owner_id, source_kind, form_name, site_error, sale_cost, origin);
CREATE INDEX leads_newest ON leads (at, id, site_id, merged_into, state, owner_id, source_kind, form_name, site_error, sale_cost, origin);
CREATE INDEX leads_of_form ON leads (site_id, form_name) WHERE merged_into = 0 AND form_name <> '';
CREATE INDEX leads_merged ON leads (site_id, merged_into, at, id) WHERE merged_into <> 0;
CREATE INDEX leads_unindexed ON leads (site_id, id) WHERE NOT indexed;
-- Leads of one person, at a site and at all.
CREATE INDEX leads_of_visitor ON leads (site_id, visitor_id, at, id);
CREATE INDEX leads_of_phone ON leads (phone_digits, site_id, at, id);
CREATE INDEX leads_of_email ON leads (lower(email), site_id, at, id) WHERE email <> '';
CREATE INDEX leads_of_message ON leads (site_id, message_hash, at) WHERE message_hash <> 0;

-- The further ways by which the same request has come, and what speaks against a lead. Most leads have neither.
CREATE TABLE lead_origins (
	site_id BIGINT NOT NULL,
	lead_id BIGINT NOT NULL,
	origin  TEXT NOT NULL,
	PRIMARY KEY (site_id, lead_id, origin)
);
CREATE TABLE lead_marks (
	site_id BIGINT NOT NULL,
	lead_id BIGINT NOT NULL,
	mark    TEXT NOT NULL,
	PRIMARY KEY (site_id, lead_id, mark)
);

-- The words by which operators sort leads.
CREATE TABLE lead_tags (
	site_id BIGINT NOT NULL,
	lead_id BIGINT NOT NULL,
	tag     TEXT NOT NULL,
	PRIMARY KEY (site_id, lead_id, tag)
);
CREATE INDEX lead_tags_of ON lead_tags (site_id, tag);

-- What makes two requests the same lead: the id of a request, a key that a server chose, or the hash of what was sent.
-- "at" is when it made the lead; those of long ago are deleted in passing.
CREATE TABLE lead_requests (
	site_id BIGINT NOT NULL,
	request TEXT NOT NULL,
	lead_id BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, request)
);
CREATE INDEX lead_requests_oldest ON lead_requests (site_id, at);
CREATE INDEX lead_requests_of_lead ON lead_requests (site_id, lead_id);

-- What operators have done with a lead, their notes among it.
CREATE TABLE lead_deeds (
	site_id     BIGINT NOT NULL,
	lead_id     BIGINT NOT NULL,
	id          BIGINT NOT NULL,
	at          BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	login       TEXT NOT NULL,
	kind        TEXT NOT NULL,
	was         TEXT NOT NULL,
	said        TEXT NOT NULL,
	PRIMARY KEY (site_id, lead_id, id)
);

-- The numbers of pools that the sender had when the lead came.
CREATE TABLE lead_numbers (
	site_id BIGINT NOT NULL,
	number  TEXT NOT NULL,
	at      BIGINT NOT NULL,
	lead_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, number, at, lead_id)
);
CREATE INDEX lead_numbers_of_lead ON lead_numbers (site_id, lead_id);
CREATE INDEX lead_numbers_of_number ON lead_numbers (number, at, lead_id); -- whoever has all sites searches in all

-- What an operator has read of the leads: all up to a place in the journal, of one site or (site_id 0) of all, and those
-- that were opened alone since.
CREATE TABLE lead_read (
	operator_id BIGINT NOT NULL,
	site_id     BIGINT NOT NULL,
	tx          BIGINT NOT NULL,
	seq         BIGINT NOT NULL,
	PRIMARY KEY (operator_id, site_id)
);
CREATE TABLE lead_opened (
	site_id     BIGINT NOT NULL,
	lead_id     BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, lead_id, operator_id)
);
CREATE INDEX lead_opened_by ON lead_opened (operator_id, site_id);

-- Submissions that became no lead, for the owner of the site to see why. The same one, by its "digest", is kept once and
-- counted. "lead_id" is the lead that somebody has made of it, or 0; -1 says that it has gone where the site's service is
-- elsewhere, and "forward" is how it goes there, as an object. "site_error" is as in leads.
CREATE TABLE refused_leads (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	digest     TEXT NOT NULL,
	at         BIGINT NOT NULL,
	times      BIGINT NOT NULL,
	address    TEXT NOT NULL,
	origin     TEXT NOT NULL,
	code       TEXT NOT NULL,
	reason     TEXT NOT NULL,
	sent       TEXT NOT NULL,
	region     TEXT NOT NULL,
	url        TEXT NOT NULL,
	visitor_id BIGINT NOT NULL,
	visit_id   BIGINT NOT NULL,
	view_id    BIGINT NOT NULL,
	lead_id    BIGINT NOT NULL,
	site_error BIGINT NOT NULL DEFAULT 0,
	forward    TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX refused_leads_once ON refused_leads (site_id, digest);
CREATE INDEX refused_leads_newest ON refused_leads (at, id);
CREATE INDEX refused_leads_of_site ON refused_leads (site_id, at, id);

-- How many bytes of refused submissions were kept of a network on a day, and with an empty network of all of the site.
-- "lost" is how many of the site were not kept.
CREATE TABLE refused_days (
	site_id BIGINT NOT NULL,
	day     BIGINT NOT NULL,
	network TEXT NOT NULL,
	bytes   BIGINT NOT NULL,
	lost    BIGINT NOT NULL,
	PRIMARY KEY (site_id, day, network)
);
CREATE INDEX refused_days_of_day ON refused_days (day);

-- By which words a lead is found. The engines search texts in ways of their own, of which none needs an extension or
-- special rights. In SQLite the words stand without their places, by the id of the lead, which is one for all sites; the
-- index beside them has what is asked most of the leads that have the words.
-- sqlite:
CREATE VIRTUAL TABLE lead_search USING fts5(words, content='', contentless_delete=1, detail=none, prefix='2 3 4', tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE lead_words USING fts5vocab(lead_search, instance);
CREATE INDEX leads_by_id ON leads (id, site_id, at, merged_into, state, owner_id, source_kind, form_name, site_error, sale_cost);
-- postgres:
CREATE TABLE lead_search (
	site_id BIGINT NOT NULL,
	lead_id BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	words   TSVECTOR NOT NULL,
	PRIMARY KEY (site_id, lead_id)
);
CREATE INDEX lead_search_words ON lead_search USING gin (words);
-- both:

-- What belongs to a lead goes with it, whoever deletes it.
-- sqlite:
CREATE TRIGGER leads_erased AFTER DELETE ON leads BEGIN
	DELETE FROM lead_deeds WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_numbers WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_origins WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_marks WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_tags WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_search WHERE rowid = OLD.id;
	UPDATE leads SET merged_into = 0, indexed = FALSE WHERE site_id = OLD.site_id AND merged_into = OLD.id AND merged_into <> 0;
END;
-- postgres:
CREATE FUNCTION leads_erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	DELETE FROM lead_deeds WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_numbers WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_origins WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_marks WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_tags WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	DELETE FROM lead_search WHERE site_id = OLD.site_id AND lead_id = OLD.id;
	UPDATE leads SET merged_into = 0, indexed = FALSE WHERE site_id = OLD.site_id AND merged_into = OLD.id AND merged_into <> 0;
	RETURN NULL;
END $$;
CREATE TRIGGER leads_erased AFTER DELETE ON leads FOR EACH ROW EXECUTE FUNCTION leads_erased();
-- both:


-- form: which forms visitors send, what pages say of these, and how sites answer them

-- A form by where it is sent to. "fields" are the names of its fields, as a list.
CREATE TABLE forms (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	fields  TEXT NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, path)
);

-- How a site has answered a form, by day.
CREATE TABLE form_answers (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	day     BIGINT NOT NULL,
	status  BIGINT NOT NULL,
	times   BIGINT NOT NULL,
	PRIMARY KEY (site_id, path, day, status)
);
CREATE INDEX form_answers_of_day ON form_answers (day);
CREATE INDEX form_answers_failed ON form_answers (day, site_id) WHERE status >= 400;

-- What the forms of pages say of their fields: names, kinds and labels. "markup" is an object that the edge writes and
-- reads, "path" that of the pages, with * for what numbers something. Nothing of visitors is in it.
CREATE TABLE page_markups (
	site_id BIGINT NOT NULL,
	path    TEXT NOT NULL,
	at      BIGINT NOT NULL,
	markup  TEXT NOT NULL,
	PRIMARY KEY (site_id, path)
);
CREATE INDEX page_markups_of_time ON page_markups (at);


-- incident: what is wrong with sites

-- "about" is the name of a pool, the id of an endpoint, or the path of a form. "last_at" is when it was noted last,
-- "due_at" from when on it may be told, and "mended_at" since when it seems to be over; 0 where it does not. "over_at" is 0
-- while it lasts. "told" says that the journal has told of its beginning, "told_at" when it did so last.
CREATE TABLE incidents (
	site_id   BIGINT NOT NULL,
	kind      TEXT NOT NULL,
	about     TEXT NOT NULL,
	name      TEXT NOT NULL,
	status    BIGINT NOT NULL,
	begun_at  BIGINT NOT NULL,
	last_at   BIGINT NOT NULL,
	due_at    BIGINT NOT NULL,
	mended_at BIGINT NOT NULL,
	over_at   BIGINT NOT NULL,
	told      BOOLEAN NOT NULL,
	told_at   BIGINT NOT NULL,
	PRIMARY KEY (site_id, kind, about)
);


-- operator: those who work in the console. They belong to the installation, not to one of its sites.

-- "epoch" grows when what a session stands on changes: the sessions of an earlier epoch are over. Who has not
-- "all_sites" has those of operator_sites.
CREATE TABLE operators (
	id            BIGINT PRIMARY KEY,
	login         TEXT NOT NULL UNIQUE,
	name          TEXT NOT NULL,
	email         TEXT NOT NULL,
	role          TEXT NOT NULL,
	all_sites     BOOLEAN NOT NULL,
	password_hash TEXT NOT NULL,
	epoch         BIGINT NOT NULL,
	provisioned   BOOLEAN NOT NULL,
	disabled      BOOLEAN NOT NULL,
	away          BOOLEAN NOT NULL,
	language      TEXT NOT NULL,
	created_at    BIGINT NOT NULL
);

CREATE TABLE operator_sites (
	site_id     BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, operator_id)
);
CREATE INDEX operator_sites_of_operator ON operator_sites (operator_id);

-- The face of an operator: a small JPEG file, whose name is a hash of it.
CREATE TABLE operator_faces (
	operator_id BIGINT PRIMARY KEY,
	name        TEXT NOT NULL,
	content     BYTEA NOT NULL
);
CREATE INDEX operator_faces_named ON operator_faces (name);

-- Which configurations declare an account, with which password and sites, and since when with these. An account is
-- provisioned as long as there is a declaration of it.
CREATE TABLE operator_declarations (
	login         TEXT NOT NULL,
	declarer      TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	all_sites     BOOLEAN NOT NULL,
	at            BIGINT NOT NULL,
	PRIMARY KEY (login, declarer)
);

CREATE TABLE operator_declared_sites (
	site_id  BIGINT NOT NULL,
	login    TEXT NOT NULL,
	declarer TEXT NOT NULL,
	PRIMARY KEY (site_id, login, declarer)
);
CREATE INDEX operator_declared_sites_of_login ON operator_declared_sites (login, declarer);

-- The token of the link by which the first account is made, until it is made.
CREATE TABLE operator_setup (
	id    BIGINT PRIMARY KEY,
	token TEXT NOT NULL
);

-- The links by which accounts get a new password, by the hash of their token.
CREATE TABLE operator_resets (
	operator_id BIGINT PRIMARY KEY,
	token       TEXT NOT NULL UNIQUE,
	expires_at  BIGINT NOT NULL
);

-- The second step of signing in: the secret of an authenticator, encrypted. It counts when a code of it has confirmed it, and
-- is shown in the "session" of that name until then.
-- "used" is the step of the last code, of RFC 6238: none of an earlier one is good any more.
CREATE TABLE operator_authenticators (
	operator_id BIGINT PRIMARY KEY,
	secret      BYTEA NOT NULL,
	session     TEXT NOT NULL,
	confirmed   BOOLEAN NOT NULL,
	used        BIGINT NOT NULL
);

-- The recovery codes of accounts that have not been used, by their hash.
CREATE TABLE operator_recovery_codes (
	operator_id BIGINT NOT NULL,
	hash        TEXT NOT NULL,
	PRIMARY KEY (operator_id, hash)
);

-- The passkeys of accounts: credentials of WebAuthn, each for the host of a console. Nothing here is secret. "transports" are
-- words with blanks between them.
CREATE TABLE operator_passkeys (
	id              BYTEA PRIMARY KEY,
	operator_id     BIGINT NOT NULL,
	host            TEXT NOT NULL,
	name            TEXT NOT NULL,
	public_key      BYTEA NOT NULL,
	sign_count      BIGINT NOT NULL,
	transports      TEXT NOT NULL,
	backup_eligible BOOLEAN NOT NULL,
	backed_up       BOOLEAN NOT NULL,
	made_at         BIGINT NOT NULL,
	used_at         BIGINT NOT NULL
);
CREATE INDEX operator_passkeys_operator ON operator_passkeys (operator_id);

-- The challenges that passkeys have answered, until they end: each is answered once.
CREATE TABLE operator_passkey_challenges (
	challenge BYTEA PRIMARY KEY,
	ends_at   BIGINT NOT NULL
);
CREATE INDEX operator_passkey_challenges_end ON operator_passkey_challenges (ends_at);

-- The tokens by which programs call the public API, by their hash. Who has not "all_sites" has those of
-- operator_token_sites. "scopes" are words with blanks between them.
CREATE TABLE operator_tokens (
	id        BIGINT PRIMARY KEY,
	hash      TEXT NOT NULL UNIQUE,
	name      TEXT NOT NULL,
	scopes    TEXT NOT NULL,
	all_sites BOOLEAN NOT NULL,
	made_by   TEXT NOT NULL,
	made_at   BIGINT NOT NULL,
	ends_at   BIGINT NOT NULL,
	used_at   BIGINT NOT NULL
);

CREATE TABLE operator_token_sites (
	site_id  BIGINT NOT NULL,
	token_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, token_id)
);
CREATE INDEX operator_token_sites_of_token ON operator_token_sites (token_id);

-- What programs were answered to calls that they may repeat. "name" is made of the token and of the program's key for
-- the call, and "answer" is encrypted by both; it is empty while the call is being answered.
CREATE TABLE open_answers (
	token_id BIGINT NOT NULL,
	name     TEXT NOT NULL,
	asked    TEXT NOT NULL,
	at       BIGINT NOT NULL,
	answer   BYTEA NOT NULL,
	PRIMARY KEY (token_id, name)
);
CREATE INDEX open_answers_by_time ON open_answers (at);

-- Sessions of the console by the hash of their token. One in which somebody has signed in has the account and its epoch,
-- "browser" and "system" as package agent names them, and the client's "address" as it may be kept. One that has "ended"
-- stays until it expires, so that no request that was under way brings it back.
CREATE TABLE operator_sessions (
	token       TEXT PRIMARY KEY,
	data        BYTEA NOT NULL,
	expires_at  BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	epoch       BIGINT NOT NULL,
	began_at    BIGINT NOT NULL,
	seen_at     BIGINT NOT NULL,
	browser     TEXT NOT NULL,
	system      TEXT NOT NULL,
	address     TEXT NOT NULL,
	ended       BOOLEAN NOT NULL
);
CREATE INDEX operator_sessions_expiring ON operator_sessions (expires_at);
CREATE INDEX operator_sessions_of_operator ON operator_sessions (operator_id);

-- A lease is held by an open stream of a console and ends on its own when it is not renewed.
CREATE TABLE operator_leases (
	id          TEXT PRIMARY KEY,
	operator_id BIGINT NOT NULL,
	expires_at  BIGINT NOT NULL
);
CREATE INDEX operator_leases_expiring ON operator_leases (expires_at);

-- Groups of a site's operators: who answers, when, and by which telephone. "hours" is an object and "holidays" a list. A
-- group without members is of all who see the site.
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


-- chat: conversations of visitors with operators

-- There is one for each visitor of a site. "seq" is the number of the last entry, "waiting_since" when the visitor wrote
-- what nobody has answered yet, or 0, and "lead_id" the lead that was made of it when nobody answered, or 0.
-- "read_before" is up to where operators had read when it was last handed to one of them: "operator_read" goes back then,
-- and the visitor is still told that it was read. "unasked" is the visit in which an operator has written first, or 0,
-- also when the visitor has answered. Visitors and visits are in public form. While it waits, "offered_to" is to whom it is
-- offered, 0 for all, and "offered_until" until when: 0 for no offer, 1 for one to whoever comes, the greatest for good.
CREATE TABLE conversations (
	site_id       BIGINT NOT NULL,
	id            BIGINT NOT NULL,
	visitor_id    BIGINT NOT NULL,
	visit_id      BIGINT NOT NULL,
	view_id       BIGINT NOT NULL,
	group_id      BIGINT NOT NULL,
	state         TEXT NOT NULL,
	operator_id   BIGINT NOT NULL,
	seq           BIGINT NOT NULL,
	visitor_read  BIGINT NOT NULL,
	operator_read BIGINT NOT NULL,
	read_before   BIGINT NOT NULL DEFAULT 0,
	opened_at     BIGINT NOT NULL,
	waiting_since BIGINT NOT NULL,
	last_at       BIGINT NOT NULL,
	last_from     TEXT NOT NULL,
	banned        BOOLEAN NOT NULL,
	url           TEXT NOT NULL,
	language      TEXT NOT NULL,
	lead_id       BIGINT NOT NULL,
	unasked       BIGINT NOT NULL DEFAULT 0,
	offered_to    BIGINT NOT NULL DEFAULT 0,
	offered_until BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX conversations_of_visitor ON conversations (site_id, visitor_id);
CREATE INDEX conversations_newest ON conversations (last_at, id);
CREATE INDEX conversations_of_site ON conversations (site_id, last_at, id);
CREATE INDEX conversations_of_lead ON conversations (site_id, lead_id) WHERE lead_id <> 0;
-- The desk looks each second for those who wait: in the groups that route, and for an answer of the operator who has
-- them. The console counts and lists what is not closed with each message. Most conversations are closed, or waited for
-- in vain, and are offered to all for good.
CREATE INDEX conversations_of_group ON conversations (site_id, group_id, offered_until) WHERE state = 'waiting' AND offered_until < 9223372036854775807;
CREATE INDEX conversations_of_operator ON conversations (operator_id) WHERE state = 'open';
CREATE INDEX conversations_offered ON conversations (offered_to) WHERE state = 'waiting' AND offered_to <> 0;
CREATE INDEX conversations_unanswered ON conversations (last_at, id) WHERE state = 'open' AND waiting_since > 0;
CREATE INDEX conversations_live ON conversations (last_at, id) WHERE state <> 'closed';
CREATE INDEX conversations_live_of_site ON conversations (site_id, last_at, id) WHERE state <> 'closed';

-- The words by which operators sort conversations.
CREATE TABLE conversation_tags (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	tag             TEXT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, tag)
);
CREATE INDEX conversation_tags_of ON conversation_tags (site_id, tag);

-- What was said, in order. A service message has a "code" by which each side words it, or a text. Notes are the
-- operators' own: no visitor sees them.
CREATE TABLE messages (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	seq             BIGINT NOT NULL,
	author          TEXT NOT NULL,
	operator_id     BIGINT NOT NULL,
	client_id       TEXT NOT NULL,
	code            TEXT NOT NULL,
	text            TEXT NOT NULL,
	file_id         BIGINT NOT NULL,
	at              BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, seq)
);
CREATE UNIQUE INDEX messages_once ON messages (site_id, conversation_id, client_id);

-- When visitors got in touch: by the first message of a conversation, and by each after a day of silence. "lead_id" is the
-- lead that was made of it; 0 for none. Reports count these, and the list of all inquiries goes along them.
CREATE TABLE chat_inquiries (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	at              BIGINT NOT NULL,
	lead_id         BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (site_id, conversation_id, at)
);
CREATE INDEX chat_inquiries_newest ON chat_inquiries (at, conversation_id, site_id);
CREATE INDEX chat_inquiries_of_site ON chat_inquiries (site_id, at, conversation_id);
CREATE INDEX chat_inquiries_of_lead ON chat_inquiries (site_id, lead_id) WHERE lead_id <> 0;

-- sqlite:
CREATE TRIGGER chat_inquiry_begun AFTER INSERT ON messages WHEN NEW.author = 'visitor' BEGIN
	INSERT INTO chat_inquiries (site_id, conversation_id, at) SELECT NEW.site_id, NEW.conversation_id, NEW.at
		WHERE NEW.at - 86400000 >= COALESCE((SELECT m.at FROM messages m WHERE m.site_id = NEW.site_id AND m.conversation_id = NEW.conversation_id
			AND m.author = 'visitor' AND m.seq < NEW.seq ORDER BY m.seq DESC LIMIT 1), 0)
		ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER chat_inquiry_made_lead AFTER UPDATE OF lead_id ON conversations WHEN NEW.lead_id <> 0 AND NEW.lead_id <> OLD.lead_id BEGIN
	UPDATE chat_inquiries SET lead_id = NEW.lead_id WHERE site_id = NEW.site_id AND conversation_id = NEW.id
		AND at = (SELECT MAX(l.at) FROM chat_inquiries l WHERE l.site_id = NEW.site_id AND l.conversation_id = NEW.id);
END;
-- postgres:
CREATE FUNCTION chat_inquiry_begun() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO chat_inquiries (site_id, conversation_id, at) SELECT NEW.site_id, NEW.conversation_id, NEW.at
		WHERE NEW.at - 86400000 >= COALESCE((SELECT m.at FROM messages m WHERE m.site_id = NEW.site_id AND m.conversation_id = NEW.conversation_id
			AND m.author = 'visitor' AND m.seq < NEW.seq ORDER BY m.seq DESC LIMIT 1), 0)
		ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;
CREATE TRIGGER chat_inquiry_begun AFTER INSERT ON messages FOR EACH ROW WHEN (NEW.author = 'visitor') EXECUTE FUNCTION chat_inquiry_begun();
CREATE FUNCTION chat_inquiry_made_lead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	UPDATE chat_inquiries SET lead_id = NEW.lead_id WHERE site_id = NEW.site_id AND conversation_id = NEW.id
		AND at = (SELECT MAX(l.at) FROM chat_inquiries l WHERE l.site_id = NEW.site_id AND l.conversation_id = NEW.id);
	RETURN NULL;
END $$;
CREATE TRIGGER chat_inquiry_made_lead AFTER UPDATE ON conversations FOR EACH ROW WHEN (NEW.lead_id <> 0 AND NEW.lead_id <> OLD.lead_id) EXECUTE FUNCTION chat_inquiry_made_lead();
-- both:

-- What was sent along. "type" is what the content was found to be, and "pixels" how many a picture
-- has over all of its frames: 0 for other files, and for pictures of which it is not known. These are offered as files.
CREATE TABLE chat_files (
	site_id         BIGINT NOT NULL,
	id              BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	author          TEXT NOT NULL,
	name            TEXT NOT NULL,
	type            TEXT NOT NULL,
	size            BIGINT NOT NULL,
	pixels          BIGINT NOT NULL DEFAULT 0,
	at              BIGINT NOT NULL,
	content         BYTEA NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX chat_files_of ON chat_files (site_id, conversation_id, at);

-- How many milliseconds a visitor has waited for the answer "seq" of an operator, which came at "at".
CREATE TABLE chat_waits (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	seq             BIGINT NOT NULL,
	group_id        BIGINT NOT NULL,
	operator_id     BIGINT NOT NULL,
	at              BIGINT NOT NULL,
	waited          BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, seq)
);
CREATE INDEX chat_waits_of_time ON chat_waits (site_id, at);

-- What the visitor says of a conversation whose last answer is "seq": whether the operator "operator_id" has helped, and a
-- line.
CREATE TABLE chat_ratings (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	seq             BIGINT NOT NULL,
	operator_id     BIGINT NOT NULL,
	good            BOOLEAN NOT NULL,
	line            TEXT NOT NULL,
	at              BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, seq)
);

-- The letters to a visitor who has left: up to which entry answers were sent, to which address, and how many on the day,
-- counted since 1970. While "due" is set, a job looks after the conversation.
CREATE TABLE chat_letters (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	due             BOOLEAN NOT NULL,
	seq             BIGINT NOT NULL,
	address         TEXT NOT NULL,
	day             BIGINT NOT NULL,
	count           BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id)
);

-- The addresses, in lower case, that want no more of these letters of a site.
CREATE TABLE chat_unwanted (
	site_id BIGINT NOT NULL,
	address TEXT NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, address)
);

-- To whom a conversation has been offered since it last began to wait, and who has given it back.
CREATE TABLE chat_tried (
	site_id         BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	operator_id     BIGINT NOT NULL,
	PRIMARY KEY (site_id, conversation_id, operator_id)
);

-- When an operator was last offered a conversation.
CREATE TABLE chat_turns (
	site_id     BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	at          BIGINT NOT NULL,
	PRIMARY KEY (site_id, operator_id)
);

-- What operators of a site say often, by a short word. "place" is its key, 1 to 9, or 0.
CREATE TABLE chat_replies (
	site_id BIGINT NOT NULL,
	id      BIGINT NOT NULL,
	word    TEXT NOT NULL,
	place   BIGINT NOT NULL,
	text    TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);


-- captcha: what visitors are asked to read from a picture, until they answer or "until" has passed

CREATE TABLE captchas (
	site_id BIGINT NOT NULL,
	key     TEXT NOT NULL,
	digits  TEXT NOT NULL,
	until   BIGINT NOT NULL,
	PRIMARY KEY (site_id, key)
);
CREATE INDEX captchas_until ON captchas (site_id, until);


-- callback

-- Who wants to be called back, and how far that has come. "phone" and "operator" are the numbers to call. "due_at" is
-- when it is tried next, "deadline_at" when the platform has to have told of the next step. "attempts" are those begun,
-- of "most". "order_id" is that of the last one, which the platform has taken when it is "placed". It is "concluded" when
-- its end is the service's own conclusion and not the platform's word. "delivery" names the request of the script, and
-- "status" and "code" are what it was answered.
CREATE TABLE callbacks (
	site_id     BIGINT NOT NULL,
	id          BIGINT NOT NULL,
	state       TEXT NOT NULL,
	reason      TEXT NOT NULL,
	origin      TEXT NOT NULL,
	visitor_id  BIGINT NOT NULL,
	visit_id    BIGINT NOT NULL,
	view_id     BIGINT NOT NULL,
	url         TEXT NOT NULL,
	phone       TEXT NOT NULL,
	group_id    BIGINT NOT NULL,
	wanted_at   BIGINT NOT NULL,
	created_at  BIGINT NOT NULL,
	changed_at  BIGINT NOT NULL,
	due_at      BIGINT NOT NULL,
	deadline_at BIGINT NOT NULL,
	placing_at  BIGINT NOT NULL,
	ended_at    BIGINT NOT NULL,
	attempts    BIGINT NOT NULL,
	most        BIGINT NOT NULL,
	pause       BIGINT NOT NULL,
	operator    TEXT NOT NULL,
	caller_id   TEXT NOT NULL,
	platform    TEXT NOT NULL,
	order_id    TEXT NOT NULL,
	placed      BOOLEAN NOT NULL,
	concluded   BOOLEAN NOT NULL,
	talk        BIGINT NOT NULL,
	delivery    TEXT NOT NULL,
	status      BIGINT NOT NULL,
	code        TEXT NOT NULL,
	steps       BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX callbacks_newest ON callbacks (created_at, id, site_id);
CREATE INDEX callbacks_of_site ON callbacks (site_id, created_at, id);
CREATE INDEX callbacks_of_state ON callbacks (site_id, state, created_at);
CREATE INDEX callbacks_of_visitor ON callbacks (site_id, visitor_id, created_at, id);
CREATE INDEX callbacks_of_phone ON callbacks (phone, created_at);
CREATE UNIQUE INDEX callbacks_of_delivery ON callbacks (site_id, delivery) WHERE delivery <> '';

-- Which attempt of which callback an order of a platform is.
CREATE TABLE callback_orders (
	site_id     BIGINT NOT NULL,
	order_id    TEXT NOT NULL,
	callback_id BIGINT NOT NULL,
	attempt     BIGINT NOT NULL,
	PRIMARY KEY (site_id, order_id)
);
CREATE INDEX callback_orders_of ON callback_orders (order_id);
CREATE INDEX callback_orders_of_callback ON callback_orders (site_id, callback_id);

-- What has happened to a callback, in order. "made_by" is the login of who did it, if that was somebody in the console.
CREATE TABLE callback_steps (
	site_id     BIGINT NOT NULL,
	callback_id BIGINT NOT NULL,
	n           BIGINT NOT NULL,
	at          BIGINT NOT NULL,
	attempt     BIGINT NOT NULL,
	kind        TEXT NOT NULL,
	detail      TEXT NOT NULL,
	made_by     TEXT NOT NULL,
	PRIMARY KEY (site_id, callback_id, n)
);

-- How many callbacks the visitors of a network have asked for, and when. "network" is a keyed hash. Rows are kept for as
-- long as they count.
CREATE TABLE callback_networks (
	site_id BIGINT NOT NULL,
	network TEXT NOT NULL,
	at      BIGINT NOT NULL,
	asked   BIGINT NOT NULL,
	PRIMARY KEY (site_id, network, at)
);
CREATE INDEX callback_networks_of_time ON callback_networks (site_id, at);


-- notify: where the news of a site goes

-- "address" is the URL of a webhook or an address of mail. An endpoint has "begun" once the reader of the journal has
-- come to where it was added: what was before is not sent there. It is "gone" when the receiver has said so.
-- "events" are words with spaces between them, eight at most: whoever notes an event reads all endpoints of its site at once.
CREATE TABLE endpoints (
	site_id        BIGINT NOT NULL,
	id             BIGINT NOT NULL,
	kind           TEXT NOT NULL,
	address        TEXT NOT NULL,
	events         TEXT NOT NULL,
	language       TEXT NOT NULL,
	subject        TEXT NOT NULL,
	template       TEXT NOT NULL,
	content_type   TEXT NOT NULL,
	settings       TEXT NOT NULL,
	secret         TEXT NOT NULL,
	earlier_secret TEXT NOT NULL,
	earlier_until  BIGINT NOT NULL,
	version        BIGINT NOT NULL,
	created_at     BIGINT NOT NULL,
	begun          BOOLEAN NOT NULL,
	paused_at      BIGINT NOT NULL,
	gone           BOOLEAN NOT NULL,
	PRIMARY KEY (site_id, id)
);

-- What was sent to an endpoint, or is to be. "entry" is the number of the journal's entry, "subject_id" the lead or call,
-- and "data" what else the entry said, of which nothing names a person: who it is about is read when it is sent.
CREATE TABLE deliveries (
	site_id     BIGINT NOT NULL,
	endpoint_id BIGINT NOT NULL,
	entry       BIGINT NOT NULL,
	event       TEXT NOT NULL,
	subject_id  BIGINT NOT NULL,
	data        TEXT NOT NULL,
	at          BIGINT NOT NULL,
	noted_at    BIGINT NOT NULL,
	state       TEXT NOT NULL,
	attempts    BIGINT NOT NULL,
	status      BIGINT NOT NULL,
	reason      TEXT NOT NULL,
	detail      TEXT NOT NULL,
	tried_at    BIGINT NOT NULL,
	PRIMARY KEY (site_id, endpoint_id, entry)
);
CREATE INDEX deliveries_newest ON deliveries (site_id, entry);
CREATE INDEX deliveries_of_state ON deliveries (site_id, state, entry);
CREATE INDEX deliveries_oldest ON deliveries (noted_at);
-- With the state, which all of them share, SQLite takes this index and not the primary key.
CREATE INDEX deliveries_held ON deliveries (site_id, endpoint_id, state, entry) WHERE state = 'held';


-- conversion: what advertising and analytics platforms have been told

-- One event of a visitor's that a destination has, which is an endpoint. "entry" is the number of the journal's entry, by
-- which the platform knows the conversion again; "subject" is "lead", "call" or "conversation". Of one that counts no more,
-- "taken_at" says since when; where the person was erased, the subject and the ids are gone. The ids stand here for those
-- platforms alone that fetch conversions. "revised_at" is when the value was changed.
CREATE TABLE conversions (
	site_id       BIGINT NOT NULL,
	endpoint_id   BIGINT NOT NULL,
	entry         BIGINT NOT NULL,
	goal          TEXT NOT NULL,
	subject       TEXT NOT NULL,
	subject_id    BIGINT NOT NULL,
	at            BIGINT NOT NULL,
	value         TEXT NOT NULL,
	currency      TEXT NOT NULL,
	click_id_name TEXT NOT NULL,
	click_id      TEXT NOT NULL,
	client_id     TEXT NOT NULL,
	talk          BIGINT NOT NULL,
	wait          BIGINT NOT NULL,
	first         BOOLEAN NOT NULL,
	revised_at    BIGINT NOT NULL,
	taken_at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, endpoint_id, entry, goal)
);
CREATE INDEX conversions_of_subject ON conversions (site_id, subject_id, subject);
CREATE INDEX conversions_oldest ON conversions (at);


-- bulletin: to whom figures of a site go by mail

-- "every" is day, week or month. "period" is the first day of the latest period that was mailed or is on its way, and
-- "refusals" how often in a row a mail server has said that it will never take the mail. "reason", "status" and "detail"
-- are why the last mail was not taken; empty where it was. "made_by" is the login of whoever has added it.
CREATE TABLE bulletin_subscriptions (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	address    TEXT NOT NULL,
	language   TEXT NOT NULL,
	every      TEXT NOT NULL,
	state      TEXT NOT NULL,
	made_by    TEXT NOT NULL,
	made_at    BIGINT NOT NULL,
	period     BIGINT NOT NULL,
	sent_at    BIGINT NOT NULL,
	tested_at  BIGINT NOT NULL,
	refusals   BIGINT NOT NULL,
	reason     TEXT NOT NULL,
	status     BIGINT NOT NULL,
	detail     TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);


-- journal: what has happened, in order

-- Entries are ordered by the transaction that wrote them and by their number. PostgreSQL must know the former; SQLite has
-- one writer, whose transactions are ordered by the numbers alone.
CREATE TABLE journal (
-- sqlite:
	seq        INTEGER PRIMARY KEY AUTOINCREMENT,
	tx         BIGINT NOT NULL DEFAULT 0,
-- postgres:
	PRIMARY KEY (site_id, seq),
	seq        BIGINT GENERATED ALWAYS AS IDENTITY,
	tx         BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
-- both:
	site_id    BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	subject_id BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	data       TEXT NOT NULL
);
CREATE INDEX journal_order ON journal (tx, seq);
CREATE INDEX journal_visitor ON journal (site_id, visitor_id, seq);
CREATE INDEX journal_of_site ON journal (site_id, tx, seq);
CREATE INDEX journal_leads ON journal (tx, seq) WHERE kind = 'lead.added';
CREATE INDEX journal_leads_of_site ON journal (site_id, tx, seq) WHERE kind = 'lead.added';
-- What was done to accounts and sites, which is little among all that happens.
CREATE INDEX journal_of_administration ON journal (tx, seq)
	WHERE (kind >= 'operator.' AND kind < 'operator/' OR kind >= 'site.' AND kind < 'site/');
CREATE INDEX journal_of_persons ON journal (site_id, subject_id)
	WHERE (kind >= 'lead.' AND kind < 'lead/' OR kind >= 'call.' AND kind < 'call/');

-- Where those who read the journal by name have come to, and which node does it for them: "owner" may, until
-- "expires_at". "seen_at" is when there last was one.
CREATE TABLE journal_readers (
	name       TEXT PRIMARY KEY,
	tx         BIGINT NOT NULL,
	seq        BIGINT NOT NULL,
	owner      TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL
);


-- queue: what has to reach another machine

-- "due_at" is when a job may be taken; who takes it moves it to when another may. Jobs of a "target" are found in their
-- order without looking at those of others. The engines count ids in ways of their own.
CREATE TABLE jobs (
-- sqlite:
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
-- postgres:
	PRIMARY KEY (site_id, id),
	id         BIGINT GENERATED ALWAYS AS IDENTITY,
-- both:
	site_id    BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	target     TEXT NOT NULL,
	lane       BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	payload    TEXT NOT NULL,
	added_at   BIGINT NOT NULL,
	due_at     BIGINT NOT NULL,
	attempts   BIGINT NOT NULL,
	dead_at    BIGINT NOT NULL,
	reason     TEXT NOT NULL
);
CREATE INDEX jobs_due ON jobs (target, due_at, id) WHERE dead_at = 0;
CREATE INDEX jobs_lane ON jobs (target, lane, id) WHERE lane <> 0 AND dead_at = 0;
CREATE INDEX jobs_dead ON jobs (kind, dead_at, id) WHERE dead_at <> 0;
CREATE INDEX jobs_visitor ON jobs (site_id, visitor_id) WHERE visitor_id <> 0;


-- person: who has been erased

-- Who has had a person erased, when, and how many rows that were. The person is known by a keyed hash alone. "ended_at"
-- is 0 while it goes on.
CREATE TABLE erasures (
	id        BIGINT PRIMARY KEY,
	all_sites BOOLEAN NOT NULL,
	asked_by  TEXT NOT NULL,
	person    TEXT NOT NULL,
	asked_at  BIGINT NOT NULL,
	ended_at  BIGINT NOT NULL,
	erased    BIGINT NOT NULL
);

CREATE TABLE erasure_sites (
	site_id    BIGINT NOT NULL,
	erasure_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, erasure_id)
);
CREATE INDEX erasure_sites_of_erasure ON erasure_sites (erasure_id);

-- By what the person of an erasure is known that has not ended. A mark that is "named" is of what only names the person
-- in a text.
CREATE TABLE erasure_marks (
	erasure_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	text       TEXT NOT NULL,
	named      BOOLEAN NOT NULL DEFAULT FALSE,
	PRIMARY KEY (erasure_id, kind, site_id, id, text)
);

-- Numbers and addresses of persons that were erased, as keyed hashes: what they sent before "at" and has waited since is
-- not stored any more.
CREATE TABLE erased_contacts (
	hash TEXT NOT NULL PRIMARY KEY,
	at   BIGINT NOT NULL
);


-- inquiry: what the list of all inquiries is made of

-- The state, the owner and the sale of a call or of a conversation are those of the lead that was made of it, or of the
-- lead that this has been merged into. What no lead was made of has a state by itself.
CREATE VIEW inquiry_calls AS
	SELECT c.site_id, c.id, c.started_at AS at, c.visitor_id, c.visit_id, c.caller AS phone, c.called, c.replaces, COALESCE(r.id, l.id, 0) AS lead_id,
		COALESCE(r.state, l.state, CASE c.status WHEN 'answered' THEN 2 WHEN '' THEN 1 ELSE 0 END) AS state, COALESCE(r.owner_id, l.owner_id, 0) AS owner_id,
		COALESCE(r.group_id, l.group_id, 0) AS group_id, COALESCE(r.is_sale, l.is_sale, FALSE) AS is_sale, c.status, c.recording, c.source_kind
	FROM calls c LEFT JOIN leads l ON l.site_id = c.site_id AND l.id = c.lead_id AND c.lead_id <> 0
		LEFT JOIN leads r ON r.site_id = l.site_id AND r.id = l.merged_into AND l.merged_into <> 0
	WHERE c.site_id <> 0;

CREATE VIEW inquiry_leads AS
	SELECT site_id, id, at, visitor_id, visit_id, id AS lead_id, state, owner_id, group_id, is_sale, source_kind
	FROM leads WHERE merged_into = 0 AND origin NOT IN ('chat', 'missed', 'call');

CREATE VIEW inquiry_callbacks AS
	SELECT site_id, id, created_at AS at, visitor_id, visit_id, phone, 0 AS lead_id,
		CASE WHEN state IN ('done', 'closed') THEN 2 WHEN state IN ('no_answer', 'failed') THEN 0 ELSE 1 END AS state, group_id, state AS status
	FROM callbacks;

CREATE VIEW inquiry_chats AS
	SELECT i.site_id, i.conversation_id AS id, i.at, COALESCE(c.visitor_id, 0) AS visitor_id, COALESCE(c.visit_id, 0) AS visit_id, COALESCE(r.id, l.id, 0) AS lead_id,
		CASE WHEN c.banned THEN 3 ELSE COALESCE(r.state, l.state, CASE c.state WHEN 'waiting' THEN 0 WHEN 'open' THEN 1 ELSE 2 END) END AS state,
		c.operator_id AS owner_id, c.group_id, COALESCE(r.is_sale, l.is_sale, FALSE) AS is_sale, c.waiting_since
	FROM chat_inquiries i LEFT JOIN conversations c ON c.site_id = i.site_id AND c.id = i.conversation_id
		LEFT JOIN leads l ON l.site_id = i.site_id AND l.id = i.lead_id AND i.lead_id <> 0
		LEFT JOIN leads r ON r.site_id = l.site_id AND r.id = l.merged_into AND l.merged_into <> 0;


-- report: what reports count, and what of it has changed since

-- The rows of a site's day, in UTC, by column: package fact says which there are. They outlive what they were made of.
CREATE TABLE report_columns (
	site_id BIGINT NOT NULL,
	name    TEXT NOT NULL,
	day     BIGINT NOT NULL,
	content BYTEA NOT NULL,
	PRIMARY KEY (site_id, name, day)
)
-- sqlite:
WITHOUT ROWID -- a report reads a column's days one after the other, as they are stored
-- both:
;

-- What advertising has cost: a file that an admin has sent, or an entry by hand. It counts in the state 'effect'; before, it is
-- 'loading' or a 'draft', and 'undone' after. "left_lines" are the lines of the file that were not taken, as a list.
-- Days are those of the site's calendar, sums millionths of its currency.
CREATE TABLE cost_imports (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	state      TEXT NOT NULL,
	name       TEXT NOT NULL,
	platform   TEXT NOT NULL,
	source     TEXT NOT NULL,
	medium     TEXT NOT NULL,
	currency   TEXT NOT NULL,
	first_day  BIGINT NOT NULL,
	last_day   BIGINT NOT NULL,
	rows_of    BIGINT NOT NULL,
	amount     BIGINT NOT NULL,
	left_lines TEXT NOT NULL,
	left_out   BIGINT NOT NULL,
	made_by    TEXT NOT NULL,
	made_at    BIGINT NOT NULL,
	stored_at  BIGINT NOT NULL,
	undone_by  TEXT NOT NULL,
	undone_at  BIGINT NOT NULL,
	digest     TEXT NOT NULL,
	PRIMARY KEY (site_id, id)
);

-- What a campaign has cost on a day, by import. Where several in effect tell of the same, the last one counts.
CREATE TABLE costs (
	site_id     BIGINT NOT NULL,
	import_id   BIGINT NOT NULL,
	n           BIGINT NOT NULL,
	day         BIGINT NOT NULL,
	campaign    TEXT NOT NULL,
	amount      BIGINT NOT NULL,
	clicks      BIGINT NOT NULL,
	impressions BIGINT NOT NULL,
	PRIMARY KEY (site_id, import_id, n)
);
CREATE INDEX costs_of_days ON costs (site_id, day, campaign);

-- What has changed on a day and is not in the columns yet. "times" tells one change from a later one. The triggers below
-- write it, so that no change is forgotten, whoever makes it.
CREATE TABLE report_due (
	site_id BIGINT NOT NULL,
	kind    TEXT NOT NULL,
	id      BIGINT NOT NULL,
	day     BIGINT NOT NULL,
	times   BIGINT NOT NULL,
	PRIMARY KEY (site_id, kind, id, day)
);

-- Up to when the visits that went on are in the columns; and how far a rebuilding has come.
CREATE TABLE report_progress (
	name  TEXT PRIMARY KEY,
	until BIGINT NOT NULL
);

-- Reports under a name. "query" is what is asked, as an address has it. Those of site 0 are of all sites that whoever opens
-- them sees.
CREATE TABLE saved_reports (
	site_id     BIGINT NOT NULL,
	id          BIGINT NOT NULL,
	operator_id BIGINT NOT NULL,
	name        TEXT NOT NULL,
	query       TEXT NOT NULL,
	shared      BOOLEAN NOT NULL,
	saved_at    BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX saved_reports_named ON saved_reports (site_id, operator_id, name);
CREATE INDEX saved_reports_of ON saved_reports (operator_id);

-- Links to reports for people without an account, by the hash of their token. "used_at" is 0 for one that nobody has opened.
CREATE TABLE report_links (
	site_id BIGINT NOT NULL,
	id      BIGINT NOT NULL,
	token   TEXT NOT NULL,
	name    TEXT NOT NULL,
	query   TEXT NOT NULL,
	made_by TEXT NOT NULL,
	made_at BIGINT NOT NULL,
	ends_at BIGINT NOT NULL,
	used_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX report_links_by_token ON report_links (site_id, token);

-- What the columns are made of. Ids of visitors are as they stand: numbers of visits, and the public form elsewhere.
CREATE VIEW report_visits AS
	SELECT site_id, id, started_at, last_at, visitor_id, views, bot, scripted, numberless, user_agent, language, country, area, city, source_kind, source_name, source_medium, source_campaign, source_term,
		source_content, source_click_id_name, source_click_id, source_referrer, source_landing
	FROM visits;

CREATE VIEW report_events AS
	SELECT e.site_id, e.id AS event_id, e.at, e.category, e.action, e.value, v.id, v.started_at, v.visitor_id, v.views, v.bot, v.scripted, v.numberless, v.user_agent, v.language,
		v.country, v.area, v.city, v.source_kind, v.source_name, v.source_medium, v.source_campaign, v.source_term, v.source_content, v.source_click_id_name,
		v.source_click_id, v.source_referrer, v.source_landing
	FROM user_events e JOIN visits v ON v.site_id = e.site_id AND v.id = e.visit_id;

-- The pool of a number is that which has it when the call is counted.
CREATE VIEW report_calls AS
	SELECT c.site_id, c.id, c.started_at AS at, c.visitor_id, c.caller AS phone, '' AS email, c.status, COALESCE(l.state, 0) AS state, FALSE AS is_sale, '' AS sale_cost,
		c.source_kind, c.source_name, c.source_medium, c.source_campaign, c.source_term, c.source_content, c.source_click_id_name, c.source_click_id, c.source_referrer, c.source_landing,
		'' AS url, c.called AS number, COALESCE(l.owner_id, 0) AS operator_id, COALESCE(l.group_id, 0) AS group_id, '' AS form_name, COALESCE(p.pool, o.pool, '') AS pool
	FROM calls c LEFT JOIN leads l ON l.site_id = c.site_id AND l.id = c.lead_id AND c.lead_id <> 0
		LEFT JOIN pool_numbers p ON p.digits = c.called LEFT JOIN own_pool_numbers o ON o.digits = c.called
	WHERE c.site_id <> 0;

-- A lead that was merged is a part of another.
CREATE VIEW report_leads AS
	SELECT site_id, id, at, visitor_id, phone_digits AS phone, email, origin AS status, CASE WHEN merged_into <> 0 THEN -1 ELSE state END AS state, is_sale, sale_cost,
		source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing,
		url, '' AS number, owner_id AS operator_id, group_id, form_name, '' AS pool
	FROM leads;

CREATE VIEW report_callbacks AS
	SELECT site_id, id, created_at AS at, visitor_id, phone, '' AS email, state AS status, 0 AS state, FALSE AS is_sale, '' AS sale_cost,
		'' AS source_kind, '' AS source_name, '' AS source_medium, '' AS source_campaign, '' AS source_term, '' AS source_content,
		'' AS source_click_id_name, '' AS source_click_id, '' AS source_referrer, '' AS source_landing,
		url, '' AS number, 0 AS operator_id, group_id, '' AS form_name, '' AS pool
	FROM callbacks;

CREATE VIEW report_chats AS
	SELECT c.site_id, c.id, i.at, c.visitor_id, '' AS phone, '' AS email, '' AS status, CASE WHEN c.banned THEN 3 ELSE COALESCE(l.state, 0) END AS state, FALSE AS is_sale, '' AS sale_cost,
		'' AS source_kind, '' AS source_name, '' AS source_medium, '' AS source_campaign, '' AS source_term, '' AS source_content,
		'' AS source_click_id_name, '' AS source_click_id, '' AS source_referrer, '' AS source_landing,
		c.url, '' AS number, c.operator_id, c.group_id, '' AS form_name, '' AS pool
	FROM chat_inquiries i JOIN conversations c ON c.site_id = i.site_id AND c.id = i.conversation_id
		LEFT JOIN leads l ON l.site_id = c.site_id AND l.id = c.lead_id AND c.lead_id <> 0;

-- sqlite:
CREATE TRIGGER report_visit_added AFTER INSERT ON visits WHEN NEW.last_at < unixepoch() * 1000 - 60000 BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'visit', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_visit_changed AFTER UPDATE OF views, last_at, scripted, numberless ON visits WHEN NEW.last_at < unixepoch() * 1000 - 60000 BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'visit', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_event_added AFTER INSERT ON user_events BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'event', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_call_added AFTER INSERT ON calls BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'call', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_call_changed AFTER UPDATE ON calls BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'call', OLD.id, OLD.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'call', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_call_gone AFTER DELETE ON calls BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'call', OLD.id, OLD.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_lead_added AFTER INSERT ON leads BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'request', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_lead_changed AFTER UPDATE ON leads WHEN OLD.state <> NEW.state OR OLD.owner_id <> NEW.owner_id OR OLD.merged_into <> NEW.merged_into OR OLD.is_sale <> NEW.is_sale OR OLD.sale_cost <> NEW.sale_cost OR OLD.group_id <> NEW.group_id
	OR OLD.phone_digits <> NEW.phone_digits OR OLD.email <> NEW.email OR OLD.form_name <> NEW.form_name OR OLD.visitor_id <> NEW.visitor_id BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'request', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'call', id, started_at / 86400000, 1 FROM calls WHERE site_id = NEW.site_id AND lead_id = NEW.id AND lead_id <> 0
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT m.site_id, 'chat', m.conversation_id, m.at / 86400000, 1 FROM conversations c JOIN messages m ON m.site_id = c.site_id AND m.conversation_id = c.id AND m.author = 'visitor'
			WHERE c.site_id = NEW.site_id AND c.lead_id = NEW.id AND c.lead_id <> 0 GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_lead_gone AFTER DELETE ON leads BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'request', OLD.id, OLD.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'call', id, started_at / 86400000, 1 FROM calls WHERE site_id = OLD.site_id AND lead_id = OLD.id AND lead_id <> 0
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT m.site_id, 'chat', m.conversation_id, m.at / 86400000, 1 FROM conversations c JOIN messages m ON m.site_id = c.site_id AND m.conversation_id = c.id AND m.author = 'visitor'
			WHERE c.site_id = OLD.site_id AND c.lead_id = OLD.id AND c.lead_id <> 0 GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_callback_added AFTER INSERT ON callbacks BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'callback', NEW.id, NEW.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_callback_changed AFTER UPDATE ON callbacks WHEN OLD.state <> NEW.state OR OLD.group_id <> NEW.group_id OR OLD.phone <> NEW.phone BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'callback', NEW.id, NEW.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_callback_gone AFTER DELETE ON callbacks BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'callback', OLD.id, OLD.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_message_added AFTER INSERT ON messages WHEN NEW.author = 'visitor' BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'chat', NEW.conversation_id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_message_gone AFTER DELETE ON messages WHEN OLD.author = 'visitor' BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'chat', OLD.conversation_id, OLD.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
CREATE TRIGGER report_chat_changed AFTER UPDATE ON conversations WHEN OLD.banned <> NEW.banned OR OLD.lead_id <> NEW.lead_id OR OLD.operator_id <> NEW.operator_id OR OLD.group_id <> NEW.group_id BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'chat', conversation_id, at / 86400000, 1 FROM messages WHERE site_id = NEW.site_id AND conversation_id = NEW.id AND author = 'visitor' GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
END;
-- postgres:
CREATE FUNCTION report_visit_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'visit', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_visit_added AFTER INSERT ON visits FOR EACH ROW WHEN (NEW.last_at < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - 60000) EXECUTE FUNCTION report_visit_added();
CREATE FUNCTION report_visit_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'visit', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_visit_changed AFTER UPDATE OF views, last_at, scripted, numberless ON visits FOR EACH ROW WHEN (NEW.last_at < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - 60000) EXECUTE FUNCTION report_visit_changed();
CREATE FUNCTION report_event_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'event', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_event_added AFTER INSERT ON user_events FOR EACH ROW EXECUTE FUNCTION report_event_added();
CREATE FUNCTION report_call_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'call', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_call_added AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION report_call_added();
CREATE FUNCTION report_call_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'call', OLD.id, OLD.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'call', NEW.id, NEW.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_call_changed AFTER UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION report_call_changed();
CREATE FUNCTION report_call_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'call', OLD.id, OLD.started_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_call_gone AFTER DELETE ON calls FOR EACH ROW EXECUTE FUNCTION report_call_gone();
CREATE FUNCTION report_lead_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'request', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_lead_added AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION report_lead_added();
CREATE FUNCTION report_lead_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'request', NEW.id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'call', id, started_at / 86400000, 1 FROM calls WHERE site_id = NEW.site_id AND lead_id = NEW.id AND lead_id <> 0
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT m.site_id, 'chat', m.conversation_id, m.at / 86400000, 1 FROM conversations c JOIN messages m ON m.site_id = c.site_id AND m.conversation_id = c.id AND m.author = 'visitor'
			WHERE c.site_id = NEW.site_id AND c.lead_id = NEW.id AND c.lead_id <> 0 GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_lead_changed AFTER UPDATE ON leads FOR EACH ROW WHEN (OLD.state <> NEW.state OR OLD.owner_id <> NEW.owner_id OR OLD.merged_into <> NEW.merged_into OR OLD.is_sale <> NEW.is_sale OR OLD.sale_cost <> NEW.sale_cost OR OLD.group_id <> NEW.group_id
	OR OLD.phone_digits <> NEW.phone_digits OR OLD.email <> NEW.email OR OLD.form_name <> NEW.form_name OR OLD.visitor_id <> NEW.visitor_id) EXECUTE FUNCTION report_lead_changed();
CREATE FUNCTION report_lead_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'request', OLD.id, OLD.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'call', id, started_at / 86400000, 1 FROM calls WHERE site_id = OLD.site_id AND lead_id = OLD.id AND lead_id <> 0
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT m.site_id, 'chat', m.conversation_id, m.at / 86400000, 1 FROM conversations c JOIN messages m ON m.site_id = c.site_id AND m.conversation_id = c.id AND m.author = 'visitor'
			WHERE c.site_id = OLD.site_id AND c.lead_id = OLD.id AND c.lead_id <> 0 GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_lead_gone AFTER DELETE ON leads FOR EACH ROW EXECUTE FUNCTION report_lead_gone();
CREATE FUNCTION report_callback_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'callback', NEW.id, NEW.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_callback_added AFTER INSERT ON callbacks FOR EACH ROW EXECUTE FUNCTION report_callback_added();
CREATE FUNCTION report_callback_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'callback', NEW.id, NEW.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_callback_changed AFTER UPDATE ON callbacks FOR EACH ROW WHEN (OLD.state <> NEW.state OR OLD.group_id <> NEW.group_id OR OLD.phone <> NEW.phone) EXECUTE FUNCTION report_callback_changed();
CREATE FUNCTION report_callback_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'callback', OLD.id, OLD.created_at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_callback_gone AFTER DELETE ON callbacks FOR EACH ROW EXECUTE FUNCTION report_callback_gone();
CREATE FUNCTION report_message_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (NEW.site_id, 'chat', NEW.conversation_id, NEW.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_message_added AFTER INSERT ON messages FOR EACH ROW WHEN (NEW.author = 'visitor') EXECUTE FUNCTION report_message_added();
CREATE FUNCTION report_message_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) VALUES (OLD.site_id, 'chat', OLD.conversation_id, OLD.at / 86400000, 1)
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_message_gone AFTER DELETE ON messages FOR EACH ROW WHEN (OLD.author = 'visitor') EXECUTE FUNCTION report_message_gone();
CREATE FUNCTION report_chat_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO report_due (site_id, kind, id, day, times) SELECT site_id, 'chat', conversation_id, at / 86400000, 1 FROM messages WHERE site_id = NEW.site_id AND conversation_id = NEW.id AND author = 'visitor' GROUP BY 1, 2, 3, 4
		ON CONFLICT (site_id, kind, id, day) DO UPDATE SET times = report_due.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER report_chat_changed AFTER UPDATE ON conversations FOR EACH ROW WHEN (OLD.banned <> NEW.banned OR OLD.lead_id <> NEW.lead_id OR OLD.operator_id <> NEW.operator_id OR OLD.group_id <> NEW.group_id) EXECUTE FUNCTION report_chat_changed();
-- both:
