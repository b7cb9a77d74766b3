import type { Int64 } from "../../base/int64.ts";
import { parseJson, toJson } from "../../base/json.ts";
import type { Category } from "../../domain/category.ts";
import type { OrderStatus } from "../../domain/order.ts";
import type { Inventory, NewPet, Pet, PetChanges, PetFilter } from "../../domain/pet.ts";
import type { Scope } from "../../domain/scope.ts";

export type { Category, Inventory, NewPet, Pet, PetChanges };

export interface Order {
  readonly id: number;
  readonly petId: number;
  readonly status: OrderStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type { Scope };

export interface Key {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly state: "active" | "retiring" | "expired" | "revoked";
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** The key that somebody has signed in with; the configured one is not stored, and has no number. */
export interface CurrentKey extends Omit<Key, "id" | "createdAt"> {
  readonly id: number | null;
}

/** A key with the key itself, which the store shows once. */
export interface NewKey extends Key {
  readonly key: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts, if there is one. */
  readonly next: string | undefined;
}

/** Something with the tag by which the store tells whether it was changed since. */
export interface Tagged<Thing> {
  readonly value: Thing;
  readonly etag: string | undefined;
}

/** What the store said no with, or that it could not be reached. */
export class ApiError extends Error {
  constructor(
    /** The catalogue's code, or `Unreachable`. */
    readonly code: string,
    message: string,
    /** Messages by the field that they are about. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Whether the store said to try the same again in a moment. */
    readonly isForLater = false,
  ) {
    super(message);
  }

  /** Whether the same may well succeed a little later. */
  static isPassing(error: unknown): boolean {
    return error instanceof ApiError && (error.isForLater || passing.has(error.code));
  }

  /** Whether it is certain that nothing was done. */
  static isRefusal(error: unknown): boolean {
    return error instanceof ApiError && !ApiError.isPassing(error) && error.code !== "InternalServerError";
  }

  static is(error: unknown, code: string): boolean {
    return error instanceof ApiError && error.code === code;
  }
}

export const unreachable = "Unreachable";
const passing = new Set([unreachable, "ServiceUnavailable", "TooManyRequests", "RequestTimeout"]);

/** The store's interface, as one key sees it. */
export class Api {
  readonly #ending = new AbortController();

  /** `onRefused` is called when the key no longer works. */
  constructor(
    readonly key: string,
    readonly onRefused: (message: string) => void = () => {},
  ) {}

  /** Aborts the requests in progress, and starts no others. */
  end(): void {
    this.#ending.abort();
  }

  listPets(filter: PetFilter, cursor?: string): Promise<Page<Pet>> {
    return this.#page("/pets", { ...filter, limit: longestPage, cursor });
  }

  /** By the list, which gives an animal that is asked for by its id with its own tag, since getPet will be removed. */
  async getPet(id: Int64): Promise<Tagged<Pet>> {
    const { value, etag } = await this.#tagged<Pet[]>("GET", `/pets?id=${id}`);
    const [pet] = value;
    if (!pet) throw new ApiError("NotFound", `No animal has the id ${id}.`);
    return { value: pet, etag };
  }

  createPet(pet: NewPet, submission: string): Promise<Tagged<Pet>> {
    return this.#tagged("POST", "/pets", { body: pet, submission });
  }

  /** Throws PreconditionFailed if the animal is no longer what it was when it was read. */
  async updatePet(pet: Tagged<Pet>, changes: PetChanges): Promise<Tagged<Pet>> {
    return await this.#tagged("PATCH", `/pets/${pet.value.id}`, { body: changes, ifMatch: pet.etag });
  }

  /** Throws PreconditionFailed, likewise. */
  async deletePet(pet: Tagged<Pet>): Promise<void> {
    await this.#send("DELETE", `/pets/${pet.value.id}`, { ifMatch: pet.etag });
  }

  async inventory(): Promise<Inventory> {
    return (await this.#tagged<Inventory>("GET", "/store/inventory")).value;
  }

  listOrders(filter: { status?: OrderStatus | undefined; petId?: number }, cursor?: string): Promise<Page<Order>> {
    return this.#page("/store/orders", { ...filter, limit: longestPage, cursor });
  }

  async placeOrder(petId: number, submission: string): Promise<Order> {
    return (await this.#tagged<Order>("POST", "/store/orders", { body: { petId }, submission })).value;
  }

  async endOrder(id: number, how: "complete" | "cancel", submission: string): Promise<Order> {
    return (await this.#tagged<Order>("POST", `/store/orders/${id}/${how}`, { submission })).value;
  }

  listCategories(cursor?: string): Promise<Page<Category>> {
    return this.#page("/categories", { limit: longestPage, cursor });
  }

  getCategory(id: Int64): Promise<Tagged<Category>> {
    return this.#tagged("GET", `/categories/${id}`);
  }

  /** With a tag, only if the name is still the one that it stands for; without, only if there is none. */
  async nameCategory(id: Int64, name: string, etag: string | undefined): Promise<void> {
    await this.#send("PUT", `/categories/${id}`, {
      body: { name },
      ...(etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag }),
    });
  }

  async deleteCategory(id: Int64, etag: string | undefined): Promise<void> {
    await this.#send("DELETE", `/categories/${id}`, { ifMatch: etag });
  }

  async currentKey(): Promise<CurrentKey> {
    return (await this.#tagged<CurrentKey>("GET", "/keys/current")).value;
  }

  listKeys(cursor?: string): Promise<Page<Key>> {
    return this.#page("/keys", { limit: longestPage, cursor });
  }

  async createKey(
    key: { name: string; scope: Scope; expiresAt?: string | undefined },
    submission: string,
  ): Promise<NewKey> {
    return (await this.#tagged<NewKey>("POST", "/keys", { body: key, submission })).value;
  }

  async rotateKey(id: number, submission: string): Promise<NewKey> {
    return (await this.#tagged<NewKey>("POST", `/keys/${id}/rotate`, { submission })).value;
  }

  async revokeKey(id: number): Promise<void> {
    await this.#send("POST", `/keys/${id}/revoke`);
  }

  async #page<Item>(path: string, query: Query): Promise<Page<Item>> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const response = await this.#send("GET", `${path}?${parameters}`);
    const link = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    const next = link && new URL(link, location.origin).searchParams.get("cursor");
    return { items: parseJson(await response.text()) as Item[], next: next ?? undefined };
  }

  async #tagged<Thing>(method: string, path: string, options: SendOptions = {}): Promise<Tagged<Thing>> {
    const response = await this.#send(method, path, options);
    return { value: parseJson(await response.text()) as Thing, etag: response.headers.get("etag") ?? undefined };
  }

  /** Throws ApiError for whatever is not a success. */
  async #send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
    const { body, submission, ifMatch, ifNoneMatch } = options;
    const headers = new Headers({
      Authorization: `Bearer ${this.key}`,
      Accept: "application/json, application/problem+json",
    });
    if (body !== undefined) headers.set("Content-Type", "application/json");
    if (submission !== undefined) headers.set("Idempotency-Key", submission);
    if (ifMatch !== undefined) headers.set("If-Match", ifMatch);
    if (ifNoneMatch !== undefined) headers.set("If-None-Match", ifNoneMatch);
    let response: Response;
    try {
      response = await fetch(`/v1${path}`, {
        method,
        headers,
        cache: "no-store",
        signal: this.#ending.signal,
        ...(body !== undefined && { body: toJson(body) }),
      });
    } catch {
      throw new ApiError(unreachable, "The store cannot be reached.");
    }
    if (response.ok) return response;
    const failure = await errorOf(response);
    if (failure.code === "Unauthorized") this.onRefused(failure.message);
    throw failure;
  }
}

/** As many as the interface gives at once. */
export const longestPage = 100;

type Query = Readonly<Record<string, unknown>>;

interface SendOptions {
  readonly body?: unknown;
  /** Names what is sent, so that sending it again does nothing twice. */
  readonly submission?: string;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const { code, detail, errors = [] } = (await response.json()) as Problem;
    const fields = errors.map(({ pointer, message }) => [pointer.replace(/^#\//, ""), message]);
    return new ApiError(code, detail, Object.fromEntries(fields), response.headers.has("retry-after"));
  } catch {
    return new ApiError(unreachable, `Something between this page and the store returned ${response.status}.`);
  }
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { pointer: string; message: string }[];
}
