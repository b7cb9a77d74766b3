import type { Lease, LeaseRequest, QuotaStore } from "../store.ts";
import { arrayOf, type Query } from "./query.ts";

export function quotaStore(query: Query): QuotaStore {
  return {
    async lease(requests, limit) {
      const rows = await query<LeaseRow>(
        // What each was granted is written down only to be returned. Rows are locked in one order, to avoid deadlocks.
        `INSERT INTO store.quota_windows AS kept (ends_at, key, taken, granted, sharers)
         SELECT ends_at, key, greatest(0, least($5, take)), least($5, take), sharers
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS asked (ends_at, key, take, sharers)
         ORDER BY ends_at, key
         ON CONFLICT (ends_at, key) DO UPDATE SET
           taken = kept.taken + ${granted}, granted = ${granted}, sharers = kept.sharers + excluded.sharers
         RETURNING ends_at, key, taken, granted, sharers`,
        [
          columnOf(requests, ({ endsAt }) => endsAt),
          columnOf(requests, ({ key }) => key),
          columnOf(requests, ({ take }) => take),
          columnOf(requests, ({ isFirst }) => (isFirst ? 1 : 0)),
          limit,
        ],
      );
      const leases = new Map(rows.map((row) => [`${row.ends_at} ${row.key}`, leaseOf(row)]));
      return requests.map(({ endsAt, key }) => leases.get(`${endsAt} ${key}`) ?? nothing);
    },
  };
}

/** Removes what has been used of windows that are over. */
export async function forgetQuotas(query: Query, now: number): Promise<void> {
  await query("DELETE FROM store.quota_windows WHERE ends_at <= $1", [now]);
}

/** Not more than is left, and not more back than was taken. */
const granted = "greatest(-kept.taken, least(excluded.granted, greatest(0, $5 - kept.taken)))";

interface LeaseRow {
  readonly ends_at: string;
  readonly key: string;
  readonly taken: string;
  readonly granted: string;
  readonly sharers: number;
}

function columnOf(requests: readonly LeaseRequest[], pick: (request: LeaseRequest) => number) {
  return arrayOf(requests.map(pick), "INT8");
}

function leaseOf({ taken, granted, sharers }: LeaseRow): Lease {
  return { taken: Number(taken), granted: Math.max(0, Number(granted)), sharers };
}

const nothing: Lease = { taken: 0, granted: 0, sharers: 1 };
