-- Removes sealed keys: from the earlier seal, an attacker could guess a weak configured key.
WITH batch AS (
  SELECT name FROM claims WHERE name > decode($1, 'hex') ORDER BY name LIMIT 1000
), unsealed AS (
  UPDATE claims SET conclusion = (conclusion::jsonb #- '{result,sealed}')::text
  FROM batch WHERE claims.name = batch.name AND conclusion LIKE '%"sealed":%'
)
SELECT encode(name, 'hex') AS last FROM batch ORDER BY name DESC LIMIT 1
