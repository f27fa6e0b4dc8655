-- Who wants to be called back, and how far that has come. "phone" and "operator" are the
-- numbers to call. "due_at" is when it is tried next, "deadline_at" when the platform has to
-- have told of the next step; each 0 for never. "attempts" are those begun, of "most".
-- "order_id" is that of the last one, which the platform has taken when "placed" is 1.
-- "concluded" is 1 when its end is the service's own conclusion and not the platform's word.
-- "delivery" names the call of the script, and "status" and "code" are what it was answered.

-- +goose Up
CREATE TABLE callbacks (
	site_id      BIGINT NOT NULL,
	id           BIGINT NOT NULL,
	state        TEXT NOT NULL,
	reason       TEXT NOT NULL,
	origin       TEXT NOT NULL,
	visitor_id   BIGINT NOT NULL,
	session_id   BIGINT NOT NULL,
	hit_id       BIGINT NOT NULL,
	url          TEXT NOT NULL,
	phone        TEXT NOT NULL,
	group_id     BIGINT NOT NULL,
	wanted_at    BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	changed_at   BIGINT NOT NULL,
	due_at       BIGINT NOT NULL,
	deadline_at  BIGINT NOT NULL,
	placing_at   BIGINT NOT NULL,
	ended_at     BIGINT NOT NULL,
	attempts     BIGINT NOT NULL,
	most         BIGINT NOT NULL,
	pause        BIGINT NOT NULL,
	operator     TEXT NOT NULL,
	caller_id    TEXT NOT NULL,
	platform     TEXT NOT NULL,
	order_id     TEXT NOT NULL,
	placed       BIGINT NOT NULL,
	concluded    BIGINT NOT NULL,
	talk         BIGINT NOT NULL,
	delivery     TEXT NOT NULL,
	status       BIGINT NOT NULL,
	code         TEXT NOT NULL,
	steps        BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX callbacks_newest ON callbacks (site_id, created_at);
CREATE INDEX callbacks_of_state ON callbacks (site_id, state, created_at);
CREATE INDEX callbacks_of_visitor ON callbacks (site_id, visitor_id, created_at);
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

-- What has happened to a callback, in order. "made_by" is the login of who did it, if that
-- was somebody in the console.
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
