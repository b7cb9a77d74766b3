-- The name as it is looked for, where that is not just its lower case in ASCII.
ALTER TABLE pets ADD COLUMN IF NOT EXISTS folded_name text COLLATE "C";
