import { hash } from "node:crypto";
import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import { toJson } from "../base/json.ts";
import { StillInProgress } from "../domain/idempotency.ts";
import type { Caller } from "../domain/key.ts";
import type { Complaint } from "../operations/invalid-input.ts";
import type { Operation, Vault } from "../operations/operation.ts";
import { whenAbsent } from "../operations/schema.ts";
import { Vaults } from "../sealing/vault.ts";
import type { Store } from "../store/store.ts";
import type { Values } from "../validation/validator.ts";
import type { WireRequest } from "../wire/message.ts";
import type { Exchange } from "./exchange.ts";

export class Idempotency {
  readonly #inProgress = new Set<string>();
  readonly #vaults = new Vaults();

  constructor(readonly clock: Clock) {}

  /** Throws Conflict while another request with the same idempotency key is in progress. */
  async run<Result>(
    store: Store,
    exchange: Exchange,
    idempotencyKey: string,
    operation: Operation,
    caller: Caller,
    body: Values,
    work: (store: Store, vault: Vault) => Awaitable<Result>,
  ): Promise<Result> {
    const record = {
      name: hash("sha256", [caller.family, operation.id, idempotencyKey].join("\n"), "buffer"),
      fingerprint: hash("sha256", `${exchange.path}\n${toJson(pickIdentifyingFields(operation, body))}`, "buffer"),
      family: caller.family,
      at: this.clock(),
      onReplay() {
        exchange.headers["Idempotent-Replayed"] = "true";
      },
    };
    const name = record.name.toString("base64");
    if (this.#inProgress.has(name)) throw new StillInProgress();
    this.#inProgress.add(name);
    try {
      return await work(store.withIdempotency(record), this.#vaults.of(exchange.token ?? "", caller));
    } finally {
      this.#inProgress.delete(name);
    }
  }
}

/** Leaves out fields with the default value null: if a new version adds an optional field, repeated requests keep their fingerprints. */
function pickIdentifyingFields({ body: expectedBody }: Operation, body: Values): Values {
  const properties = expectedBody?.schema.properties ?? {};
  const isDefaultNull = (name: string) => body[name] === null && properties[name]?.[whenAbsent] === null;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isDefaultNull(name)));
}

export function findIdempotencyKeyComplaints({ headers }: WireRequest): Complaint[] {
  const header = headers.get("idempotency-key");
  if (header === null || keyPattern.test(header.trim())) return [];
  const requirement = "must be given once, as 1 to 255 printable ASCII characters without spaces and double quotes";
  return [{ pointer: "Idempotency-Key", message: `Idempotency-Key ${requirement}.` }];
}

/** Returns the idempotency key, if there is one. Quotes (of a structured field) are not part of the key. */
export function parseIdempotencyKey({ headers }: WireRequest): string | undefined {
  const [, quoted, plain] = keyPattern.exec(headers.get("idempotency-key")?.trim() ?? "") ?? [];
  return quoted ?? plain;
}

const keyPattern = /^"([\x21\x23-\x7e]{1,255})"$|^([\x21\x23-\x7e]{1,255})$/;
