-- New keys were sealed so that a weak configured key could be guessed from them.
WITH batch AS (
  SELECT name FROM store.claims WHERE name > decode($1, 'hex') ORDER BY name LIMIT 1000
), unsealed AS (
  UPDATE store.claims SET conclusion = (conclusion::jsonb #- '{result,sealed}')::text
  FROM batch WHERE claims.name = batch.name AND conclusion LIKE '%"sealed":%'
)
SELECT encode(name, 'hex') AS last FROM batch ORDER BY name DESC LIMIT 1
