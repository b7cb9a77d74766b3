import type { PostgresAddress } from "../../base/database-address.ts";
import type { Note } from "../store.ts";
import { Connection, type Parameter, type Query } from "./connection.ts";
import { asReadError } from "./errors.ts";
import type { Position } from "./position.ts";
import { Replicas } from "./replicas.ts";
import { answerMs, ReplicationWatch } from "./replication.ts";

/** The ways to the servers. */
export interface Pools {
  readonly writes: Connection;
  /** Reads from the primary. */
  readonly readPrimary: Query;
  /** Reads from any server that shows what was acknowledged. */
  readonly read: Query;
  /** With standbys to read from, returns when what was committed behind a position may be acknowledged. */
  readonly acknowledge: ((position: Position) => Promise<void>) | undefined;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly poolSize: number;
  readonly limitMilliseconds: number | undefined;
  readonly note: Note;
}

export function openPools(
  { urls, schema, replicas: replicaUrls }: PostgresAddress,
  { poolSize, limitMilliseconds, note }: PoolOptions,
): Pools {
  // Writes may wait for a standby, and must not take the connections of reads with them while they do.
  const writeSize = Math.ceil(poolSize * shareOfWrites);
  const onTooMany = () => {
    for (const connection of new Set([writes, reads])) connection.shrink();
  };
  const toPrimary = { urls, schema, role: "primary", limitMilliseconds, note, found: {}, onTooMany } as const;
  const asked = { poolSize: 1, limitMilliseconds: answerMs };
  const hasReplicas = replicaUrls.length > 0;
  const watch = hasReplicas ? new ReplicationWatch(new Connection({ ...toPrimary, ...asked }), note) : undefined;
  const acknowledge = watch && ((position: Position) => watch.acknowledge(position));
  const writes = new Connection({ ...toPrimary, poolSize: writeSize, isAppliedOnStandbys: hasReplicas, acknowledge });
  const reads = poolSize === 1 ? writes : new Connection({ ...toPrimary, poolSize: poolSize - writeSize });
  const standbys = replicaUrls.map((url) => {
    const standby = { urls: [url], schema, role: "standby", limitMilliseconds: answerMs, note } as const;
    return { reads: new Connection({ ...standby, poolSize }), probe: new Connection({ ...standby, ...asked }) };
  });
  const replicas = watch && new Replicas(reads, standbys, watch, note);
  const readPrimary = readOnly(reads);
  return {
    writes,
    readPrimary,
    read: replicas?.query ?? readPrimary,
    acknowledge,
    async close() {
      await replicas?.close();
      await Promise.all([writes.close(), reads.close(), watch?.close()]);
    },
  };
}

/** Of the connections to the primary. Most writes share one anyway. */
const shareOfWrites = 0.4;

function readOnly({ query }: Connection): Query {
  return <Row>(text: string, parameters?: readonly Parameter[]) =>
    query<Row>(text, parameters).catch((error) => {
      throw asReadError(error);
    });
}
