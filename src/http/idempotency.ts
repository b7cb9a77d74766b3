import { hash } from "node:crypto";
import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import { toJson } from "../base/json.ts";
import { StillInProgress } from "../domain/idempotency.ts";
import type { Caller } from "../domain/key.ts";
import type { Complaint } from "../operations/invalid-input.ts";
import { noVault, type Operation, type Vault } from "../operations/operation.ts";
import { whenAbsent } from "../operations/schema.ts";
import { Vaults } from "../sealing/vault.ts";
import type { Store } from "../store/store.ts";
import type { Values } from "../validation/validator.ts";
import type { WireRequest } from "../wire/message.ts";
import { parseBearerToken } from "./access/token.ts";
import type { Exchange } from "./exchange.ts";

/** Lets a client send a request again, not knowing what became of the first, and has it done once. */
export class Idempotency {
  readonly #underWay = new Set<string>();
  readonly #vaults = new Vaults();

  constructor(readonly clock: Clock) {}

  /**
   * Has the work done with a store that does nothing twice under the request's `Idempotency-Key`, and with a vault for what
   * is kept until then. Throws Conflict while another request with it is in progress.
   */
  run<Result>(
    store: Store,
    exchange: Exchange,
    operation: Operation,
    caller: Caller,
    body: Values,
    work: (store: Store, vault: Vault) => Awaitable<Result>,
  ): Awaitable<Result> {
    const key = keyOf(exchange.request);
    if (key === undefined) return work(store, noVault);
    const record = {
      name: hash("sha256", [caller.family, operation.id, key].join("\n"), "buffer"),
      fingerprint: hash("sha256", `${exchange.path}\n${toJson(identifyingFields(operation, body))}`, "buffer"),
      family: caller.family,
      at: this.clock(),
      onReplay() {
        exchange.headers["Idempotent-Replayed"] = "true";
      },
    };
    const token = parseBearerToken(exchange.request.headers.get("authorization")) ?? "";
    return this.#once(record.name.toString("base64"), () =>
      work(store.withIdempotency(record), this.#vaults.of(token, caller)),
    );
  }

  async #once<Result>(name: string, work: () => Awaitable<Result>): Promise<Result> {
    if (this.#underWay.has(name)) throw new StillInProgress();
    this.#underWay.add(name);
    try {
      return await work();
    } finally {
      this.#underWay.delete(name);
    }
  }
}

/**
 * Returns the fields that identify the request. An optional field that is null by default is left out, so that a repeated request keeps its
 * fingerprint when a new version of the program adds such a field.
 */
function identifyingFields({ body: expected }: Operation, body: Values): Values {
  const properties = expected?.schema.properties ?? {};
  const isDefaultNull = (name: string) => body[name] === null && properties[name]?.[whenAbsent] === null;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isDefaultNull(name)));
}

/** What is wrong with the header, to be told together with what is wrong with the body. */
export function idempotencyKeyComplaints({ headers }: WireRequest): Complaint[] {
  const header = headers.get("idempotency-key");
  if (header === null || keyPattern.test(header.trim())) return [];
  const expected = "must be given once, as 1 to 255 printable ASCII characters without spaces and double quotes";
  return [{ pointer: "Idempotency-Key", message: `Idempotency-Key ${expected}.` }];
}

/** The key as it stands, or as a structured field, in quotes: they mean the same. */
function keyOf({ headers }: WireRequest): string | undefined {
  const [, quoted, plain] = keyPattern.exec(headers.get("idempotency-key")?.trim() ?? "") ?? [];
  return quoted ?? plain;
}

const keyPattern = /^"([\x21\x23-\x7e]{1,255})"$|^([\x21\x23-\x7e]{1,255})$/;
