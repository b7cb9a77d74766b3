import type { Connection, Query } from "./connection.ts";
import { asReadError } from "./errors.ts";

/**
 * The standbys that reads are sent to. One is trusted as long as the primary says that it waits for it at every commit:
 * then it has whatever a client was told was saved.
 */
export class Replicas {
  readonly #primary: Connection;
  readonly #standbys: readonly Connection[];
  readonly #trusted = new Set<Connection>();
  readonly #timer: Timer | undefined;
  #turn = 0;
  #checking: Promise<void> | undefined;

  constructor(primary: Connection, standbys: readonly Connection[]) {
    this.#primary = primary;
    this.#standbys = standbys;
    if (standbys.length === 0) return;
    this.#timer = setInterval(() => {
      this.#checking ??= this.check().finally(() => {
        this.#checking = undefined;
      });
    }, checkEvery);
  }

  /** Reads from a standby, each in its turn, and from the primary if none is fit or the one that was asked is not after all. */
  readonly query: Query = async (text, parameters) => {
    const trusted = [...this.#trusted];
    const standby = trusted[this.#turn++ % trusted.length];
    if (standby) {
      try {
        return await standby.query(text, parameters);
      } catch {
        this.#trusted.delete(standby);
      }
    }
    return await this.#primary.query<never>(text, parameters).catch((error) => {
      throw asReadError(error);
    });
  };

  /** Finds out which standbys are to be trusted. While the primary does not answer, all stay as they are: better old than nothing. */
  async check(): Promise<void> {
    const waitedFor = await this.#namesThatCommitsWaitFor().catch(() => undefined);
    if (!waitedFor) return;
    await Promise.all(
      this.#standbys.map(async (standby) => {
        const name = await nameOf(standby).catch(() => undefined);
        if (name !== undefined && waitedFor.has(name)) this.#trusted.add(standby);
        else this.#trusted.delete(standby);
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  async #namesThatCommitsWaitFor(): Promise<ReadonlySet<string>> {
    const rows = await this.#primary.query<{ name: string }>(
      "SELECT application_name AS name FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'",
    );
    return new Set(rows.map(({ name }) => name));
  }
}

const checkEvery = 250;

/** A standby is known to its primary by its cluster's name. Undefined once it is a standby no more. */
async function nameOf(standby: Connection): Promise<string | undefined> {
  const [row] = await standby.query<{ name: string }>(
    "SELECT current_setting('cluster_name') AS name WHERE pg_is_in_recovery()",
  );
  return row?.name;
}
