-- The first key of the family; NULL for a key that replaced none. Earlier programs did not record which key replaced which, so each
-- existing key begins a family of its own.
ALTER TABLE keys ADD COLUMN IF NOT EXISTS line bigint;

-- The family of the key that made the request; 0 for the configured key, NULL in earlier rows.
ALTER TABLE claims ADD COLUMN IF NOT EXISTS line bigint;
