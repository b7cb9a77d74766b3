-- The first of the keys that replaced each other; NULL for a key that replaced none. Which of those that are there already
-- replaced which was never written down: each begins a line of its own, to which the claims that it has made belong.
ALTER TABLE keys ADD COLUMN IF NOT EXISTS line bigint;

-- The line of the key that made the request, 0 for the configured key; not known of those that were kept before.
ALTER TABLE claims ADD COLUMN IF NOT EXISTS line bigint;
