import { farthestAheadMs, timeOfChange } from "../../base/clock.ts";
import { keyCreated, keyRevoked, keyRotated } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import {
  type Key,
  type NewKey,
  noSuchKey,
  requireActive,
  requireGivable,
  requireLastingAdmin,
  successorOf,
} from "../../domain/key.ts";
import type { CreatedKey, KeySecret, KeyStore } from "../store.ts";
import { keyTable } from "../tables.ts";
import type { EventInbox } from "./events/event-inbox.ts";
import { type Row, readOne, readPage, sourceOf } from "./pages.ts";
import { arrayOf, type Query } from "./query.ts";
import type { Perform } from "./work.ts";

export function keyStore(read: Query, perform: Perform, inbox: EventInbox): KeyStore {
  return {
    list: (page) => readPage(read, keySource, [], page),
    get: (id) => readOne(read, keySource, id),

    async find(hash) {
      const [row] = await read<Row>(`SELECT ${keySource.columns} FROM store.keys WHERE hash = $1`, [hash]);
      return row && keySource.toItem(row);
    },

    create: (key, secret, maker) =>
      perform(async (query) => {
        requireGivable(key, maker);
        return await create(query, inbox, key, secret);
      }),

    createFirst: (key, secret) =>
      perform(async (query) => {
        await lockKeys(query);
        const [found] = await query("SELECT 1 FROM store.keys LIMIT 1");
        return found ? undefined : await create(query, inbox, key, secret);
      }),

    rotate: (id, rotation, secret, expected) =>
      perform(async (query) => {
        await lockKeys(query);
        const old = requireActive(await readOne(query, keySource, id), id, rotation.at, expected);
        const successor = successorOf(old, rotation);
        if (rotation.keepLastAdmin) requireLastingAdmin(old, await admins(query), rotation.at, successor);
        const rotatedAt = timeOfChange(rotation.at, old.createdAt);
        const expiresAt = Math.min(old.expiresAt ?? rotation.retiresAt, rotation.retiresAt);
        await inbox.run(
          query,
          "UPDATE store.keys SET rotated_at = $3, expires_at = $2 WHERE id = $1",
          [old.id, expiresAt, rotatedAt],
          keyRotated(old, { ...old, rotatedAt, expiresAt }, rotation.at),
        );
        return await create(query, inbox, successor, secret, old.line);
      }),

    revoke: (id, at, keepLastAdmin, expected) =>
      perform(async (query) => {
        await lockKeys(query);
        const key = await readOne(query, keySource, id);
        if (!key) throw noSuchKey(id);
        requireExpected(key, expected);
        if (keepLastAdmin) requireLastingAdmin(key, await admins(query), at);
        const revokedAt = key.revokedAt ?? timeOfChange(at, key.createdAt, key.rotatedAt);
        const revoked = { ...key, revokedAt };
        await inbox.run(
          query,
          "UPDATE store.keys SET revoked_at = $2 WHERE id = $1",
          [key.id, revokedAt],
          keyRevoked(key, revoked, at),
        );
        return revoked;
      }),

    recordUse: (uses) =>
      perform(async (query) => {
        await query(
          `UPDATE store.keys SET last_used_at = greatest(used.at, created_at)
           FROM (
             SELECT keys.id, used.at FROM store.keys JOIN unnest($1::bigint[], $2::bigint[]) AS used (id, at) USING (id)
             ORDER BY id FOR UPDATE OF keys
           ) AS used
           WHERE keys.id = used.id
             AND coalesce(last_used_at NOT BETWEEN used.at AND used.at + ${farthestAheadMs}, true)`,
          [
            arrayOf(
              uses.map(({ id }) => id),
              "INT8",
            ),
            arrayOf(
              uses.map(({ at }) => at),
              "INT8",
            ),
          ],
        );
      }),
  };
}

async function create(
  query: Query,
  inbox: EventInbox,
  key: NewKey,
  { hash, sealed }: KeySecret,
  line: number | null = null,
): Promise<CreatedKey> {
  const created = { ...key, rotatedAt: null, revokedAt: null, lastUsedAt: null };
  const [row] = await inbox.insert<Row>(
    query,
    `INSERT INTO store.keys (name, scope, hash, created_at, expires_at, line) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${keySource.columns}`,
    [key.name, key.scope, hash, key.createdAt, key.expiresAt, line],
    keyCreated(created, key.createdAt),
  );
  if (!row) throw new Error("An insert returned no key.");
  return { ...keySource.toItem(row), sealed };
}

/** Transactions that change a key, or decide by other keys, run one after the other; all others only read or add. */
async function lockKeys(query: Query): Promise<void> {
  await query("LOCK TABLE store.keys IN SHARE ROW EXCLUSIVE MODE");
}

async function admins(query: Query): Promise<Key[]> {
  const rows = await query<Row>(`SELECT ${keySource.columns} FROM store.keys WHERE scope = 'admin'`);
  return rows.map(keySource.toItem);
}

export const keySource = sourceOf(keyTable);
