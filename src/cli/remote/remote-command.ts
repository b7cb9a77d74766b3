import type { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import { integerSetting, type Settings, type SettingValues } from "../../config.ts";
import { type Command, command, type Definition } from "../command.ts";
import type { Column } from "../terminal/table.ts";
import { type Connection, connectionSettings, withService } from "./connection.ts";
import { idempotencySetting, type idOperand } from "./settings.ts";

export function remoteCommand<const Named extends Settings, Positional extends Settings>({
  settings,
  run,
  ...rest
}: Definition<Named, Positional, { readonly store: AnimalStore }>): Command {
  return command({
    ...rest,
    settings: { ...settings, ...connectionSettings } as unknown as Named,
    run: (given) => withService(given as unknown as Connection, (store) => run({ ...given, store })),
  });
}

interface CallDefinition<Named extends Settings, Positional extends Settings, Extra, Result>
  extends Omit<Definition<Named, Positional>, "run"> {
  readonly columns: readonly Column[];
  /** `given` contains the command's own settings and its operands. */
  call(store: AnimalStore, given: SettingValues<Named> & SettingValues<Positional>, extra: Extra): Result;
}

interface ItemDefinition<Named extends Settings, Positional extends Settings, Item>
  extends CallDefinition<Named, Positional, { readonly idempotencyKey: string | undefined }, PromiseLike<Item>> {
  readonly takesIdempotencyKey?: true;
  ifLost?(item: Item): string;
}

export function itemCommand<const Named extends Settings, Positional extends Settings, Item extends object>({
  columns,
  call,
  takesIdempotencyKey,
  ifLost,
  ...rest
}: ItemDefinition<Named, Positional, Item>): Command {
  return remoteCommand({
    ...rest,
    settings: {
      ...rest.settings,
      ...(takesIdempotencyKey && { idempotencyKey: idempotencySetting }),
    } as unknown as Named,
    async run({ store, settings, operands, output }) {
      const { idempotencyKey } = settings as { readonly idempotencyKey?: string };
      const item = await call(store, { ...pickOwn(rest.settings, settings), ...operands }, { idempotencyKey });
      return await output.printItem(item, columns, ifLost?.(item));
    },
  });
}

export function listCommand<const Named extends Settings, Positional extends Settings>({
  columns,
  call,
  ...rest
}: CallDefinition<Named, Positional, { readonly limit: number }, AsyncIterable<object>>): Command {
  return remoteCommand({
    ...rest,
    settings: { ...rest.settings, limit: limitSetting } as unknown as Named,
    async run({ store, settings, operands, output }) {
      const { limit = Number.POSITIVE_INFINITY } = settings as { readonly limit?: number };
      const page = { limit: Math.min(limit, maxPageSize) };
      const items = call(store, { ...pickOwn(rest.settings, settings), ...operands }, page);
      return await output.printList(takeFirst(limit, items), columns);
    },
  });
}

export const limitSetting = integerSetting("--limit NUMBER", [1, 999_999_999], {
  help: "The maximum number to show. By default all, fetched page by page.",
});
const maxPageSize = 100;

async function* takeFirst(limit: number, items: AsyncIterable<object>): AsyncGenerator<object, void, undefined> {
  let left = limit;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

/** Returns only the settings that are part of a request, without others such as the URL of the service. */
function pickOwn<Named extends Settings>(own: Named | undefined, values: SettingValues<Named>): SettingValues<Named> {
  return Object.fromEntries(Object.keys(own ?? {}).map((name) => [name, values[name]])) as SettingValues<Named>;
}

export function getCommand(
  noun: string,
  id: ReturnType<typeof idOperand>,
  columns: readonly Column[],
  get: (store: AnimalStore, id: never) => PromiseLike<object>,
): Command {
  const call = (store: AnimalStore, given: object) => get(store, (given as { id: never }).id);
  return itemCommand({ name: "get", summary: `Show ${noun}.`, operands: { id }, columns, call });
}

export function deleteCommand(
  summary: string,
  id: ReturnType<typeof idOperand>,
  deleted: string,
  remove: (store: AnimalStore, id: never) => PromiseLike<unknown>,
): Command {
  return remoteCommand({
    name: "delete",
    summary,
    operands: { id },
    async run({ store, operands, output }) {
      await remove(store, operands.id as never);
      return await output.report(`Deleted ${deleted} ${operands.id}.`, { id: operands.id, isDeleted: true });
    },
  });
}
