-- The uses of each key's quota that still count. A crash may lose the uses, so they are neither flushed nor sent to standbys.
CREATE UNLOGGED TABLE IF NOT EXISTS quota_uses (
  -- 0 for the configured key.
  key bigint NOT NULL,
  -- An array of {process, at, count}.
  uses jsonb NOT NULL,
  -- The uses that the last exchange reserved.
  reserved integer NOT NULL,
  -- Milliseconds since 1970.
  expires_at bigint NOT NULL,
  PRIMARY KEY (key)
) WITH (fillfactor = 50);
