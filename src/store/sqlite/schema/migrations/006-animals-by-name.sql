-- The name as it is looked for, where that is not just its lower case in ASCII.
ALTER TABLE pets ADD COLUMN folded_name TEXT;

-- What it found is found by the index by category and status as well, by a walk for each status.
DROP INDEX pets_by_category;
