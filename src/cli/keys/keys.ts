import { type Arguments, choiceSetting, operand, type Settings, SettingsError, setting } from "../../config.ts";
import { maxKeyNameLength, type PresentedKey, scopes } from "../../domain/key.ts";
import { isName } from "../../domain/name.ts";
import { type CommandGroup, command } from "../command.ts";
import { formatTime, keyColumns } from "../remote/columns.ts";
import { connectionSettings, isServiceConfigured, withService } from "../remote/connection.ts";
import { itemCommand } from "../remote/remote-command.ts";
import { databaseSetting } from "../store/database-settings.ts";
import { durationSetting, parseExpiry } from "../terminal/time.ts";
import { type KeyRing, withStoredKeys } from "./key-ring.ts";

const targetSettings = {
  database: { ...databaseSetting, help: `Use a database instead of a running service. ${databaseSetting.help}` },
  ...connectionSettings,
};

const expiresSetting = setting("--expires WHEN", parseExpiry, {
  help: "When the key expires: 90d, 12h, 30m, or a date (00:00 UTC). By default never, or after the lifetime of a rotated key.",
  expects: "a duration such as 90d, 12h or 30m, or a future date such as 2031-01-31",
});

const keyId = operand("ID", (text) => (/^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined), {
  help: "The id of the key.",
  expects: "the id of a key, as keys list shows it",
});

export const keysCommands: CommandGroup = {
  name: "keys",
  summary: "Create, list, rotate and revoke API keys, even while the service is running.",
  commands: [
    command({
      name: "create",
      summary: "Create a key. It is printed only once, as the only text on standard output.",
      settings: {
        ...targetSettings,
        name: setting("--name TEXT", (text) => (isName(text, maxKeyNameLength) ? text : undefined), {
          help: "Who or what the key is for.",
          expects: `1 to ${maxKeyNameLength} characters, at least one of them visible and none of them a control character`,
          isRequired: true,
        }),
        scope: choiceSetting("--scope SCOPE", scopes, {
          help: `One of ${scopes.join(", ")}; each includes the ones before it.`,
          default: "read",
        }),
        expires: expiresSetting,
      },
      async run({ output, ...given }) {
        const { name, scope, expires: expiresAt } = given.settings;
        const created = await withKeys(given, async (keys) => await keys.create({ name, scope, expiresAt }));
        if (!output.isJson) output.note(`Created key ${created.id}: ${describeKey(created)}. It is shown only once:`);
        const ifLost = `Key ${created.id} was created. Revoke it with animal-store keys revoke ${created.id}, and create another.`;
        return await output.print(created.key, created, ifLost);
      },
    }),
    command({
      name: "list",
      summary: "List keys, without their secrets.",
      settings: targetSettings,
      async run({ output, ...given }) {
        const keys = await withKeys(given, (ring) => Array.fromAsync(ring.list({ limit: 100 })));
        const hasLines = keys.some((key) => "line" in key);
        const columns = hasLines ? keyColumns.toSpliced(4, 0, { title: "LINE", field: "line" }) : keyColumns;
        return await output.printList(keys, columns);
      },
    }),
    command({
      name: "rotate",
      summary: "Replace a key with a new one, which is printed only once, as the only text on standard output.",
      settings: {
        ...targetSettings,
        expires: expiresSetting,
        overlap: durationSetting("--overlap TIME", "How long the old key keeps working", "24h"),
      },
      operands: { keyId },
      async run({ operands: { keyId: id }, output, ...given }) {
        const { expires: expiresAt, overlap } = given.settings;
        const [created, old] = await withKeys(given, async (keys) => [
          await keys.rotate(id, { expiresAt, overlapSeconds: overlap / 1_000 }),
          await keys.get(id),
        ]);
        const end = overlap === 0 ? "no longer works" : `works until ${formatMinute(old.expiresAt)} UTC`;
        if (!output.isJson) {
          output.note(
            `Key ${created.id} replaces key ${id}, which ${end}: ${describeKey(created)}. It is shown only once:`,
          );
        }
        const ifLost = `Key ${created.id} replaces key ${id}. Rotate it once more with animal-store keys rotate ${created.id} --overlap 0.`;
        return await output.print(created.key, created, ifLost);
      },
    }),
    command({
      name: "revoke",
      summary: "Revoke a key. It stops working within a second.",
      settings: targetSettings,
      operands: { keyId },
      async run({ operands: { keyId: id }, output, ...given }) {
        const revoked = await withKeys(given, async (keys) => await keys.revoke(id));
        const text = `Key ${id} (${revoked.name}) no longer works; a running service stops accepting it within a second.`;
        return await output.report(text, revoked);
      },
    }),
    itemCommand({
      name: "current",
      summary: "Show the key that is used with a running service.",
      columns: keyColumns,
      call: ({ keys }) => keys.current(),
    }),
  ],
};

/** Precedence of targets: a flag, the database of the environment, the service of the environment or of a profile, the default database. */
async function withKeys<Result>(
  given: Pick<Arguments<typeof targetSettings, Settings>, "settings" | "sources">,
  action: (keys: KeyRing) => Promise<Result>,
): Promise<Result> {
  const { settings, sources } = given;
  const isNamed = sources.url === "flag" || sources.profile === "flag";
  if (isNamed && sources.database === "flag") {
    throw new SettingsError(
      "--database cannot be combined with --url or --profile: use either the database or a running service.",
    );
  }
  const isRemote = isNamed || (sources.database === "default" && isServiceConfigured(sources));
  if (isRemote) return await withService(given, (store) => action(store.keys));
  return await withStoredKeys(settings.database, action);
}

function describeKey({ name, scope, expiresAt }: PresentedKey): string {
  return `${name}, scope ${scope}, ${expiresAt === null ? "never expires" : `expires ${formatMinute(expiresAt)} UTC`}`;
}

function formatMinute(text: string | null): string {
  return text === null ? "-" : formatTime(text).slice(0, -":00".length);
}
