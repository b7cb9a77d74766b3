import { lookup } from "node:dns/promises";
import { hostname } from "node:os";
import { SQL } from "bun";
import { readOnlyState, toFailure, unknownHostCode } from "../errors.ts";

export type ServerRole = "primary" | "standby";

export interface Pool {
  readonly sql: SQL;
  readonly server: string;
}

type OnClosed = (sql: SQL, error: unknown) => void;

/** Connects to all servers at once, and takes the first that accepts writes; for the role of a standby, the first that responds. */
export async function openPool(
  urls: readonly string[],
  role: ServerRole,
  size: number,
  purpose: string,
  onClosed: OnClosed,
): Promise<Pool> {
  const attempts = urls.map((url) => connectTo(url, role, size, purpose, onClosed));
  try {
    const chosen = await Promise.any(attempts);
    for (const attempt of attempts) {
      attempt.then((pool) => (pool === chosen ? undefined : pool.sql.close({ timeout: 0 }))).catch(() => {});
    }
    return chosen;
  } catch (error) {
    throw error instanceof AggregateError ? chooseError(error.errors) : error;
  }
}

/** Returns a server's name for the log, without the user and the password. */
export function serverOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get("host") ?? (host || "localhost");
}

async function connectTo(
  url: string,
  role: ServerRole,
  size: number,
  purpose: string,
  onClosed: OnClosed,
): Promise<Pool> {
  const server = serverOf(url);
  const sql = new SQL({
    // Without this option, the runtime guesses the adapter, also from environment variables that are meant for other programs.
    adapter: "postgres",
    url,
    max: size,
    connectionTimeout: 3,
    connection: { application_name: `animal-store ${purpose} ${hostname()}:${process.pid}` },
    onclose: (error) => onClosed(sql, error),
  });
  try {
    const rows = await sql.unsafe<{ isStandby: boolean }[]>('SELECT pg_is_in_recovery() AS "isStandby"');
    if (role === "standby" || !rows[0]?.isStandby) return { sql, server };
    throw Object.assign(new Error("the server is a standby"), { errno: readOnlyState });
  } catch (error) {
    sql.close({ timeout: 0 }).catch(() => {});
    throw Object.assign((await toUnknownHostError(error, url)) ?? (error as Error), { server });
  }
}

/** Returns an error if the host cannot be resolved, which the driver reports as a refused connection. */
async function toUnknownHostError(error: unknown, url: string): Promise<Error | undefined> {
  const { hostname } = new URL(url);
  if ((error as { code?: unknown }).code !== "ERR_POSTGRES_CONNECTION_REFUSED" || hostname === "") return undefined;
  const isUnknown = !(await lookup(hostname).catch(() => undefined));
  return isUnknown ? Object.assign(new Error("there is no such host"), { code: unknownHostCode }) : undefined;
}

/** Returns the most informative error: preferably from a server that responds, and a standby's refusal only if there is no other error. */
function chooseError(errors: readonly unknown[]): unknown {
  const others = errors.filter((error) => toFailure(error, "").state !== readOnlyState);
  return others.find((error) => toFailure(error, "").state !== "") ?? others[0] ?? errors[0];
}
