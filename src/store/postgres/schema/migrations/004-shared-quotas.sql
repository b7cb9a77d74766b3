-- What was leased of the quota of each key, in windows of time that are the same for all instances. It is worth nothing after
-- a crash, so that it need not be flushed nor sent to standbys.
CREATE UNLOGGED TABLE IF NOT EXISTS quota_windows (
  -- Milliseconds since 1970.
  ends_at bigint NOT NULL,
  -- 0 for the configured key.
  key bigint NOT NULL,
  taken bigint NOT NULL,
  -- What the last lease came to.
  granted bigint NOT NULL,
  -- How many instances have leased.
  sharers integer NOT NULL,
  PRIMARY KEY (ends_at, key)
) WITH (fillfactor = 50);
