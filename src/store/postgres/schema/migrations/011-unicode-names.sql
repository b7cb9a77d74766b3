-- A checksum of the name and its folded form. Earlier programs fold names differently, and do not set the checksum.
ALTER TABLE pets ADD COLUMN IF NOT EXISTS folding integer;
ALTER TABLE categories ADD COLUMN IF NOT EXISTS folding integer;

-- As before, except that a program which changes the checksum has also set the folded name.
CREATE OR REPLACE TRIGGER forget_folded_name BEFORE UPDATE OF name ON pets
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name AND NEW.folding IS NOT DISTINCT FROM OLD.folding)
  EXECUTE FUNCTION forget_folded_name();
CREATE OR REPLACE TRIGGER forget_folded_category BEFORE UPDATE OF name ON categories
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name AND NEW.folding IS NOT DISTINCT FROM OLD.folding)
  EXECUTE FUNCTION forget_folded_name();
