-- The folded name, which searches compare; NULL if it is the lower case of an ASCII name.
ALTER TABLE categories ADD COLUMN IF NOT EXISTS folded_name text COLLATE "C";

-- As for animals: an earlier program does not change the folded name of a category that it renames.
CREATE OR REPLACE TRIGGER forget_folded_category BEFORE UPDATE OF name ON categories
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name) EXECUTE FUNCTION forget_folded_name();
