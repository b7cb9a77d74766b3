-- The event log, in commit order. The newest event is never removed, so no position is assigned twice.
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  -- The event as clients receive it.
  body TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_subject ON events (subject);

-- Marks an incomplete log: the store contained data before it had an event log.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM pets) OR EXISTS (SELECT 1 FROM orders)
  OR EXISTS (SELECT 1 FROM categories) OR EXISTS (SELECT 1 FROM keys);
