import { withDeadline } from "../../base/deadline.ts";
import { oneOf, readArguments, SettingsError, setting } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Key, keyState, longestKeyName, scopes } from "../../domain/key.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import { isName } from "../../domain/name.ts";
import { openExistingStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { type Command, exitCodes } from "../command.ts";
import { parseDuration, parseExpiry } from "../terminal/time.ts";
import { databaseSetting } from "./database-settings.ts";
import { openForCommand } from "./open-for-command.ts";

const settings = {
  database: databaseSetting,
  name: setting((text) => (isName(text, longestKeyName) ? text : undefined), {
    flag: "name",
    placeholder: "TEXT",
    help: "create: who or what the key is for.",
    expects: `1 to ${longestKeyName} characters, at least one of them visible and none of them a control character`,
  }),
  scope: setting(oneOf(scopes), {
    flag: "scope",
    placeholder: "SCOPE",
    help: `create: one of ${scopes.join(", ")}; each includes the ones before it.`,
    expects: `one of ${scopes.join(", ")}`,
    default: "read",
  }),
  expires: setting(parseExpiry, {
    flag: "expires",
    placeholder: "WHEN",
    help: "create, rotate: when the key expires: 90d, 12h, 30m, or a date (00:00 UTC). By default never, or after the same lifetime as the old key.",
    expects: "a duration such as 90d, 12h or 30m, or a future date such as 2031-01-31",
  }),
  overlap: setting(parseDuration, {
    flag: "overlap",
    placeholder: "TIME",
    help: "rotate: how long the old key keeps working, such as 24h; 0 to end it immediately.",
    expects: "a duration such as 24h, 7d or 0",
    default: "24h",
  }),
};

type KeySettings = ReturnType<typeof readArguments<typeof settings>>["settings"];

export const keysCommand: Command = {
  name: "keys",
  usage: "keys create|list|rotate ID|revoke ID [settings]",
  summary: "Create, list, rotate and revoke API keys, even while the service is running.",
  settings,
  async run(args) {
    const { settings: given, positionals } = readArguments(settings, args);
    const [action = "", ...rest] = positionals;
    switch (action) {
      case "create": {
        const name = nameOf(given, rest);
        return await withStore(given, (store) => create(store, name, given));
      }
      case "list":
        refuseMore(action, rest);
        return await withStore(given, list);
      case "rotate": {
        const id = idOf(action, rest);
        return await withStore(given, (store) => rotate(store, id, given));
      }
      case "revoke": {
        const id = idOf(action, rest);
        return await withStore(given, (store) => revoke(store, id));
      }
      default:
        throw new SettingsError([
          `keys must be followed by create, list, rotate or revoke, not ${JSON.stringify(action)}.`,
        ]);
    }
  },
};

async function create(store: Store, name: string, { scope, expires }: KeySettings): Promise<number> {
  const key = generateKey();
  const now = store.clock();
  const made = await store.keys.create(
    { name, scope, createdAt: now, expiresAt: expires?.(now) ?? null },
    { hash: hashKey(key) },
  );
  return show(key, `Created key ${made.id}: ${describe(made)}. It is shown only once:`);
}

async function list(store: Store): Promise<number> {
  const now = store.clock();
  const rows: string[][] = [];
  for await (const key of everyKey(store)) {
    rows.push([
      String(key.id),
      key.name,
      key.scope,
      keyState(key, now),
      String(key.line),
      time(key.createdAt),
      time(key.lastUsedAt),
      time(key.expiresAt),
    ]);
  }
  console.log(
    columns([["ID", "NAME", "SCOPE", "STATE", "LINE", "CREATED (UTC)", "LAST USED (UTC)", "EXPIRES (UTC)"], ...rows]),
  );
  return exitCodes.success;
}

async function* everyKey({ keys }: Store): AsyncIterable<Key> {
  for (let page = await keys.list({ limit: 100 }); ; page = await keys.list({ limit: 100, after: page.next })) {
    yield* page.items;
    if (page.next === undefined) return;
  }
}

async function rotate(store: Store, id: number, { expires, overlap }: KeySettings): Promise<number> {
  const now = store.clock();
  const key = generateKey();
  const rotation = { at: now, retiresAt: now + overlap, expiresAt: expires?.(now), keepLastAdmin: false };
  const made = await store.keys.rotate(id, rotation, { hash: hashKey(key) });
  const old = await store.keys.get(id);
  const end = overlap === 0 ? "no longer works" : `works until ${time(old?.expiresAt ?? null)} UTC`;
  return show(key, `Key ${made.id} replaces key ${id}, which ${end}: ${describe(made)}. It is shown only once:`);
}

async function revoke(store: Store, id: number): Promise<number> {
  const revoked = await store.keys.revoke(id, store.clock(), false);
  console.error(`Key ${id} (${revoked.name}) no longer works; a running service stops accepting it within a second.`);
  return exitCodes.success;
}

/** The key alone goes to standard output, so that a script can take it from there. */
function show(key: string, text: string): number {
  console.error(text);
  console.log(key);
  return exitCodes.success;
}

function nameOf({ name }: KeySettings, rest: readonly string[]): string {
  refuseMore("create", rest);
  if (name === undefined) throw new SettingsError(["--name is required: who or what the key is for."]);
  return name;
}

function idOf(action: string, [text = "", ...more]: readonly string[]): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw new SettingsError([`keys ${action} must be followed by the id of a key, as keys list shows it.`]);
  }
  refuseMore(`${action} ${text}`, more);
  return Number(text);
}

function refuseMore(action: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new SettingsError([`keys ${action} does not take ${JSON.stringify(rest.join(" "))}.`]);
}

async function withStore({ database }: KeySettings, action: (store: Store) => Promise<number>): Promise<number> {
  await using opened = await openForCommand(openExistingStore, database);
  return await withDeadline(longestActionMs, action(opened.store), () => {
    const message = "The store did not respond in time. It is not known whether the request was carried out.";
    return new ServiceError("ServiceUnavailable", message, `no answer within ${longestActionMs} ms`);
  });
}

const longestActionMs = 15_000;

function describe({ name, scope, expiresAt }: Key): string {
  return `${name}, scope ${scope}, ${expiresAt === null ? "never expires" : `expires ${time(expiresAt)} UTC`}`;
}

function time(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString().replace("T", " ").slice(0, 16);
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
