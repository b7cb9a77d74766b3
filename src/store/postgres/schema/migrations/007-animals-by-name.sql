-- The name as it is looked for, where that is not just its lower case in ASCII.
ALTER TABLE pets ADD COLUMN IF NOT EXISTS folded_name text COLLATE "C";

-- A program that does not know of it leaves it as it was when it renames an animal, which would still be found by its old name.
CREATE OR REPLACE FUNCTION forget_folded_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.folded_name := NULL;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER forget_folded_name BEFORE UPDATE OF name ON pets
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name) EXECUTE FUNCTION forget_folded_name();
