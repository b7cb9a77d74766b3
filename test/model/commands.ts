import fc from "fast-check";
import { parseJson } from "../../src/base/json.ts";
import { etagOf } from "../../src/http/response/conditional.ts";
import type { Answer, CallOptions } from "../support/client.ts";
import {
  type Category,
  canBecome,
  type Key,
  type Order,
  openOrderOf,
  type Pet,
  type PetStatus,
  put,
  remove,
  rowsOf,
  type State,
} from "./state.ts";

/** A request, and what the model knows of its answer. */
export interface Command {
  readonly title: string;
  readonly path: string;
  readonly options: CallOptions;
  /** Of requests with the same name, the first is done. */
  readonly idempotencyKey?: string | undefined;
  /** The state after the request, if it can have had that answer in that state. */
  step(state: State, answer: Answer): State | undefined;
}

/** What the things are called that a sequence has made so far, whether they are still there or not. */
export interface Known {
  readonly pets: readonly number[];
  readonly orders: readonly number[];
  readonly keys: readonly number[];
  readonly states: readonly State[];
}

/** A command before it is known what there is to choose from. */
export type Plan = (known: Known) => Command;

const statuses = ["available", "pending", "sold"] as const;

const which = fc.nat({ max: 9 });
const name = fc.constantFrom("Rex", "Mia", "Kim");
const categoryId = fc.integer({ min: -2, max: 2 });
const status = fc.constantFrom(...statuses);
const idempotencyKey = fc.option(fc.constantFrom("a", "b"), { nil: undefined, freq: 2 });
const match = fc.constantFrom<Match>("none", "none", "seen", "other");
const sort = fc.constantFrom<Sort>(undefined, "id", "-id");
const limit = fc.integer({ min: 1, max: 4 });

/** Without a category, an animal cannot be added. */
const newPetOrWrong = fc
  .record({ name, categoryId: fc.oneof({ weight: 5, arbitrary: categoryId }, fc.constant(undefined)) })
  .map((fields) => ({ ...fields }));

/** How often each operation is called, by its id, and with what input. */
export const plans: Readonly<Record<string, { readonly weight: number; readonly arbitrary: fc.Arbitrary<Plan> }>> = {
  createPet: {
    weight: 4,
    arbitrary: fc
      .tuple(fc.record({ name, categoryId, status: maybe(status) }), idempotencyKey)
      .map((args) => createPet(...args)),
  },
  createPets: {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(newPetOrWrong, { minLength: 1, maxLength: 3 }), maybe(fc.boolean()), idempotencyKey)
      .map((args) => createPets(...args)),
  },
  listPets: {
    weight: 2,
    arbitrary: fc
      .tuple(
        limit,
        maybe(some(statuses)),
        maybe(categoryId),
        sort,
        maybe(fc.array(which, { minLength: 1, maxLength: 4 })),
      )
      .map((args) => listPets(...args)),
  },
  getPet: { weight: 1, arbitrary: which.map(getPet) },
  updatePet: {
    weight: 4,
    arbitrary: fc
      .tuple(which, fc.record({ name: maybe(name), categoryId: maybe(categoryId), status: maybe(status) }), match)
      .map((args) => updatePet(...args)),
  },
  deletePet: { weight: 2, arbitrary: fc.tuple(which, match).map((args) => deletePet(...args)) },
  placeOrder: { weight: 5, arbitrary: fc.tuple(which, idempotencyKey).map((args) => placeOrder(...args)) },
  completeOrder: { weight: 2, arbitrary: closeOrders("complete") },
  cancelOrder: { weight: 2, arbitrary: closeOrders("cancel") },
  getOrder: { weight: 1, arbitrary: which.map(getOrder) },
  listOrders: {
    weight: 1,
    arbitrary: fc
      .tuple(limit, maybe(some(["placed", "completed", "cancelled"])), sort)
      .map((args) => listOrders(...args)),
  },
  exportPets: { weight: 1, arbitrary: fc.constant(exportPets) },
  listEvents: { weight: 1, arbitrary: which.map(listEvents) },
  getInventory: { weight: 2, arbitrary: fc.constant(getInventory) },
  putCategory: { weight: 2, arbitrary: fc.tuple(categoryId, name, match).map((args) => putCategory(...args)) },
  deleteCategory: { weight: 1, arbitrary: fc.tuple(categoryId, match).map((args) => deleteCategory(...args)) },
  getCategory: { weight: 1, arbitrary: categoryId.map(getCategory) },
  listCategories: { weight: 1, arbitrary: limit.map(listCategories) },
  createKey: {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom<Key["scope"]>("read", "write", "admin"), idempotencyKey)
      .map((args) => createKey(...args)),
  },
  rotateKey: { weight: 1, arbitrary: fc.tuple(which, idempotencyKey).map((args) => rotateKey(...args)) },
  revokeKey: { weight: 1, arbitrary: fc.tuple(which, idempotencyKey).map((args) => revokeKey(...args)) },
  getKey: { weight: 1, arbitrary: which.map(getKey) },
  listKeys: { weight: 1, arbitrary: limit.map(listKeys) },
  getCurrentKey: { weight: 1, arbitrary: fc.constant(getCurrentKey) },
};

/** Any operation of the interface, with any input that it may get. */
export function anyPlan(): fc.Arbitrary<Plan> {
  return fc.oneof(...Object.values(plans));
}

function closeOrders(verb: "complete" | "cancel"): fc.Arbitrary<Plan> {
  return fc.tuple(which, idempotencyKey).map(([order, name]) => closeOrder(order, verb, name));
}

type Sort = "id" | "-id" | undefined;
type Match = "none" | "seen" | "other";
type Answered = [state: State, status: number, json?: unknown];

function createPet(
  body: { name: string; categoryId: number; status?: PetStatus | undefined },
  idempotencyKey?: string,
): Plan {
  return () =>
    post("createPet", "/v1/pets", body, idempotencyKey, (state, { json }) => {
      const { id } = json as Pet;
      if (id in state.pets) return undefined;
      const pet = { id, name: body.name, categoryId: body.categoryId, status: body.status ?? "available" };
      return [put(state, "pets", pet), 201, pet];
    });
}

function createPets(
  pets: readonly { name: string; categoryId?: number | undefined }[],
  atomic?: boolean,
  idempotencyKey?: string,
): Plan {
  return () =>
    post("createPets", "/v1/pets:batch", { pets, atomic }, idempotencyKey, (state, { json }) => {
      const failed = pets.filter(({ categoryId }) => categoryId === undefined).length;
      if (failed > 0 && atomic !== false) return [state, 400];
      const { results = [] } = json as { results?: readonly { pet?: Pet }[] };
      let [after, lastId] = [state, 0];
      const expected: object[] = [];
      for (const [index, { name, categoryId }] of pets.entries()) {
        if (categoryId === undefined) {
          expected.push({ index, error: { code: "BadRequest", status: 400 } });
          continue;
        }
        const id = results[index]?.pet?.id ?? Number.NaN;
        if (id in after.pets || !(id > lastId)) return undefined;
        const pet = { id, name, categoryId, status: "available" } as const;
        [after, lastId] = [put(after, "pets", pet), id];
        expected.push({ index, pet });
      }
      return [after, 200, { created: pets.length - failed, failed, results: expected }];
    });
}

function listPets(
  limit: number,
  status?: readonly string[],
  categoryId?: number,
  sort?: Sort,
  those?: readonly number[],
): Plan {
  return (known) => {
    const id = those?.map((which) => choose(known.pets, which));
    return get("listPets", `/v1/pets${queryOf({ limit, status, categoryId, sort, id })}`, ({ pets }) => {
      const matching = rowsOf(pets).filter(
        (pet) =>
          (id ?? [pet.id]).includes(pet.id) &&
          (status ?? [pet.status]).includes(pet.status) &&
          (categoryId ?? pet.categoryId) === pet.categoryId,
      );
      return pageOf(matching, limit, sort);
    });
  };
}

function getPet(which: number): Plan {
  return (known) => {
    const id = choose(known.pets, which);
    return get("getPet", `/v1/pets/${id}`, ({ pets }) => found(pets[id]));
  };
}

function updatePet(
  which: number,
  changes: { [Field in keyof Omit<Pet, "id">]?: Pet[Field] | undefined },
  match: Match,
): Plan {
  return (known) => {
    const id = choose(known.pets, which);
    const ifMatch = tagFor(match, known.states[0]?.pets[id]);
    const options = { method: "PATCH", body: changes, headers: ifMatch };
    return change("updatePet", `/v1/pets/${id}`, options, (state) => {
      const pet = state.pets[id];
      if (!pet) return [state, 404];
      if (!matches(ifMatch, pet)) return [state, 412];
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const changed: Pet = { ...pet, ...given };
      const moves = changed.status !== pet.status;
      if (moves && (openOrderOf(state, id) || !canBecome(pet.status, changed.status))) return [state, 409];
      return [put(state, "pets", changed), 200, changed];
    });
  };
}

function deletePet(which: number, match: Match): Plan {
  return (known) => {
    const id = choose(known.pets, which);
    const ifMatch = tagFor(match, known.states[0]?.pets[id]);
    return change("deletePet", `/v1/pets/${id}`, { method: "DELETE", headers: ifMatch }, (state) => {
      if (!state.pets[id]) return [state, 404];
      if (!matches(ifMatch, state.pets[id])) return [state, 412];
      return openOrderOf(state, id) ? [state, 409] : [remove(state, "pets", id), 204];
    });
  };
}

function placeOrder(which: number, idempotencyKey?: string): Plan {
  return (known) => {
    const petId = choose(known.pets, which);
    return post("placeOrder", "/v1/store/orders", { petId }, idempotencyKey, (state, { json }) => {
      const pet = state.pets[petId];
      if (pet?.status !== "available") return [state, 409];
      const { id } = json as Order;
      if (id in state.orders) return undefined;
      const order: Order = { id, petId, status: "placed" };
      return [put(put(state, "orders", order), "pets", { ...pet, status: "pending" }), 201, order];
    });
  };
}

function closeOrder(which: number, verb: "complete" | "cancel", idempotencyKey?: string): Plan {
  return (known) => {
    const id = choose(known.orders, which);
    return post(`${verb}Order`, `/v1/store/orders/${id}/${verb}`, undefined, idempotencyKey, (state) => {
      const order = state.orders[id];
      if (!order) return [state, 404];
      const pet = state.pets[order.petId];
      if (order.status !== "placed" || !pet) return [state, 409];
      const closed: Order = { ...order, status: verb === "complete" ? "completed" : "cancelled" };
      const moved: Pet = { ...pet, status: verb === "complete" ? "sold" : "available" };
      return [put(put(state, "orders", closed), "pets", moved), 200, closed];
    });
  };
}

function getOrder(which: number): Plan {
  return (known) => {
    const id = choose(known.orders, which);
    return get("getOrder", `/v1/store/orders/${id}`, ({ orders }) => found(orders[id]));
  };
}

function listOrders(limit: number, status?: readonly string[], sort?: Sort): Plan {
  return () =>
    get("listOrders", `/v1/store/orders${queryOf({ limit, status, sort })}`, ({ orders }) =>
      pageOf(
        rowsOf(orders).filter((order) => (status ?? [order.status]).includes(order.status)),
        limit,
        sort,
      ),
    );
}

export const exportPath = "/v1/export";

function exportPets(): Command {
  return {
    title: `exportPets ${exportPath}`,
    path: exportPath,
    options: {},
    step(state, { status, text }) {
      const exported = text.split("\n").filter(Boolean).map(parseJson);
      return status === 200 && Bun.deepEquals(exported, rowsOf(state.pets)) ? state : undefined;
    },
  };
}

/** What the log says of everything together is looked at once a sequence has ended. */
function listEvents(index: number): Plan {
  return ({ pets }) => {
    const subject = `pets/${pets[index % pets.length] ?? 1}`;
    return {
      title: `listEvents ${subject}`,
      path: `/v1/events${queryOf({ subject })}`,
      options: {},
      step: (state, { status, json }) =>
        status === 200 && (json as { subject: string }[]).every((event) => event.subject === subject)
          ? state
          : undefined,
    };
  };
}

function getInventory(): Command {
  return get("getInventory", "/v1/store/inventory", ({ pets }) => {
    const count = (status: PetStatus) => rowsOf(pets).filter((pet) => pet.status === status).length;
    return [200, Object.fromEntries(statuses.map((status) => [status, count(status)]))];
  });
}

function putCategory(id: number, name: string, match: Match): Plan {
  return (known) => {
    const ifMatch = tagFor(match, known.states[0]?.categories[id]);
    const options = { method: "PUT", body: { name }, headers: ifMatch };
    return change("putCategory", `/v1/categories/${id}`, options, (state) => {
      const current = state.categories[id];
      if (!matches(ifMatch, current)) return [state, 412];
      return [put(state, "categories", { id, name }), current ? 200 : 201, { id, name }];
    });
  };
}

function deleteCategory(id: number, match: Match): Plan {
  return (known) => {
    const ifMatch = tagFor(match, known.states[0]?.categories[id]);
    return change("deleteCategory", `/v1/categories/${id}`, { method: "DELETE", headers: ifMatch }, (state) => {
      const current = state.categories[id];
      if (!current) return [state, 404];
      return matches(ifMatch, current) ? [remove(state, "categories", id), 204] : [state, 412];
    });
  };
}

function getCategory(id: number): Plan {
  return () => get("getCategory", `/v1/categories/${id}`, ({ categories }) => found(categories[id]));
}

function listCategories(limit: number): Plan {
  return () =>
    get("listCategories", `/v1/categories${queryOf({ limit })}`, ({ categories }) => pageOf(rowsOf(categories), limit));
}

function createKey(scope: Key["scope"], idempotencyKey?: string): Plan {
  return () =>
    post("createKey", "/v1/keys", { name: "model", scope }, idempotencyKey, (state, { json }) => {
      const { id } = json as Key;
      if (id in state.keys) return undefined;
      const key: Key = { id, name: "model", scope, state: "active" };
      return [put(state, "keys", key), 201, key];
    });
}

function rotateKey(which: number, idempotencyKey?: string): Plan {
  return (known) => {
    const id = choose(known.keys, which);
    return post("rotateKey", `/v1/keys/${id}/rotate`, {}, idempotencyKey, (state, { json }) => {
      const old = state.keys[id];
      if (!old) return [state, 404];
      if (old.state !== "active") return [state, 409];
      const { id: heirId } = json as Key;
      if (heirId in state.keys) return undefined;
      const heir: Key = { ...old, id: heirId };
      return [put(put(state, "keys", { ...old, state: "retiring" }), "keys", heir), 201, heir];
    });
  };
}

function revokeKey(which: number, idempotencyKey?: string): Plan {
  return (known) => {
    const id = choose(known.keys, which);
    return post("revokeKey", `/v1/keys/${id}/revoke`, undefined, idempotencyKey, (state) => {
      const key = state.keys[id];
      if (!key) return [state, 404];
      const others = rowsOf(state.keys).filter(
        (one) => one.id !== id && one.scope === "admin" && one.state === "active",
      );
      if (key.scope === "admin" && key.state !== "revoked" && others.length === 0) return [state, 409];
      const revoked: Key = { ...key, state: "revoked" };
      return [put(state, "keys", revoked), 200, revoked];
    });
  };
}

function getKey(which: number): Plan {
  return (known) => {
    const id = choose(known.keys, which);
    return get("getKey", `/v1/keys/${id}`, ({ keys }) => found(keys[id]));
  };
}

function listKeys(limit: number): Plan {
  return () => get("listKeys", `/v1/keys${queryOf({ limit })}`, ({ keys }) => pageOf(rowsOf(keys), limit));
}

/** The sequences are sent with the configured key, which is not one of the store's. */
function getCurrentKey(): Command {
  return get("getCurrentKey", "/v1/keys/current", () => [200, { id: null, scope: "admin", state: "active" }]);
}

function get(title: string, path: string, expect: (state: State) => [status: number, json?: unknown]): Command {
  return change(title, path, {}, (state) => [state, ...expect(state)]);
}

function change(
  title: string,
  path: string,
  options: CallOptions,
  expect: (state: State, answer: Answer) => Answered | undefined,
): Command {
  return {
    title: `${title} ${path} ${JSON.stringify(options)}`,
    path,
    options,
    step(state, answer) {
      const expected = expect(state, answer);
      return expected && fits(answer, expected) ? expected[0] : undefined;
    },
  };
}

/** Every POST may carry an Idempotency-Key; then what it came to is remembered, and comes back. */
function post(
  title: string,
  path: string,
  body: unknown,
  key: string | undefined,
  expect: (state: State, answer: Answer) => Answered | undefined,
): Command {
  const options = { method: "POST", body, ...(key && { headers: { "idempotency-key": key } }) };
  const plain = change(title, path, options, expect);
  if (key === undefined) return plain;
  const idempotencyKey = `${title} ${key}`;
  // What is left out is the same as its default.
  const defaults = { createPet: { status: "available" }, createPets: { atomic: true } }[title];
  const given = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== undefined));
  const request = `${path} ${JSON.stringify(Object.entries({ ...defaults, ...given }).sort())}`;
  return {
    ...plain,
    idempotencyKey: idempotencyKey,
    step(state, answer) {
      // What is wrong with the request itself is told each time, whatever is kept.
      if (answer.status === 400) return plain.step(state, answer);
      const kept = state.records[idempotencyKey];
      const isReplayed = answer.headers.get("idempotent-replayed") === "true";
      if (kept) {
        if (kept.request !== request) return answer.status === 422 ? state : undefined;
        return isReplayed && kept.answer === `${answer.status} ${answer.text}` ? state : undefined;
      }
      const next = isReplayed ? undefined : plain.step(state, answer);
      return (
        next && {
          ...next,
          records: { ...next.records, [idempotencyKey]: { request, answer: `${answer.status} ${answer.text}` } },
        }
      );
    },
  };
}

/** The answer has the status, and at least the fields, that are expected; a list has exactly those items. */
function fits({ status, json }: Answer, [, expectedStatus, expected]: Answered): boolean {
  return status === expectedStatus && (expected === undefined || includes(json, expected));
}

function includes(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => includes(actual[index], item))
    );
  }
  if (typeof expected !== "object" || expected === null) return actual === expected;
  return Object.entries(expected).every(([field, value]) =>
    includes((actual as Record<string, unknown>)?.[field], value),
  );
}

function found(thing: unknown): [status: number, json?: unknown] {
  return thing === undefined ? [404] : [200, thing];
}

function pageOf(rows: readonly unknown[], limit: number, sort: Sort = "id"): [status: number, json: unknown] {
  return [200, (sort === "-id" ? rows.toReversed() : rows).slice(0, limit)];
}

/** An id that the sequence has made, or one that nothing has. */
function choose(ids: readonly number[], which: number): number {
  return ids[which % (ids.length + 1)] ?? 999_999_999;
}

function tagFor(match: Match, thing: Pet | Category | undefined): Record<string, string> {
  if (match === "none") return {};
  return { "if-match": match === "seen" && thing ? tagOf(thing) : '"other"' };
}

function matches(headers: Record<string, string>, thing: Pet | Category | undefined): boolean {
  const tag = headers["if-match"];
  return tag === undefined || (thing !== undefined && tagOf(thing) === tag);
}

function tagOf(thing: Pet | Category): string {
  const { id, name } = thing;
  const fields = "status" in thing ? { id, name, categoryId: thing.categoryId, status: thing.status } : { id, name };
  return etagOf(JSON.stringify(fields));
}

function queryOf(parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `?${given.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** One value or several, in any order and perhaps twice. */
function some(values: readonly string[]): fc.Arbitrary<string[]> {
  return fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
}

function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined });
}
