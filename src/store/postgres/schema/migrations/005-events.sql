-- Events, inserted in the transactions of their writes. The numbers are not in commit order.
CREATE TABLE IF NOT EXISTS event_inbox (
  number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  -- Milliseconds since 1970.
  at bigint NOT NULL,
  -- The event as clients receive it.
  body text NOT NULL
);

-- The event log. One instance at a time moves events here. The newest is never removed, so no position is given twice.
CREATE TABLE IF NOT EXISTS events (
  position bigint PRIMARY KEY,
  id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

CREATE INDEX IF NOT EXISTS events_by_type ON events (type, position);
CREATE INDEX IF NOT EXISTS events_by_subject ON events (subject, position);

-- Marks an incomplete log: the store is older than its log, and programs without events may still be writing to it. In a new store,
-- one transaction runs all migrations.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM migrations WHERE xmin <> pg_current_xact_id()::xid)
ON CONFLICT DO NOTHING;
