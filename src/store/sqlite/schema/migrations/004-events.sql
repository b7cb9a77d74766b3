-- What has happened, in the order of the commits. The newest is never removed, so that no position is ever given twice.
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  -- The event as clients get it.
  body TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_subject ON events (subject);

-- No event, but the mark of a log that does not tell of everything: the store had something in it before.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM pets) OR EXISTS (SELECT 1 FROM orders)
  OR EXISTS (SELECT 1 FROM categories) OR EXISTS (SELECT 1 FROM keys);
