-- The first key of the family; NULL for a key that replaced none. Earlier programs did not record which key replaced which, so each
-- existing key begins a family of its own.
ALTER TABLE keys ADD COLUMN line INTEGER;

-- The family of the key that made the request; 0 for the configured key, NULL in earlier rows.
ALTER TABLE claims ADD COLUMN line INTEGER;

CREATE INDEX claims_by_line ON claims (line, created_at);

-- Removes sealed keys: from the earlier seal, an attacker could guess a weak configured key.
UPDATE claims SET conclusion = json_remove(conclusion, '$.result.sealed') WHERE conclusion LIKE '%"sealed":%';
