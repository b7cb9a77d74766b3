import type { DatabaseAddress } from "../../src/base/database-address.ts";
import { Service, type ServiceParts } from "../../src/cli/serve/service.ts";
import { Log } from "../../src/log/log.ts";
import { Registry } from "../../src/metrics/registry.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreOptions } from "../../src/store/telemetry.ts";
import { Client, isCommittedDocumentServed } from "./client.ts";
import { engine, makeEmptyDatabase, type TestDatabase } from "./database.ts";

export interface TestService extends AsyncDisposable {
  readonly client: Client;
  readonly service: Service;
  readonly store: Store;
  readonly metrics: Registry;
  readonly database: TestDatabase;
}

const testKey = "a-key-for-tests-only";

export async function startService(parts: Partial<ServiceParts> = {}, kind = engine): Promise<TestService> {
  return await startServiceOn(await makeEmptyDatabase(kind), parts);
}

/** Starts a service on an existing database, which is removed together with the service. */
export async function startServiceOn(
  database: TestDatabase,
  parts: Partial<ServiceParts> = {},
  storeOptions: Partial<StoreOptions> = {},
): Promise<TestService> {
  const metrics = new Registry();
  // If a test moves the clock, the stopwatch advances by the same duration.
  const stopwatch = parts.stopwatch ?? parts.clock ?? (() => performance.now());
  const store = await openStoreWithRetries(database.address, {
    poolSize: 4,
    metrics,
    stopwatch,
    ...storeOptions,
    onDeath(reason) {
      throw new Error(`The writer died: ${reason}`);
    },
  });
  const service = new Service({
    log: new Log("off", false),
    metrics,
    servesMetrics: true,
    stopwatch,
    host: "127.0.0.1",
    port: 0,
    addresses: [],
    environmentKey: testKey,
    trustedProxies: [],
    corsOrigins: [],
    maxWrongKeys: Number.POSITIVE_INFINITY,
    ...parts,
    store,
  });
  const servesCommittedDocument = parts.clock === undefined && isCommittedDocumentServed();
  return {
    client: new Client(service.url, testKey, parts.certificate?.cert, servesCommittedDocument),
    service,
    store,
    metrics,
    database,
    async [Symbol.asyncDispose]() {
      await service.stop(0);
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Retries, because a server on a busy machine may take longer to accept a connection than the default timeout. */
async function openStoreWithRetries(address: DatabaseAddress, options: StoreOptions): Promise<Store> {
  for (;;) {
    try {
      return await openStore(address, options);
    } catch (error) {
      if (!String(error).includes("ERR_POSTGRES_CONNECTION_TIMEOUT")) throw error;
    }
  }
}

export function errorBody(status: number, code: string, message: string): object {
  return { code, message, status };
}
