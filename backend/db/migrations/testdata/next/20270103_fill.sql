-- in pieces of leads by site_id, id
UPDATE leads SET message_size = octet_length(message) WHERE (site_id, id) > ($1, $2) AND (site_id, id) <= ($3, $4) AND message_size < 0
