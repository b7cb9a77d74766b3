import type { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import type { Operands, Settings } from "../../config.ts";
import { type Command, command, type Definition, type Given } from "../command.ts";
import { type Connection, connectionSettings, withService } from "./connection.ts";

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
    run: (given) => withService(given as unknown as Connection, (store) => run({ ...given, store })),
  });
}
