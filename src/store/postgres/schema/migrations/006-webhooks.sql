-- Where events are sent to. What a webhook has yet to get is all that comes after its position in the log, and what is parked.
CREATE TABLE IF NOT EXISTS webhooks (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL,
  -- Separated by commas; empty for all.
  types text NOT NULL,
  description text,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text,
  failing_since bigint,
  -- Sealed with a key that is not stored. The one before is used as well until it retires.
  secret text NOT NULL,
  previous_secret text,
  retires_at bigint,
  position bigint NOT NULL,
  -- Of the event at the position; empty before the first.
  event_id text NOT NULL,
  -- Another after each change that the one who delivers has to know of.
  revision bigint NOT NULL,
  -- Who delivers, and until when nobody else does.
  lease_owner text,
  lease_until bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Events before the position that have yet to be delivered: one of each subject has failed, the others wait behind it.
CREATE TABLE IF NOT EXISTS webhook_parked (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  position bigint NOT NULL,
  subject text NOT NULL,
  attempts bigint NOT NULL,
  next_at bigint NOT NULL,
  UNIQUE (webhook, position)
);

-- The latest attempts of each webhook, for people to look at.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  -- NULL for a test, which is not in the log.
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
