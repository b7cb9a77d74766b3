import type { Stopwatch } from "../../../base/clock.ts";
import type { PostgresAddress } from "../../../base/database-address.ts";
import type { Registry } from "../../../metrics/registry.ts";
import type { StoreTelemetry } from "../../store.ts";
import type { WriteMetrics } from "../../telemetry.ts";
import { asReadError } from "../errors.ts";
import { type Parameter, type Position, type Query, queryIn } from "../query.ts";
import { Connection, primaryMilliseconds } from "./connection.ts";
import { Replicas, standbyStates } from "./replicas.ts";
import { answerMs, ReplicationWatch } from "./replication.ts";

export interface Pools {
  readonly writes: Connection;
  /** Single statements on the primary whose errors are those of reads: the connections of writes are left to transactions. */
  readonly readPrimary: Query;
  /** Reads from any server that shows every acknowledged write. */
  readonly read: Query;
  /** Moves events into the log, apart from the writes of requests, and not counted as one of them. */
  readonly settling: Connection;
  /** Saves the progress of webhooks, which never ends, and must not take the connections of requests. */
  readonly deliveries: Connection;
  /** Transactions on the primary that may take long. */
  readonly exports: Connection;
  /** With standbys to read from, returns when a commit after this position may be acknowledged. */
  readonly acknowledge: ((position: Position) => Promise<void>) | undefined;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly poolSize: number;
  readonly limitMilliseconds: number | undefined;
  readonly stopwatch: Stopwatch | undefined;
  readonly writeMetrics: WriteMetrics;
  readonly watch: StoreTelemetry;
}

export function openPools(
  { urls, schema, replicas: replicaUrls }: PostgresAddress,
  { poolSize, limitMilliseconds, stopwatch, writeMetrics, watch: storeWatch }: PoolOptions,
): Pools {
  const { note, metrics } = storeWatch;
  // Writes may wait for a standby, and must not take the connections of reads meanwhile.
  const writeSize = Math.round(poolSize * shareOfWrites);
  const onTooMany = (begunAt: number) => {
    for (const connection of new Set([writes, reads])) connection.shrink(begunAt);
  };
  const toPrimary = { urls, schema, role: "primary", limitMilliseconds, note, found: {}, onTooMany } as const;
  const asked = { poolSize: 1, limitMilliseconds: answerMs };
  const hasReplicas = replicaUrls.length > 0;
  const watch = hasReplicas ? new ReplicationWatch(new Connection({ ...toPrimary, ...asked }), note) : undefined;
  const acknowledge = watch && ((position: Position) => watch.acknowledge(position));
  const forRequests = { ...toPrimary, watch: storeWatch, stopwatch };
  const writes = new Connection({
    ...forRequests,
    poolSize: writeSize,
    isAppliedOnStandbys: hasReplicas,
    acknowledge,
    transactions: writeMetrics,
  });
  const reads = poolSize === 1 ? writes : new Connection({ ...forRequests, poolSize: poolSize - writeSize });
  const standbys = replicaUrls.map((url) => {
    const standby = { urls: [url], schema, role: "standby", limitMilliseconds: answerMs, note } as const;
    return {
      reads: new Connection({ ...standby, poolSize, watch: storeWatch }),
      probe: new Connection({ ...standby, ...asked }),
    };
  });
  const inBackground = { ...toPrimary, poolSize: 1, isAppliedOnStandbys: hasReplicas, acknowledge };
  const settling = new Connection(inBackground);
  const deliveries = new Connection({ ...inBackground, watch: storeWatch });
  const exports = new Connection({
    ...toPrimary,
    poolSize: maxExports,
    limitMilliseconds: maxExportMs,
    stepMilliseconds: limitMilliseconds ?? primaryMilliseconds,
  });
  const replicas = watch && new Replicas(reads, standbys, watch, note);
  const readsOfStandbys = standbys.map((standby) => standby.reads);
  watchPools(metrics, { writes: [writes], reads: [reads], deliveries: [deliveries], standbys: readsOfStandbys });
  if (replicas) watchStandbys(metrics, replicas);
  const readPrimary = queryIn(writes.schema, <Row>(text: string, parameters?: readonly Parameter[]) =>
    reads.query<Row>(text, parameters).catch((error) => {
      throw asReadError(error);
    }),
  );
  return {
    writes,
    readPrimary,
    read: replicas ? queryIn(writes.schema, replicas.query) : readPrimary,
    acknowledge,
    settling,
    deliveries,
    exports,
    async close() {
      await replicas?.close();
      await Promise.all([writes, reads, settling, deliveries, exports, watch].map((one) => one?.close()));
    },
  };
}

function watchPools(metrics: Registry, pools: Readonly<Record<string, readonly Connection[]>>): void {
  const register = (type: "gauge" | "counter", name: string, help: string, read: (connection: Connection) => number) =>
    metrics.watch(type, name, help, () =>
      Object.entries(pools).map(([pool, connections]) => [
        { pool },
        connections.reduce((sum, one) => sum + read(one), 0),
      ]),
    );
  register("gauge", "pool_connections_in_use", "Connections to PostgreSQL that are in use.", ({ inUse }) => inUse);
  register("gauge", "pool_waiting", "Uses of PostgreSQL beyond the connections there are.", ({ waiting }) => waiting);
  register("counter", "pools_left_total", "How often the connection pool was replaced.", ({ timesLeft }) => timesLeft);
}

function watchStandbys(metrics: Registry, replicas: Replicas): void {
  const help = "Servers that reads may be sent to: trusted ones get them, untrusted and lost ones do not.";
  metrics.watch("gauge", "standbys", help, () =>
    standbyStates.map((state) => [{ state }, replicas.states().filter((standby) => standby.state === state).length]),
  );
  const lagHelp = "What a standby has not replayed yet of what the primary had written.";
  metrics.watch("gauge", "standby_replay_lag_bytes", lagHelp, () =>
    replicas.states().flatMap(({ server, lagBytes }) => (lagBytes === undefined ? [] : [[{ server }, lagBytes]])),
  );
}

/** Concurrent exports; their connections are opened for the first one. */
const maxExports = 2;
const maxExportMs = 60 * 60 * 1000;
/** Share of the connections to the primary. A write keeps one for several round trips, and reads follow each other at once. */
const shareOfWrites = 0.6;
