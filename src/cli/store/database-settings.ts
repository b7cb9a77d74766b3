import type { DatabaseAddress } from "../../base/database-address.ts";
import { resolveLinks } from "../../base/files.ts";
import { integerSetting, SettingsError, setting } from "../../config.ts";

const schemaRule = " (with ?schema=NAME, up to 63 lower-case letters, digits and underscores, no digit first)";

export const databaseSetting = setting("--database URL, DATABASE_URL", parseDatabase, {
  help: "The database: sqlite: and the path of a file, or postgres://user@host/database.",
  expects: `sqlite: and the path of a file, such as sqlite:data/animal-store.db, or postgres://user@host/database${schemaRule}`,
  default: "sqlite:data/animal-store.db",
});

export function databaseFlag(flag: string, help: string) {
  return setting(`${flag} URL`, parseDatabase, { help, expects: databaseSetting.expects });
}

export const poolSizeSetting = integerSetting("--pool-size NUMBER, DATABASE_POOL_SIZE", [1, 1000], {
  help: "The maximum number of connections to PostgreSQL.",
  default: "10",
});

export const replicasSetting = setting("--replica URL, DATABASE_REPLICA_URLS", parseReplicas, {
  help: "A PostgreSQL standby to send reads to. Repeat the flag for more; in the variable, separate them with spaces.",
  expects: `one or more addresses such as postgres://user@standby/database${schemaRule}, separated by spaces`,
  isRepeatable: true,
});

export function withReplicas(database: DatabaseAddress, replicas: readonly string[] = []): DatabaseAddress {
  if (replicas.length === 0) return database;
  if (database.kind === "postgres") return { ...database, replicas };
  throw new SettingsError("--replica needs a PostgreSQL database, but --database names a SQLite file.");
}

function parseDatabase(url: string): DatabaseAddress | undefined {
  // Refuses a database in memory, because two connections cannot share it.
  const path = /^sqlite:(?:\/\/(?=\/))?(?!\/\/|:|file:)(.+)$/.exec(url)?.[1];
  return path ? { kind: "sqlite", path: resolveLinks(path) } : parsePostgres(url);
}

function parseReplicas(text: string): string[] | undefined {
  const addresses = text.split(/\s+/).map(parsePostgres);
  const urls = addresses.flatMap((address) => (address?.kind === "postgres" ? address.urls : []));
  return urls.length === addresses.length ? urls : undefined;
}

function parsePostgres(text: string): DatabaseAddress | undefined {
  const urls = parsePostgresUrls(text);
  const schema = urls?.[0]?.searchParams.get("schema") ?? "animal_store";
  if (!urls || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return undefined;
  for (const url of urls) url.searchParams.delete("schema");
  return { kind: "postgres", urls: urls.map(({ href }) => href), schema, replicas: [] };
}

function parsePostgresUrls(text: string): URL[] | undefined {
  // Refuses an unescaped slash in a password, because the part before the slash would look like a host, and be printed.
  const [, start, hosts = "", end] =
    /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)((?:\/[^@?]*)?(?:\?.*)?)$/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const urls = hosts.split(",").flatMap((host) => URL.parse(`${start}${host}${end}`) ?? []);
  return urls.length === hosts.split(",").length ? urls : undefined;
}
