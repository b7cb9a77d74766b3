CREATE TABLE IF NOT EXISTS orders (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 9007199254740991),
  pet_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('placed', 'completed', 'cancelled')),
  -- Times are milliseconds since 1970.
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS orders_by_status ON orders (status, id);
CREATE INDEX IF NOT EXISTS orders_by_pet ON orders (pet_id, id);
CREATE INDEX IF NOT EXISTS orders_by_pet_and_status ON orders (pet_id, status, id);
-- No animal has two open orders.
CREATE UNIQUE INDEX IF NOT EXISTS open_orders ON orders (pet_id) WHERE status = 'placed';

CREATE TABLE IF NOT EXISTS categories (
  id bigint PRIMARY KEY,
  name text NOT NULL
);

-- The inventory is the sum of its changes. Writes only insert changes, because writes that update one sum would wait for each other.
-- A background task sums up the changes from time to time.
CREATE TABLE IF NOT EXISTS inventory_changes (
  status text NOT NULL,
  change bigint NOT NULL
);

CREATE OR REPLACE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change) SELECT status, count(*) FROM added GROUP BY status;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change)
  SELECT status, sum(change) FROM (
    SELECT status, 1 AS change FROM added UNION ALL SELECT status, -1 FROM removed
  ) AS changes GROUP BY status HAVING sum(change) <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change) SELECT status, -count(*) FROM removed GROUP BY status;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_added AFTER INSERT ON pets
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added();
CREATE OR REPLACE TRIGGER count_moved AFTER UPDATE ON pets
  REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_moved();
CREATE OR REPLACE TRIGGER count_removed AFTER DELETE ON pets
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed();

-- The outcomes of requests with an idempotency key, each inserted in the transaction of its write.
CREATE TABLE IF NOT EXISTS claims (
  name bytea PRIMARY KEY,
  fingerprint bytea NOT NULL,
  conclusion text NOT NULL,
  created_at bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS claims_by_age ON claims (created_at);
