CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('placed', 'completed', 'cancelled')),
  -- Times are milliseconds since 1970.
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status, id);
-- No animal has two open orders.
CREATE UNIQUE INDEX open_orders ON orders (pet_id) WHERE status = 'placed';

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;

-- Triggers maintain the counts, so they stay correct if other programs write, and a read costs the same for any number of animals.
CREATE TABLE inventory (
  status TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO inventory (status, count)
SELECT column1, (SELECT count(*) FROM pets WHERE status = column1) FROM (VALUES ('available'), ('pending'), ('sold'));

CREATE TRIGGER count_added AFTER INSERT ON pets BEGIN
  UPDATE inventory SET count = count + 1 WHERE status = new.status;
END;

CREATE TRIGGER count_moved AFTER UPDATE OF status ON pets WHEN old.status <> new.status BEGIN
  UPDATE inventory SET count = count - 1 WHERE status = old.status;
  UPDATE inventory SET count = count + 1 WHERE status = new.status;
END;

CREATE TRIGGER count_removed AFTER DELETE ON pets BEGIN
  UPDATE inventory SET count = count - 1 WHERE status = old.status;
END;

-- Number of changes to animals, except insertions with a new highest id. While the number is the same, the only
-- possible fault of a cached page is that new animals are missing.
CREATE TABLE updates (
  count INTEGER NOT NULL
) STRICT;

INSERT INTO updates (count) VALUES (0);

CREATE TRIGGER note_update AFTER UPDATE ON pets BEGIN
  UPDATE updates SET count = count + 1;
END;

CREATE TRIGGER note_removal AFTER DELETE ON pets BEGIN
  UPDATE updates SET count = count + 1;
END;

CREATE TRIGGER note_insertion AFTER INSERT ON pets
WHEN new.id <= (SELECT seq FROM sqlite_sequence WHERE name = 'pets') BEGIN
  UPDATE updates SET count = count + 1;
END;

-- The outcomes of requests with an idempotency key, each inserted in the transaction of its write.
CREATE TABLE claims (
  name BLOB PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  conclusion TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_age ON claims (created_at);
