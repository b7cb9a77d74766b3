import type { DatabaseAddress } from "../../base/database-address.ts";
import { withDeadline } from "../../base/deadline.ts";
import type { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import type { StoreOptions } from "../../store/telemetry.ts";
import { exitCodes } from "../command.ts";

/** Disposing of the returned object closes the store, but waits only a limited time if the store hangs. */
export async function openForCommand(
  open: typeof openStore,
  address: DatabaseAddress,
  options: Pick<StoreOptions, "limitMilliseconds" | "isBulk"> = {},
): Promise<AsyncDisposable & { readonly store: Store }> {
  const store = await open(address, {
    ...options,
    poolSize: 1,
    onDeath(reason) {
      printProblem(`The database can no longer be written to: ${reason}.`);
      process.exit(exitCodes.failure);
    },
  });
  return {
    store,
    async [Symbol.asyncDispose]() {
      const onLate = () => new Error("The database did not close in time.");
      // Only reports the failure, because the result of the command is valid even if the store does not close.
      await withDeadline(shutdownTimeoutMs, store.close(), onLate).catch(({ message }: Error) => printProblem(message));
    },
  };
}

const shutdownTimeoutMs = 10_000;

const printProblem = (problem: string) => console.error(`animal-store: ${problem}`);
