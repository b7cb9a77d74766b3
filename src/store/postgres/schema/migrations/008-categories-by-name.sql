-- The name as it is looked for, where that is not just its lower case in ASCII.
ALTER TABLE categories ADD COLUMN IF NOT EXISTS folded_name text COLLATE "C";

-- As for animals: a program that does not know of it leaves it as it was when it gives a category another name.
CREATE OR REPLACE TRIGGER forget_folded_category BEFORE UPDATE OF name ON categories
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name) EXECUTE FUNCTION forget_folded_name();
