-- The folded name, which searches compare; NULL if it is the lower case of an ASCII name.
ALTER TABLE categories ADD COLUMN folded_name TEXT;
