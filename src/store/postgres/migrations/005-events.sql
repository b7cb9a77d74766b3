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
