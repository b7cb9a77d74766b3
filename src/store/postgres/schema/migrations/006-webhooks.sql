-- A webhook has yet to receive the events after its position in the log, and its parked events.
CREATE TABLE IF NOT EXISTS webhooks (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL,
  -- Separated by commas; empty for all.
  types text NOT NULL,
  description text,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text,
  failing_since bigint,
  -- Sealed with a key that is not stored. Until it retires, the previous secret is used as well.
  secret text NOT NULL,
  previous_secret text,
  retires_at bigint,
  position bigint NOT NULL,
  -- The id of the event at the position; empty before the first.
  event_id text NOT NULL,
  -- Changes whenever the instance that delivers must reload the webhook.
  revision bigint NOT NULL,
  -- The instance that delivers, and the end of its lease.
  lease_owner text,
  lease_until bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Undelivered events before the position: the first of each subject has failed, and later ones wait for it.
CREATE TABLE IF NOT EXISTS webhook_parked (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  position bigint NOT NULL,
  subject text NOT NULL,
  attempts bigint NOT NULL,
  next_at bigint NOT NULL,
  UNIQUE (webhook, position)
);

-- The latest delivery attempts of each webhook, for display.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  -- NULL for a test event, which is not in the log.
  position bigint,
  event_id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  attempt bigint NOT NULL,
  at bigint NOT NULL,
  outcome text NOT NULL,
  status bigint,
  error text,
  duration_ms bigint,
  next_at bigint
);

CREATE INDEX IF NOT EXISTS webhook_deliveries_by_webhook ON webhook_deliveries (webhook, id);
