import { SQL } from "bun";
import type { PostgresAddress } from "../../domain/database-address.ts";
import { within } from "../../domain/deadline.ts";
import { toFailure, toServiceError, unknownOutcome } from "./errors.ts";

export type Parameter = string | number | Uint8Array | null | ReturnType<SQL["array"]>;

/** Runs one statement. Integers of 64 bits arrive as their digits. */
export type Query = <Row>(text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

/**
 * A pool of connections of which every use has a deadline. A pool in which one was missed is left
 * behind for a new one, since its connections may be waiting for a server that will never answer.
 */
export class Connection {
  readonly #options: SQL.Options;
  #pool: SQL;

  constructor({ url, schema }: PostgresAddress, poolSize: number) {
    this.#options = {
      url,
      max: poolSize,
      connectionTimeout: 3,
      connection: { application_name: "animal-store", search_path: schema, statement_timeout: statementMilliseconds },
    };
    this.#pool = new SQL(this.#options);
  }

  /** Throws ServiceError. */
  readonly query: Query = (text, parameters = []) => this.#use((pool) => run(pool, text, parameters));

  /** Throws ServiceError; then nothing of it was done, unless the error says that this is not known. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#use((pool) =>
      pool.begin((transaction) => work((text, parameters = []) => run(transaction, text, parameters))),
    );
  }

  array(values: readonly (string | number | bigint)[], type: "TEXT" | "INT8"): Parameter {
    return this.#pool.array([...values].map(String), type);
  }

  async close(): Promise<void> {
    await this.#pool.close({ timeout: 1 });
  }

  async #use<Result>(work: (pool: SQL) => Promise<Result>): Promise<Result> {
    const pool = this.#pool;
    try {
      return await within(deadlineMilliseconds, work(pool), () => new DeadlineMissed());
    } catch (error) {
      if (!(error instanceof DeadlineMissed)) throw toServiceError(toFailure(error));
      if (this.#pool === pool) this.#pool = new SQL(this.#options);
      pool.close({ timeout: 0 }).catch(() => {});
      throw unknownOutcome(`no answer within ${deadlineMilliseconds} ms`);
    }
  }
}

class DeadlineMissed extends Error {}

/** A server that still answers ends a statement itself, before we stop waiting for it. */
const statementMilliseconds = 3_500;
const deadlineMilliseconds = 4_000;

function run<Row>(sql: SQL, text: string, parameters: readonly Parameter[]): Promise<Row[]> {
  return sql.unsafe<Row[]>(text, [...parameters]);
}
