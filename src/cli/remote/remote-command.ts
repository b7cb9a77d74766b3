import type { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import { integerSetting, type Operands, type OperandValues, type Settings, type SettingValues } from "../../config.ts";
import { type Command, command, type Definition, type Given } from "../command.ts";
import type { Secret } from "../terminal/output.ts";
import type { Column } from "../terminal/table.ts";
import { type Connection, connectionSettings, withService } from "./connection.ts";
import type { idOperand } from "./settings.ts";

type RemoteDefinition<Definitions extends Settings, Places extends Operands> = Omit<
  Definition<Definitions, Places>,
  "run"
> & {
  run(given: Given<Definitions, Places> & { readonly store: AnimalStore }): Promise<number | undefined>;
};

/** A command that uses a running service, which its settings name. */
export function remoteCommand<Definitions extends Settings, Places extends Operands>({
  settings,
  run,
  ...rest
}: RemoteDefinition<Definitions, Places>): Command {
  return command({
    ...rest,
    settings: { ...settings, ...connectionSettings } as unknown as Definitions,
    run: (given) => withService(given as unknown as Connection, (store) => run({ ...given, store })),
  });
}

/** The parts of a command that prints the result of a method of the client; the method gets settings and operands in one object. */
type CallDefinition<Definitions extends Settings, Places extends Operands, Result> = Omit<
  Definition<Definitions, Places>,
  "run"
> & {
  readonly columns: readonly Column[];
  call(store: AnimalStore, given: SettingValues<Definitions> & OperandValues<Places>): Result;
};

/** A command that prints one object. `secret` says what to do if an object that is shown only once cannot be printed. */
export function itemCommand<Definitions extends Settings, Places extends Operands, Item extends object>({
  columns,
  call,
  secret,
  ...rest
}: CallDefinition<Definitions, Places, PromiseLike<Item>> & { secret?: (item: Item) => Secret }): Command {
  return remoteCommand({
    ...rest,
    async run({ store, settings, operands, output }) {
      const item = await call(store, { ...settings, ...operands });
      return await output.item(item, columns, secret?.(item));
    },
  });
}

/** A command that lists objects page by page, with a setting for their number. */
export function listCommand<Definitions extends Settings, Places extends Operands>({
  columns,
  call,
  settings,
  ...rest
}: CallDefinition<Definitions, Places, (page: { readonly limit: number }) => AsyncIterable<object>>): Command {
  return remoteCommand({
    ...rest,
    settings: { ...settings, limit: limitSetting } as unknown as Definitions,
    async run({ store, settings: given, operands, output }) {
      const { limit } = given as { readonly limit?: number };
      return await output.list(firstOf(limit, call(store, { ...given, ...operands })), columns);
    },
  });
}

export function getCommand(
  noun: string,
  id: ReturnType<typeof idOperand>,
  columns: readonly Column[],
  get: (store: AnimalStore, id: never) => PromiseLike<object>,
): Command {
  return itemCommand({
    name: "get",
    summary: `Show ${noun}.`,
    operands: { id },
    columns,
    call: (store, given) => get(store, given.id as never),
  });
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
      return await output.done(`Deleted ${deleted} ${operands.id}.`, { id: operands.id, isDeleted: true });
    },
  });
}

export const limitSetting = integerSetting(1, 999_999_999, {
  flag: "limit",
  help: "The maximum number to show. By default all, fetched page by page.",
});

/** Yields the first items of a list. No page is larger than that. */
async function* firstOf(
  limit = Number.POSITIVE_INFINITY,
  walk: (page: { readonly limit: number }) => AsyncIterable<object>,
): AsyncGenerator<object, void, undefined> {
  let left = limit;
  for await (const item of walk({ limit: Math.min(left, maxPage) })) {
    yield item;
    if (--left === 0) return;
  }
}

const maxPage = 100;
