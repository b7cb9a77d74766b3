-- The first of the keys that replaced each other; NULL for a key that replaced none. Which of those that are there already
-- replaced which was never written down: each begins a line of its own, to which the claims that it has made belong.
ALTER TABLE keys ADD COLUMN line INTEGER;

-- The line of the key that made the request, 0 for the configured key; not known of those that were kept before.
ALTER TABLE claims ADD COLUMN line INTEGER;

CREATE INDEX claims_by_line ON claims (line, created_at);

-- New keys were sealed so that a weak configured key could be guessed from them.
UPDATE claims SET conclusion = json_remove(conclusion, '$.result.sealed') WHERE conclusion LIKE '%"sealed":%';
