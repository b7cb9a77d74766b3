import type { QuotaStore, QuotaUse } from "../store.ts";
import type { Query } from "./query.ts";

export function createQuotaStore(query: Query): QuotaStore {
  return {
    async exchange({ key, process, uses, wanted, reservedUntil, limit, cutoff }) {
      const ownCount = uses.reduce((sum, { count }) => sum + count, 0);
      const published = JSON.stringify(uses.map((use) => ({ process, ...use })));
      const parameters = [key, process, published, wanted, limit - ownCount, reservedUntil, cutoff];
      const update = async () =>
        (await query<{ uses: string; reserved: number }>(exchangeStatement(query.schema), parameters))[0];
      const insert = () =>
        query(
          `INSERT INTO ${query.schema}.quota_uses (key, uses, reserved, expires_at) VALUES ($1, '[]', 0, 0) ON CONFLICT DO NOTHING`,
          [key],
        );
      const row = (await update()) ?? (await insert().then(update));
      if (!row) return { reserved: 0, others: [], processCount: 1 };
      const others = (JSON.parse(row.uses) as (QuotaUse & { readonly process: string })[]).filter(
        (use) => use.process !== process,
      );
      return { reserved: row.reserved, others, processCount: 1 + new Set(others.map((use) => use.process)).size };
    },
  };
}

export async function deleteExpiredQuotas(query: Query, now: number): Promise<void> {
  await query(`DELETE FROM ${query.schema}.quota_uses WHERE expires_at <= $1`, [now]);
}

/** An UPDATE locks the row before reading it, so no two processes reserve the same uses. */
const exchangeStatement = (schema: string) => `
  UPDATE ${schema}.quota_uses SET (uses, reserved, expires_at) = (
    SELECT others.uses || $3::text::jsonb || jsonb_build_object('process', $2::text, 'at', $6::bigint, 'count', reserved),
      reserved, greatest(expires_at, $6::bigint + $6::bigint - $7::bigint)
    FROM (
      SELECT coalesce(jsonb_agg(use), '[]') AS uses, coalesce(sum((use->>'count')::integer), 0) AS count
      FROM jsonb_array_elements(quota_uses.uses) AS use
      WHERE use->>'process' <> $2::text AND (use->>'at')::bigint > $7::bigint
    ) AS others,
    LATERAL (SELECT greatest(0, least($4::integer, $5::integer - others.count))::integer) AS granted (reserved)
  )
  WHERE key = $1
  RETURNING uses::text, reserved`;
