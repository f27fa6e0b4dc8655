-- What is dialled behind a lead's number. A number that was written without a plus
-- sign, and of which the stored digits are just those that were written, was no
-- number of the site's country. Its digits look like those of another country, so
-- they go: it stays as it was written.

-- +goose Up
ALTER TABLE leads ADD COLUMN phone_extension TEXT NOT NULL DEFAULT '';
UPDATE leads SET phone_digits = '' WHERE phone NOT LIKE '%+%' AND phone_digits =
	REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '.', '');
UPDATE contacts SET value = '?' || value WHERE kind = 'phone' AND written NOT LIKE '%+%' AND value =
	REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(written, ' ', ''), '-', ''), '(', ''), ')', ''), '.', '');
