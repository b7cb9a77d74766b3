-- Lists by category walk along the index by category and status, once per status: an index by category alone would slow down every create.
DROP INDEX IF EXISTS pets_by_category;
