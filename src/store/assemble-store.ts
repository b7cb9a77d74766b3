import type { Origin } from "../domain/event.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import { type SharedWrite, sharedWrites, type WritingPart } from "./shared-writes.ts";
import type { KeyStore, PetStore, Store, TimeSpent, WebhookStore } from "./store.ts";

/** Reads and writes of one database engine. A `Context` holds the actor that a write records, and the way to run the write. */
export interface Engine<Context> {
  readonly reads: StoreReads;
  readonly ownWrites: {
    readonly pets: WritesIn<Context, Pick<PetStore, "create" | "createAll">>;
    readonly webhooks: WritesIn<Context, Pick<WebhookStore, "acquireLeases" | "releaseLeases" | "saveProgress">>;
  };
  run(context: Context, write: SharedWrite): Promise<unknown>;
  /** Returns a context that records the actor of the origin or, without an origin, the operator. */
  contextFor(origin?: Origin, time?: TimeSpent): Context;
  withIdempotency(record: IdempotencyRecord, context: Context): Context;
}

export interface StoreReads {
  readonly pets: Pick<PetStore, "list" | "get">;
  readonly orders: Pick<Store["orders"], "list" | "get">;
  readonly categories: Pick<Store["categories"], "list" | "get">;
  readonly keys: Pick<KeyStore, "list" | "get" | "findByHash">;
  readonly webhooks: Pick<
    WebhookStore,
    "list" | "get" | "listDeliveries" | "getDelivery" | "getSecrets" | "listParked"
  >;
}

type WritesIn<Context, Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...values: infer Values) => infer Result
    ? (context: Context, ...values: Values) => Result
    : never;
};

/** Assembles a store. Stores for other contexts inherit from this store, and create only the parts that are used, such as `pets`. */
export function assembleStore<Context>(
  engine: Engine<Context>,
  others: Omit<Store, WritingPart | "withOrigin" | "withIdempotency">,
): Store {
  class ContextStore {
    constructor(readonly context: Context) {}

    withIdempotency(record: IdempotencyRecord): Store {
      return createStoreIn(engine.withIdempotency(record, this.context));
    }
  }
  const createStoreIn = (context: Context) => new ContextStore(context) as unknown as Store;
  const context = engine.contextFor();
  const parts: Partial<Record<WritingPart, object>> = {};
  for (const part of Object.keys(sharedWrites) as WritingPart[]) {
    const Part = createPartClass(engine, part);
    parts[part] = bindMethods(new Part(context));
    Object.defineProperty(ContextStore.prototype, part, {
      get(this: ContextStore) {
        return new Part(this.context);
      },
    });
  }
  const store = {
    ...others,
    ...(parts as Pick<Store, WritingPart>),
    withOrigin: (origin: Origin, time?: TimeSpent) => createStoreIn(engine.contextFor(origin, time)),
    withIdempotency: (record: IdempotencyRecord) => createStoreIn(engine.withIdempotency(record, context)),
  };
  Object.setPrototypeOf(ContextStore.prototype, store);
  return store;
}

type Method = (...parameters: unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** Returns the methods as own properties, because a spread copies no inherited ones. */
function bindMethods(part: object): object {
  const methods = Object.entries(Object.getPrototypeOf(part) as Methods);
  return Object.fromEntries(methods.map(([name, method]) => [name, method.bind(part)]));
}

function createPartClass<Context>(engine: Engine<Context>, part: WritingPart): new (context: Context) => object {
  class Part {
    constructor(readonly context: Context) {}
  }
  const ownWrites: { readonly [Name in WritingPart]?: object } = engine.ownWrites;
  const methods: Record<string, Method> = { ...(engine.reads[part] as unknown as Methods) };
  for (const name of Object.keys(sharedWrites[part])) {
    methods[name] = function (this: Part, ...parameters) {
      return engine.run(this.context, [part, name, parameters]);
    } as Method;
  }
  for (const [name, write] of Object.entries((ownWrites[part] ?? {}) as Methods)) {
    methods[name] = function (this: Part, ...parameters) {
      return write(this.context, ...parameters);
    } as Method;
  }
  Object.assign(Part.prototype, methods);
  return Part;
}
