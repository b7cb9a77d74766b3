import { SQL, sql } from "bun";
import { within } from "../../domain/deadline.ts";
import { ServiceError } from "../../domain/errors.ts";
import { hasMoved, isDisconnected, readOnly, toFailure, toServiceError, unknownOutcome } from "./errors.ts";

export type Parameter = string | number | Uint8Array | null | ReturnType<SQL["array"]>;

/** Runs one statement. Integers of 64 bits arrive as their digits. */
export type Query = <Row>(text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

export type ServerRole = "primary" | "standby";

export interface ConnectionSettings {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly poolSize: number;
  /** Of several servers, the one that takes writes is the primary; a standby is not asked what it is. */
  readonly role: ServerRole;
  /** How long one use may take, if not as long as a request can wait. */
  readonly limitMilliseconds?: number | undefined;
  /** What the server is to know of every session. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * A pool of connections to the server that takes writes, of which every use has a deadline. A pool in which one was
 * missed, or whose server has lost that role, is left behind for a new one, on whichever server then has it.
 */
export class Connection {
  readonly #urls: readonly string[];
  readonly #options: SQL.Options;
  readonly #limit: number;
  readonly #role: ServerRole;
  #pool: Promise<SQL> | undefined;

  constructor({ urls, schema, poolSize, role, limitMilliseconds, parameters }: ConnectionSettings) {
    this.#urls = urls;
    this.#role = role;
    this.#limit = limitMilliseconds ?? (role === "primary" ? primaryMilliseconds : standbyMilliseconds);
    this.#options = {
      max: poolSize,
      connectionTimeout: 3,
      connection: {
        application_name: "animal-store",
        search_path: schema,
        statement_timeout: this.#limit - headStartMilliseconds,
        ...parameters,
      },
    };
  }

  /** Throws ServiceError. */
  readonly query: Query = (text, parameters = []) => this.#use((pool) => run(pool, text, parameters));

  /** Throws ServiceError; then nothing of it was done, unless the error says that this is not known. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#use((pool) =>
      pool.begin((transaction) => work((text, parameters = []) => run(transaction, text, parameters))),
    );
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.close({ timeout: 1 });
  }

  async #use<Result>(work: (pool: SQL) => Promise<Result>): Promise<Result> {
    this.#pool ??= this.#connect();
    const pool = this.#pool;
    try {
      return await within(this.#limit, pool.then(work), () => new DeadlineMissed());
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        this.#leave(pool, 0);
        throw unknownOutcome(`no answer within ${this.#limit} ms`);
      }
      // A refusal of our own rules, which has ended the transaction.
      if (error instanceof ServiceError) throw error;
      const failure = toFailure(error);
      // On one server, a pool finds its way back by itself.
      if (hasMoved(failure) || (isDisconnected(failure) && this.#urls.length > 1)) this.#leave(pool, graceSeconds);
      throw toServiceError(failure);
    }
  }

  /** Asks all servers at once, and takes the first that says it takes writes. */
  async #connect(): Promise<SQL> {
    const attempts = this.#urls.map((url) => this.#connectTo(url));
    try {
      const chosen = await Promise.any(attempts);
      for (const attempt of attempts) {
        attempt.then((pool) => (pool === chosen ? undefined : pool.close({ timeout: 0 }))).catch(() => {});
      }
      return chosen;
    } catch (error) {
      this.#pool = undefined;
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  async #connectTo(url: string): Promise<SQL> {
    const pool = new SQL({ ...this.#options, url });
    try {
      const [server] = await run<{ isStandby: boolean }>(pool, 'SELECT pg_is_in_recovery() AS "isStandby"', []);
      if (this.#role === "standby" || !server?.isStandby) return pool;
      throw Object.assign(new Error("the server is a standby"), { errno: readOnly });
    } catch (error) {
      pool.close({ timeout: 0 }).catch(() => {});
      throw error;
    }
  }

  #leave(pool: Promise<SQL>, seconds: number): void {
    if (this.#pool === pool) this.#pool = undefined;
    pool.then((left) => left.close({ timeout: seconds })).catch(() => {});
  }
}

/** For a parameter of an array type. */
export function arrayOf(values: readonly (string | number | bigint)[], type: "TEXT" | "INT8"): Parameter {
  return sql.array([...values].map(String), type);
}

class DeadlineMissed extends Error {}

/** A standby is given up sooner, so that there is time left to ask the primary instead. */
const primaryMilliseconds = 4_000;
const standbyMilliseconds = 1_000;
/** A server that still answers ends a statement itself, before we stop waiting for it. */
const headStartMilliseconds = 300;
/** For what is still under way in a pool that is left behind. */
const graceSeconds = 5;

function run<Row>(pool: SQL, text: string, parameters: readonly Parameter[]): Promise<Row[]> {
  return pool.unsafe<Row[]>(text, [...parameters]);
}
