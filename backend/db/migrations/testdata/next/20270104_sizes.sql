-- contracts
UPDATE leads SET message_size = octet_length(message) WHERE message_size < 0;
-- sqlite:
CREATE TRIGGER leads_size AFTER INSERT ON leads BEGIN
	UPDATE leads SET message_size = octet_length(message) WHERE site_id = NEW.site_id AND id = NEW.id;
END;
-- postgres:
ALTER TABLE leads ALTER COLUMN message_size SET DEFAULT 0, ADD CONSTRAINT leads_size CHECK (message_size >= 0);
