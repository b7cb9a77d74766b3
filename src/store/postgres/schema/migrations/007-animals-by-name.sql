-- The folded name, which searches compare; NULL if it is the lower case of an ASCII name.
ALTER TABLE pets ADD COLUMN IF NOT EXISTS folded_name text COLLATE "C";

-- An earlier program does not change the folded name of an animal that it renames: searches would still find the old name.
CREATE OR REPLACE FUNCTION forget_folded_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.folded_name := NULL;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER forget_folded_name BEFORE UPDATE OF name ON pets
  FOR EACH ROW WHEN (NEW.name <> OLD.name AND NEW.folded_name = OLD.folded_name) EXECUTE FUNCTION forget_folded_name();
