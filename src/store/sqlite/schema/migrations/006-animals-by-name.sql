-- The folded name, which searches compare; NULL if it is the lower case of an ASCII name.
ALTER TABLE pets ADD COLUMN folded_name TEXT;

-- Lists by category walk along the index by category and status, once per status.
DROP INDEX pets_by_category;
