import type { PostgresAddress } from "../../../base/database-address.ts";
import type { Diagnosis } from "../../inspection.ts";
import type { Run } from "../query.ts";
import type { Connection } from "./connection.ts";
import { serverOf } from "./open-pool.ts";
import { maxExtraConnections } from "./pools.ts";
import { findObstacle, type ProbeRow, probeQuery } from "./replicas.ts";
import { type KnownStandby, readStandbys } from "./replication.ts";

/** Examines settings of the primary and of the standbys that affect availability. */
export async function diagnoseServers(
  query: Run,
  { replicas }: PostgresAddress,
  poolSize: number,
  connect: (url: string) => Connection,
): Promise<Diagnosis[]> {
  const [primary] = await query<PrimarySettings>(primaryQuery);
  const { first, standbys, missingCount } = await readStandbys(query);
  const servers = await Promise.all(
    replicas.map(async (url) => {
      await using standby = connect(url);
      return await diagnoseStandby(serverOf(url), standby.query, standbys);
    }),
  );
  const servingCount = servers.filter(({ servesReads }) => servesReads).length;
  return [
    ...(primary ? [diagnoseConnections(primary, poolSize), ...diagnoseManager(primary)] : []),
    ...(missingCount > 0 ? [diagnoseBlockedCommits(first?.names ?? "", missingCount)] : []),
    ...(replicas.length > 0 ? [diagnoseServingStandbys(servingCount)] : []),
    ...servers.flatMap(({ diagnoses }) => diagnoses),
  ];
}

interface PrimarySettings {
  readonly available: number;
  readonly isManaged: boolean;
  readonly isOverridden: boolean;
}

/** Without the role pg_monitor, `sourcefile` is NULL, and `isOverridden` is false. */
const primaryQuery = `
  SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS available,
         EXISTS (SELECT FROM pg_stat_activity WHERE application_name ILIKE 'patroni%') AS "isManaged",
         EXISTS (SELECT FROM pg_settings WHERE name = 'synchronous_standby_names'
                 AND sourcefile LIKE '%postgresql.auto.conf') AS "isOverridden"`;

function diagnoseConnections({ available }: PrimarySettings, poolSize: number): Diagnosis {
  const perInstance = poolSize + maxExtraConnections;
  // In a rolling restart, each of two instances may run beside its successor.
  const isWell = 4 * perInstance <= available;
  const found = `an instance opens up to ${perInstance} to the primary, two instances in a rolling restart ${4 * perInstance}; the server allows ${available}`;
  const advice = "Lower --pool-size, raise max_connections, or use a pooler.";
  return { about: "connections", isWell, found, ...(isWell ? {} : { advice }) };
}

function diagnoseBlockedCommits(names: string, missingCount: number): Diagnosis {
  const found = `synchronous_standby_names is ${names}, but ${missingCount} of these are not connected, so no write can finish`;
  return { about: "commits", isWell: false, found, advice: "Start these standbys, or remove them from the setting." };
}

function diagnoseServingStandbys(servingCount: number): Diagnosis {
  const isWell = servingCount > 0;
  const advice = "All reads go to the primary: see what is wrong with each standby.";
  return { about: "standbys", isWell, found: `${servingCount} can serve reads`, ...(isWell ? {} : { advice }) };
}

function diagnoseManager({ isManaged, isOverridden }: PrimarySettings): Diagnosis[] {
  if (!isManaged || !isOverridden) return [];
  const found = "ALTER SYSTEM has set synchronous_standby_names, which overrides Patroni's own setting";
  const advice = "Run ALTER SYSTEM RESET synchronous_standby_names, then SELECT pg_reload_conf().";
  return [{ about: "Patroni", isWell: false, found, advice }];
}

async function diagnoseStandby(
  server: string,
  query: Run,
  standbys: ReadonlyMap<string, KnownStandby>,
): Promise<{ servesReads: boolean; diagnoses: Diagnosis[] }> {
  const about = `standby ${server}`;
  const [probe] = await query<ProbeRow & StandbySettings>(standbyQuery).catch(() => []);
  if (!probe)
    return {
      servesReads: false,
      diagnoses: [{ about, isWell: false, found: "it does not respond", advice: "Start it." }],
    };
  if (!probe.isInRecovery)
    return { servesReads: false, diagnoses: [{ about, isWell: true, found: "it is the primary now" }] };
  const obstacle = findObstacle(probe, standbys);
  const isWell = obstacle === "";
  const fitness: Diagnosis = isWell
    ? { about, isWell, found: "commits wait until it shows them" }
    : { about, isWell, found: `it gets no reads: ${obstacle}`, advice: "See Read replicas in docs/scaling.md." };
  const conflicts = {
    about,
    isWell: false,
    found: `a long query on it can stop all writes for ${probe.delay}`,
    advice: "Set hot_standby_feedback = on and max_standby_streaming_delay = '3s'.",
  };
  return { servesReads: isWell, diagnoses: [fitness, ...(probe.canStopWrites ? [conflicts] : [])] };
}

interface StandbySettings {
  readonly delay: string;
  readonly canStopWrites: boolean;
}

const standbyQuery = `SELECT probe.*, current_setting('max_standby_streaming_delay') AS delay,
  NOT current_setting('hot_standby_feedback')::boolean
    AND (SELECT setting::integer NOT BETWEEN 0 AND 3000 FROM pg_settings WHERE name = 'max_standby_streaming_delay') AS "canStopWrites"
  FROM (${probeQuery}) AS probe`;
