import type { PostgresAddress } from "../../../base/database-address.ts";
import type { Registry } from "../../../metrics/registry.ts";
import type { StoreTelemetry } from "../../store.ts";
import type { StoreOptions, WriteMetrics } from "../../telemetry.ts";
import { toReadError } from "../errors.ts";
import { createQuery, type Parameter, type WalPosition } from "../query.ts";
import { Connection, defaultPrimaryLimitMs } from "./connection.ts";
import { Replicas, standbyStates } from "./replicas.ts";
import { pollTimeoutMs, ReplicationWatch } from "./replication.ts";

export type Pools = ReturnType<typeof openPools>;

interface PoolOptions extends Pick<StoreOptions, "poolSize" | "limitMilliseconds" | "stopwatch"> {
  readonly writeMetrics: WriteMetrics;
  readonly telemetry: StoreTelemetry;
}

export function openPools({ urls, schema, replicas: replicaUrls }: PostgresAddress, options: PoolOptions) {
  const { poolSize, limitMilliseconds, stopwatch, writeMetrics, telemetry } = options;
  const { note, metrics } = telemetry;
  // Writes may wait for a standby, and must not take the connections of reads meanwhile.
  const writeSize = Math.round(poolSize * writeShare);
  const onTooManyConnections = (begunAt: number) => {
    for (const connection of new Set([writes, reads])) connection.shrink(begunAt);
  };
  const sharedSettings = { urls, schema, role: "primary", limitMilliseconds, note, lastPrimary: {} } as const;
  const primarySettings = { ...sharedSettings, onTooManyConnections };
  const pollSettings = { poolSize: 1, limitMilliseconds: pollTimeoutMs };
  const shouldWaitForStandbys = replicaUrls.length > 0;
  const replication = shouldWaitForStandbys
    ? new ReplicationWatch(new Connection({ ...primarySettings, ...pollSettings, purpose: "poll" }), note)
    : undefined;
  const acknowledge = replication && ((position: WalPosition) => replication.acknowledge(position));
  const durable = { ...primarySettings, shouldWaitForStandbys, acknowledge };
  const requests = { telemetry, stopwatch } as const;
  const writes = new Connection({ ...durable, ...requests, poolSize: writeSize, writeMetrics, purpose: "writes" });
  const reads =
    poolSize === 1
      ? writes
      : new Connection({ ...primarySettings, ...requests, poolSize: poolSize - writeSize, purpose: "reads" });
  const standbys = replicaUrls.map((url) => {
    const standby = { urls: [url], schema, role: "standby", limitMilliseconds: pollTimeoutMs, note } as const;
    return {
      reads: new Connection({ ...standby, poolSize, telemetry, purpose: "reads" }),
      probe: new Connection({ ...standby, ...pollSettings, purpose: "poll" }),
    };
  });
  // The sequencer and the deliveries have a pool each, so that requests neither wait for them nor delay them.
  const sequencing = new Connection({ ...durable, poolSize: 1, purpose: "events" });
  const deliveries = new Connection({ ...durable, poolSize: 1, telemetry, purpose: "webhooks" });
  const exports = new Connection({
    ...primarySettings,
    poolSize: maxExports,
    purpose: "exports",
    limitMilliseconds: maxExportMs,
    stepMilliseconds: limitMilliseconds ?? defaultPrimaryLimitMs,
  });
  const replicas = replication && new Replicas(reads, standbys, replication, note);
  const standbyReads = standbys.map((standby) => standby.reads);
  watchPools(metrics, { writes: [writes], reads: [reads], deliveries: [deliveries], standbys: standbyReads });
  if (replicas) watchStandbys(metrics, replicas);
  const readPrimary = createQuery(writes.schema, <Row>(text: string, parameters?: readonly Parameter[]) =>
    reads.query<Row>(text, parameters).catch((error) => {
      throw toReadError(error);
    }),
  );
  return {
    writes,
    readPrimary,
    read: replicas ? createQuery(writes.schema, replicas.query) : readPrimary,
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
  const watch = (type: "gauge" | "counter", name: string, help: string, read: (connection: Connection) => number) =>
    metrics.watch(type, name, help, () =>
      Object.entries(pools).map(([pool, connections]) => [
        { pool },
        connections.map(read).reduce((sum, n) => sum + n, 0),
      ]),
    );
  watch("gauge", "pool_connections_in_use", "Connections to PostgreSQL that are in use.", (one) => one.inUseCount);
  const waitingHelp = "Uses of PostgreSQL that wait for a connection or share one.";
  watch("gauge", "pool_waiting", waitingHelp, (one) => one.waitingCount);
  watch("counter", "pools_left_total", "How often the connection pool was replaced.", (one) => one.replacementCount);
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
/** Connections to the primary for events, webhooks, exports and the poll for standbys. */
export const maxExtraConnections = maxExports + 3;
const maxExportMs = 60 * 60 * 1000;
/** Share of the primary's connections that writes get. A write holds its connection for several round trips; a read holds it for one. */
const writeShare = 0.6;
