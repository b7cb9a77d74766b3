-- Counts the animals from before the triggers. One statement sees the animals and the changes as of one moment, so the statement need
-- not block writes, and a second run adds nothing.
INSERT INTO inventory_changes (status, change)
SELECT status, sum(change) FROM (
  SELECT status, count(*) AS change FROM pets GROUP BY status
  UNION ALL
  SELECT status, -sum(change) FROM inventory_changes GROUP BY status
) AS differences GROUP BY status HAVING sum(change) <> 0;
