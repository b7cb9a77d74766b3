-- What has happened, as each write says in its own transaction. Those numbers are not in the order of the commits.
CREATE TABLE IF NOT EXISTS event_inbox (
  number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  -- Milliseconds since 1970.
  at bigint NOT NULL,
  -- The event as clients get it.
  body text NOT NULL
);

-- The same in the order in which it is read, moved here by one instance at a time. The newest is never removed, so that no
-- position is ever given twice.
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

-- No event, but the mark of a log that does not tell of everything: the store was there before, and programs that do not log
-- may still be writing to it. A store that is made at once with its log has all of its migrations from one transaction.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM migrations WHERE xmin <> pg_current_xact_id()::xid)
ON CONFLICT DO NOTHING;
