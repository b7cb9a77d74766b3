-- Where events are sent to. What a webhook has yet to get is all that comes after its position in the log, and what is parked.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- Separated by commas; empty for all.
  types TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason TEXT,
  failing_since INTEGER,
  -- Sealed with a key that is not stored. The one before is used as well until it retires.
  secret TEXT NOT NULL,
  previous_secret TEXT,
  retires_at INTEGER,
  position INTEGER NOT NULL,
  -- Of the event at the position; empty before the first.
  event_id TEXT NOT NULL,
  -- Another after each change that the one who delivers has to know of.
  revision INTEGER NOT NULL,
  -- Who delivers, and until when nobody else does.
  lease_owner TEXT,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Events before the position that have yet to be delivered: one of each subject has failed, the others wait behind it.
CREATE TABLE webhook_parked (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  position INTEGER NOT NULL,
  subject TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  UNIQUE (webhook, position)
) STRICT;

-- The latest attempts of each webhook, for people to look at.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  -- NULL for a test, which is not in the log.
  position INTEGER,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  duration_ms INTEGER,
  next_at INTEGER
) STRICT;

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook);
