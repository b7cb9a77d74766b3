import { setTimeout } from "node:timers/promises";
import type { Clock } from "../domain/clock.ts";
import { App, type AppLimits } from "../http/app.ts";
import { Authenticator } from "../http/authentication.ts";
import type { Log } from "../http/log.ts";
import { type HttpServer, listen } from "../http/server.ts";
import type { ServerAddress } from "../http/service-endpoints.ts";
import { openApiDocument } from "../openapi/document.ts";
import { operations } from "../operations/index.ts";
import type { Store } from "../store/store.ts";

export interface ServiceParts {
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly ServerAddress[];
  readonly environmentKey?: string | undefined;
  readonly limits?: Partial<AppLimits>;
}

/** The running service: the store behind the interface behind a socket. */
export class Service {
  readonly #parts: ServiceParts;
  readonly #authenticator: Authenticator;
  readonly #app: App;
  readonly #server: HttpServer;
  readonly #recordingUses: Timer;

  /** Throws what the operating system says when the address cannot be had. */
  constructor(parts: ServiceParts) {
    const { store, clock, host, port, environmentKey } = parts;
    this.#parts = parts;
    this.#authenticator = new Authenticator(store.keys, clock, environmentKey);
    this.#app = new App({ ...parts, operations, describe: openApiDocument, authenticator: this.#authenticator });
    this.#server = listen(this.#app, host, port);
    this.#recordingUses = setInterval(() => this.recordUses(), recordUsesEvery);
  }

  get url(): URL {
    return this.#server.url;
  }

  /**
   * Says on `/readyz` that it is leaving and serves on for a while, so that whoever sends traffic here can notice; then
   * lets the requests under way finish, up to a limit, and closes the store.
   */
  async stop(limitMilliseconds: number, delayMilliseconds = 0): Promise<void> {
    this.#app.leave();
    if (delayMilliseconds > 0) await setTimeout(delayMilliseconds);
    await this.#server.stop(limitMilliseconds);
    clearInterval(this.#recordingUses);
    await this.recordUses();
    await this.#parts.store.close();
  }

  /** Writes down when keys were last used, which happens now and then and before the end. */
  async recordUses(): Promise<void> {
    try {
      await this.#authenticator.recordUses();
    } catch (error) {
      this.#parts.log.write("warn", "when keys were last used could not be saved", { cause: String(error) });
    }
  }
}

const recordUsesEvery = 10_000;
