-- The number of events in the row. One row, with one line per event, holds the events of animals that were created together.
ALTER TABLE events ADD COLUMN IF NOT EXISTS size integer NOT NULL DEFAULT 1;
-- Without a default, earlier programs cannot append: they would assign the positions within a row of several events again.
ALTER TABLE events ALTER COLUMN size DROP DEFAULT;
-- Stores rows uncompressed, because compression would slow down creates.
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;
