CREATE TABLE IF NOT EXISTS pets (
  -- Clients that read JSON numbers as doubles cannot tell larger ids apart.
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 9007199254740991),
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
);

CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
CREATE INDEX IF NOT EXISTS pets_by_category ON pets (category_id, id);
CREATE INDEX IF NOT EXISTS pets_by_category_and_status ON pets (category_id, status, id);

CREATE TABLE IF NOT EXISTS keys (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash bytea NOT NULL UNIQUE,
  -- Times are milliseconds since 1970.
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  rotated_at bigint,
  last_used_at bigint
);
