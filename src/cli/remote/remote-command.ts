import type { AnimalStore } from "../../client/animal-store.ts";
import { AnimalStoreError, ApiError } from "../../client/errors.ts";
import type { Operands, Settings } from "../../config.ts";
import { type Command, command, type Definition, type Given } from "../command.ts";
import { type Connection, connect, connectionSettings } from "./connection.ts";

type RemoteDefinition<Definitions extends Settings, Places extends Operands> = Omit<
  Definition<Definitions, Places>,
  "run"
> & {
  run(given: Given<Definitions, Places> & { readonly store: AnimalStore }): Promise<number | undefined>;
};

/** A command that asks a running service, which its settings name. */
export function remoteCommand<Definitions extends Settings, Places extends Operands>({
  settings,
  run,
  ...rest
}: RemoteDefinition<Definitions, Places>): Command {
  return command({
    ...rest,
    settings: { ...settings, ...connectionSettings } as unknown as Definitions,
    async run(given) {
      const { store, url } = connect(given as unknown as Connection);
      try {
        return await run({ ...given, store });
      } catch (error) {
        if (error instanceof AnimalStoreError && !(error instanceof ApiError))
          error.message = `${url}: ${error.message}`;
        throw error;
      }
    },
  });
}
