-- Leases of each key's quota, in time windows that are the same for all instances. A crash may lose the leases, so they
-- are neither flushed nor sent to standbys.
CREATE UNLOGGED TABLE IF NOT EXISTS quota_windows (
  -- Milliseconds since 1970.
  ends_at bigint NOT NULL,
  -- 0 for the configured key.
  key bigint NOT NULL,
  taken bigint NOT NULL,
  -- The size of the last lease.
  granted bigint NOT NULL,
  -- The number of instances with a lease.
  sharers integer NOT NULL,
  PRIMARY KEY (ends_at, key)
) WITH (fillfactor = 50);
