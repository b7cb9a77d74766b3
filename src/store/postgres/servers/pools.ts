import type { Stopwatch } from "../../../base/clock.ts";
import type { PostgresAddress } from "../../../base/database-address.ts";
import type { Registry } from "../../../metrics/registry.ts";
import type { StoreTelemetry } from "../../store.ts";
import type { WriteMetrics } from "../../telemetry.ts";
import { toReadError } from "../errors.ts";
import { type Parameter, type Position, type Query, queryIn } from "../query.ts";
import { Connection, defaultPrimaryLimitMs } from "./connection.ts";
import { Replicas, standbyStates } from "./replicas.ts";
import { pollTimeoutMs, ReplicationWatch } from "./replication.ts";

export interface Pools {
  readonly writes: Connection;
  /** Runs single statements on the primary, and reports their errors like those of reads. `writes` is for transactions. */
  readonly readPrimary: Query;
  readonly read: Query;
  /** The pool of the event sequencer. It is separate, so that requests neither wait for the sequencer nor delay it. */
  readonly sequencing: Connection;
  /** The pool that saves the progress of webhook deliveries. It is separate, so that they do not take the connections of requests. */
  readonly deliveries: Connection;
  readonly exports: Connection;
  readonly acknowledge: ((position: Position) => Promise<void>) | undefined;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly poolSize: number;
  readonly limitMilliseconds?: number | undefined;
  readonly stopwatch?: Stopwatch | undefined;
  readonly writeMetrics: WriteMetrics;
  readonly telemetry: StoreTelemetry;
}

export function openPools(
  { urls, schema, replicas: replicaUrls }: PostgresAddress,
  { poolSize, limitMilliseconds, stopwatch, writeMetrics, telemetry }: PoolOptions,
): Pools {
  const { note, metrics } = telemetry;
  // Writes may wait for a standby, and must not take the connections of reads meanwhile.
  const writeSize = Math.round(poolSize * writeShare);
  const onTooManyConnections = (begunAt: number) => {
    for (const connection of new Set([writes, reads])) connection.shrink(begunAt);
  };
  const primary = {
    urls,
    schema,
    role: "primary",
    limitMilliseconds,
    note,
    lastPrimary: {},
    onTooManyConnections,
  } as const;
  const poll = { poolSize: 1, limitMilliseconds: pollTimeoutMs };
  const shouldWaitForStandbys = replicaUrls.length > 0;
  const replication = shouldWaitForStandbys
    ? new ReplicationWatch(new Connection({ ...primary, ...poll }), note)
    : undefined;
  const acknowledge = replication && ((position: Position) => replication.acknowledge(position));
  const durable = { ...primary, shouldWaitForStandbys, acknowledge };
  const writes = new Connection({ ...durable, poolSize: writeSize, telemetry, stopwatch, writeMetrics });
  const reads =
    poolSize === 1 ? writes : new Connection({ ...primary, poolSize: poolSize - writeSize, telemetry, stopwatch });
  const standbys = replicaUrls.map((url) => {
    const standby = { urls: [url], schema, role: "standby", limitMilliseconds: pollTimeoutMs, note } as const;
    return {
      reads: new Connection({ ...standby, poolSize, telemetry }),
      probe: new Connection({ ...standby, ...poll }),
    };
  });
  const sequencing = new Connection({ ...durable, poolSize: 1 });
  const deliveries = new Connection({ ...durable, poolSize: 1, telemetry });
  const exports = new Connection({
    ...primary,
    poolSize: maxExports,
    limitMilliseconds: maxExportMs,
    stepMilliseconds: limitMilliseconds ?? defaultPrimaryLimitMs,
  });
  const replicas = replication && new Replicas(reads, standbys, replication, note);
  const standbyReads = standbys.map((standby) => standby.reads);
  watchPools(metrics, { writes: [writes], reads: [reads], deliveries: [deliveries], standbys: standbyReads });
  if (replicas) watchStandbys(metrics, replicas);
  const readPrimary = queryIn(writes.schema, <Row>(text: string, parameters?: readonly Parameter[]) =>
    reads.query<Row>(text, parameters).catch((error) => {
      throw toReadError(error);
    }),
  );
  return {
    writes,
    readPrimary,
    read: replicas ? queryIn(writes.schema, replicas.query) : readPrimary,
    acknowledge,
    sequencing,
    deliveries,
    exports,
    async close() {
      await replicas?.close();
      await Promise.all([writes, reads, sequencing, deliveries, exports, replication].map((one) => one?.close()));
    },
  };
}

function watchPools(metrics: Registry, pools: Readonly<Record<string, readonly Connection[]>>): void {
  const register = (type: "gauge" | "counter", name: string, help: string, read: (connection: Connection) => number) =>
    metrics.watch(type, name, help, () =>
      Object.entries(pools).map(([pool, connections]) => [
        { pool },
        connections.reduce((sum, connection) => sum + read(connection), 0),
      ]),
    );
  const usedHelp = "Connections to PostgreSQL that are in use.";
  register("gauge", "pool_connections_in_use", usedHelp, ({ inUseCount }) => inUseCount);
  const waitingHelp = "Uses of PostgreSQL that wait for a connection or share one.";
  register("gauge", "pool_waiting", waitingHelp, ({ waitingCount }) => waitingCount);
  const replacedHelp = "How often the connection pool was replaced.";
  register("counter", "pools_left_total", replacedHelp, ({ replacementCount }) => replacementCount);
}

function watchStandbys(metrics: Registry, replicas: Replicas): void {
  const help = "Standbys by state: only trusted ones get reads.";
  metrics.watch("gauge", "standbys", help, () =>
    standbyStates.map((state) => [{ state }, replicas.states().filter((standby) => standby.state === state).length]),
  );
  const lagHelp = "Bytes of the WAL that a standby has not replayed yet.";
  metrics.watch("gauge", "standby_replay_lag_bytes", lagHelp, () =>
    replicas.states().flatMap(({ server, lagBytes }) => (lagBytes === undefined ? [] : [[{ server }, lagBytes]])),
  );
}

const maxExports = 2;
const maxExportMs = 60 * 60 * 1000;
/** Share of the primary's connections that writes get. A write holds its connection for several round trips; a read holds it for one. */
const writeShare = 0.6;
