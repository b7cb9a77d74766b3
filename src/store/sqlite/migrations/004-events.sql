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
