CREATE TABLE pets (
  -- AUTOINCREMENT never assigns an id twice, even after the newest animal was deleted.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  -- Clients that read JSON numbers as doubles cannot tell larger ids apart.
  CONSTRAINT last_id CHECK (id <= 9007199254740991)
) STRICT;

-- A covering index, because clients request lists by status most often.
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
