-- The number of events in the row. One row, with one line per event, holds the events of animals that were created together.
ALTER TABLE events ADD COLUMN IF NOT EXISTS size integer NOT NULL DEFAULT 1;
-- Without a default, earlier programs cannot append. They would give positions within such a row again.
ALTER TABLE events ALTER COLUMN size DROP DEFAULT;
-- Compressing a row costs a create more than it saves.
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;
