-- The name as it is looked for, where that is not just its lower case in ASCII.
ALTER TABLE categories ADD COLUMN folded_name TEXT;
