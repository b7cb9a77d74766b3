-- Lists by category walk along the index by category and status, once per status: an index of its own would cost every create more.
DROP INDEX IF EXISTS pets_by_category;
