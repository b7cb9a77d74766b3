-- A webhook has yet to receive the events after its position in the log, and its parked events.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- Separated by commas; empty for all.
  types TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason TEXT,
  failing_since INTEGER,
  -- Sealed with a key that is not stored. Until it retires, the previous secret is used as well.
  secret TEXT NOT NULL,
  previous_secret TEXT,
  retires_at INTEGER,
  position INTEGER NOT NULL,
  -- The id of the event at the position; empty before the first event.
  event_id TEXT NOT NULL,
  -- Changes whenever the process that delivers must reload the webhook.
  revision INTEGER NOT NULL,
  -- The process that delivers, and the end of its lease.
  lease_owner TEXT,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Undelivered events before the position: the first of each subject has failed, and later ones wait for the first.
CREATE TABLE webhook_parked (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  position INTEGER NOT NULL,
  subject TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  UNIQUE (webhook, position)
) STRICT;

-- The latest delivery attempts of each webhook, for display.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  -- NULL for a test event, which is not in the log.
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
