-- How many events a row has: the animals of a batch, whose ids follow each other, are told of by one row with a line for each.
ALTER TABLE events ADD COLUMN IF NOT EXISTS size integer NOT NULL DEFAULT 1;
-- So that a program which does not know of it, and would take the positions within such a row for free, cannot append.
ALTER TABLE events ALTER COLUMN size DROP DEFAULT;
-- To compress a row costs a create more than it saves.
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;
