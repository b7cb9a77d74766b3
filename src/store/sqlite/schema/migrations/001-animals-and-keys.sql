CREATE TABLE pets (
  -- AUTOINCREMENT never gives an id twice, also after the newest animal was deleted.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  -- Beyond this, clients that read JSON numbers as doubles would mistake one id for another.
  CONSTRAINT last_id CHECK (id <= 9007199254740991)
) STRICT;

-- Holds whole animals, since the list by status is what clients ask for most.
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);

CREATE TABLE keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash BLOB NOT NULL UNIQUE,
  -- Times are milliseconds since 1970.
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  last_used_at INTEGER
) STRICT;
