import fc from "fast-check";
import { parseJson } from "../../src/base/json.ts";
import { computeEtag } from "../../src/http/response/conditional.ts";
import type { CallOptions, CheckedResponse } from "../support/client.ts";
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

export interface Command {
  readonly title: string;
  readonly path: string;
  readonly options: CallOptions;
  /** The service executes only the first request with this key. */
  readonly idempotencyKey?: string | undefined;
  /** Returns the state after the request; undefined if the response contradicts the given state. */
  step(state: State, response: CheckedResponse): State | undefined;
}

export interface Knowledge {
  readonly pets: readonly number[];
  readonly orders: readonly number[];
  readonly keys: readonly number[];
  readonly states: readonly State[];
}

export type Plan = (known: Knowledge) => Command;

const statuses = ["available", "pending", "sold"] as const;

const index = fc.nat({ max: 9 });
const name = fc.constantFrom("Rex", "Mia", "Kim");
const categoryId = fc.integer({ min: -2, max: 2 });
const status = fc.constantFrom(...statuses);
const idempotencyKey = fc.option(fc.constantFrom("a", "b"), { nil: undefined, freq: 2 });
const match = fc.constantFrom<IfMatchKind>("none", "none", "seen", "other");
const sort = fc.constantFrom<Sort>(undefined, "id", "-id");
const limit = fc.integer({ min: 1, max: 4 });

/** A new animal, which may lack the category and is then invalid. */
const newPetOrInvalid = fc
  .record({ name, categoryId: fc.oneof({ weight: 5, arbitrary: categoryId }, fc.constant(undefined)) })
  .map((fields) => ({ ...fields }));

/** Frequency and generator of the requests of each operation, by operation id. */
export const plans: Readonly<Record<string, { readonly weight: number; readonly arbitrary: fc.Arbitrary<Plan> }>> = {
  createPet: weigh(4, createPet, fc.record({ name, categoryId, status: maybe(status) }), idempotencyKey),
  createPets: weigh(2, createPets, someOf(newPetOrInvalid, 3), maybe(fc.boolean()), idempotencyKey),
  listPets: weigh(2, listPets, limit, maybe(someOf(status)), maybe(categoryId), sort, maybe(someOf(index))),
  getPet: weigh(1, getPet, index),
  updatePet: weigh(
    4,
    updatePet,
    index,
    fc.record({ name: maybe(name), categoryId: maybe(categoryId), status: maybe(status) }),
    match,
  ),
  deletePet: weigh(2, deletePet, index, match),
  placeOrder: weigh(5, placeOrder, index, idempotencyKey),
  completeOrder: weigh(2, closeOrder, fc.constant("complete" as const), index, idempotencyKey),
  cancelOrder: weigh(2, closeOrder, fc.constant("cancel" as const), index, idempotencyKey),
  getOrder: weigh(1, getOrder, index),
  listOrders: weigh(1, listOrders, limit, maybe(someOf(fc.constantFrom("placed", "completed", "cancelled"))), sort),
  exportPets: weigh(1, () => exportPets),
  listEvents: weigh(1, listEvents, index),
  getInventory: weigh(2, () => getInventory),
  putCategory: weigh(2, putCategory, categoryId, name, match),
  deleteCategory: weigh(1, deleteCategory, categoryId, match),
  getCategory: weigh(1, getCategory, categoryId),
  listCategories: weigh(1, listCategories, limit),
  createKey: weigh(1, createKey, fc.constantFrom<Key["scope"]>("read", "write", "admin"), idempotencyKey),
  rotateKey: weigh(1, rotateKey, index, idempotencyKey),
  revokeKey: weigh(1, revokeKey, index, idempotencyKey),
  getKey: weigh(1, getKey, index),
  listKeys: weigh(1, listKeys, limit),
  getCurrentKey: weigh(1, () => getCurrentKey),
};

function weigh<Args extends unknown[]>(
  weight: number,
  plan: (...args: Args) => Plan,
  ...inputs: { [Index in keyof Args]: fc.Arbitrary<Args[Index]> }
) {
  return { weight, arbitrary: fc.tuple(...inputs).map((args) => plan(...(args as Args))) };
}

export function anyPlan(): fc.Arbitrary<Plan> {
  return fc.oneof(...Object.values(plans));
}

type Sort = "id" | "-id" | undefined;
type IfMatchKind = "none" | "seen" | "other";
type ExpectedResponse = [state: State, status: number, json?: unknown];

function createPet(
  body: { name: string; categoryId: number; status?: PetStatus | undefined },
  idempotencyKey: string | undefined,
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
  atomic: boolean | undefined,
  idempotencyKey: string | undefined,
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
  status: readonly string[] | undefined,
  categoryId: number | undefined,
  sort: Sort,
  indexes: readonly number[] | undefined,
): Plan {
  return (known) => {
    const id = indexes?.map((index) => chooseId(known.pets, index));
    return get("listPets", `/v1/pets${renderQuery({ limit, status, categoryId, sort, id })}`, ({ pets }) => {
      const matching = rowsOf(pets).filter(
        (pet) =>
          (id ?? [pet.id]).includes(pet.id) &&
          (status ?? [pet.status]).includes(pet.status) &&
          (categoryId ?? pet.categoryId) === pet.categoryId,
      );
      return toPage(matching, limit, sort);
    });
  };
}

function getPet(index: number): Plan {
  return (known) => getById("getPet", "/v1/pets", "pets", chooseId(known.pets, index));
}

function updatePet(
  index: number,
  changes: { [Field in keyof Omit<Pet, "id">]?: Pet[Field] | undefined },
  match: IfMatchKind,
): Plan {
  return (known) => {
    const id = chooseId(known.pets, index);
    const ifMatch = ifMatchFor(match, known.states[0]?.pets[id]);
    const options = { method: "PATCH", body: changes, headers: ifMatch };
    return change("updatePet", `/v1/pets/${id}`, options, (state) => {
      const pet = state.pets[id];
      if (!pet) return [state, 404];
      if (!matches(ifMatch, pet)) return [state, 412];
      const definedFields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const changed: Pet = { ...pet, ...definedFields };
      const changesStatus = changed.status !== pet.status;
      if (changesStatus && (openOrderOf(state, id) || !canBecome(pet.status, changed.status))) return [state, 409];
      return [put(state, "pets", changed), 200, changed];
    });
  };
}

function deletePet(index: number, match: IfMatchKind): Plan {
  return (known) => {
    const id = chooseId(known.pets, index);
    const ifMatch = ifMatchFor(match, known.states[0]?.pets[id]);
    return change("deletePet", `/v1/pets/${id}`, { method: "DELETE", headers: ifMatch }, (state) => {
      if (!state.pets[id]) return [state, 404];
      if (!matches(ifMatch, state.pets[id])) return [state, 412];
      return openOrderOf(state, id) ? [state, 409] : [remove(state, "pets", id), 204];
    });
  };
}

function placeOrder(index: number, idempotencyKey: string | undefined): Plan {
  return (known) => {
    const petId = chooseId(known.pets, index);
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

function closeOrder(verb: "complete" | "cancel", index: number, idempotencyKey: string | undefined): Plan {
  return (known) => {
    const id = chooseId(known.orders, index);
    return post(`${verb}Order`, `/v1/store/orders/${id}/${verb}`, undefined, idempotencyKey, (state) => {
      const order = state.orders[id];
      if (!order) return [state, 404];
      const pet = state.pets[order.petId];
      if (order.status !== "placed" || !pet) return [state, 409];
      const closed: Order = { ...order, status: verb === "complete" ? "completed" : "cancelled" };
      const updatedPet: Pet = { ...pet, status: verb === "complete" ? "sold" : "available" };
      return [put(put(state, "orders", closed), "pets", updatedPet), 200, closed];
    });
  };
}

function getOrder(index: number): Plan {
  return (known) => getById("getOrder", "/v1/store/orders", "orders", chooseId(known.orders, index));
}

function listOrders(limit: number, status: readonly string[] | undefined, sort: Sort): Plan {
  return () =>
    get("listOrders", `/v1/store/orders${renderQuery({ limit, status, sort })}`, ({ orders }) =>
      toPage(
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

/** Checks only the subjects of the events; the event log as a whole is checked at the end of the sequence. */
function listEvents(index: number): Plan {
  return ({ pets }) => {
    const subject = `pets/${pets[index % pets.length] ?? 1}`;
    return {
      title: `listEvents ${subject}`,
      path: `/v1/events${renderQuery({ subject })}`,
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

function putCategory(id: number, name: string, match: IfMatchKind): Plan {
  return (known) => {
    const ifMatch = ifMatchFor(match, known.states[0]?.categories[id]);
    const options = { method: "PUT", body: { name }, headers: ifMatch };
    return change("putCategory", `/v1/categories/${id}`, options, (state) => {
      const current = state.categories[id];
      if (!matches(ifMatch, current)) return [state, 412];
      return [put(state, "categories", { id, name }), current ? 200 : 201, { id, name }];
    });
  };
}

function deleteCategory(id: number, match: IfMatchKind): Plan {
  return (known) => {
    const ifMatch = ifMatchFor(match, known.states[0]?.categories[id]);
    return change("deleteCategory", `/v1/categories/${id}`, { method: "DELETE", headers: ifMatch }, (state) => {
      const current = state.categories[id];
      if (!current) return [state, 404];
      return matches(ifMatch, current) ? [remove(state, "categories", id), 204] : [state, 412];
    });
  };
}

function getCategory(id: number): Plan {
  return () => getById("getCategory", "/v1/categories", "categories", id);
}

function listCategories(limit: number): Plan {
  return () =>
    get("listCategories", `/v1/categories${renderQuery({ limit })}`, ({ categories }) =>
      toPage(rowsOf(categories), limit),
    );
}

function createKey(scope: Key["scope"], idempotencyKey: string | undefined): Plan {
  return () =>
    post("createKey", "/v1/keys", { name: "model", scope }, idempotencyKey, (state, { json }) => {
      const { id } = json as Key;
      if (id in state.keys) return undefined;
      const key: Key = { id, name: "model", scope, state: "active" };
      return [put(state, "keys", key), 201, key];
    });
}

function rotateKey(index: number, idempotencyKey: string | undefined): Plan {
  return (known) => {
    const id = chooseId(known.keys, index);
    return post("rotateKey", `/v1/keys/${id}/rotate`, {}, idempotencyKey, (state, { json }) => {
      const old = state.keys[id];
      if (!old) return [state, 404];
      if (old.state !== "active") return [state, 409];
      const { id: successorId } = json as Key;
      if (successorId in state.keys) return undefined;
      const successor: Key = { ...old, id: successorId };
      return [put(put(state, "keys", { ...old, state: "retiring" }), "keys", successor), 201, successor];
    });
  };
}

function revokeKey(index: number, idempotencyKey: string | undefined): Plan {
  return (known) => {
    const id = chooseId(known.keys, index);
    return post("revokeKey", `/v1/keys/${id}/revoke`, undefined, idempotencyKey, (state) => {
      const key = state.keys[id];
      if (!key) return [state, 404];
      const others = rowsOf(state.keys).filter(
        (other) => other.id !== id && other.scope === "admin" && other.state === "active",
      );
      if (key.scope === "admin" && key.state !== "revoked" && others.length === 0) return [state, 409];
      const revoked: Key = { ...key, state: "revoked" };
      return [put(state, "keys", revoked), 200, revoked];
    });
  };
}

function getKey(index: number): Plan {
  return (known) => getById("getKey", "/v1/keys", "keys", chooseId(known.keys, index));
}

function listKeys(limit: number): Plan {
  return () => get("listKeys", `/v1/keys${renderQuery({ limit })}`, ({ keys }) => toPage(rowsOf(keys), limit));
}

/** The generated commands use the configured key, whose id is null because the key is not stored. */
function getCurrentKey(): Command {
  return get("getCurrentKey", "/v1/keys/current", () => [200, { id: null, scope: "admin", state: "active" }]);
}

function getById(title: string, path: string, table: "pets" | "orders" | "keys" | "categories", id: number): Command {
  return get(title, `${path}/${id}`, (state) => (state[table][id] ? [200, state[table][id]] : [404]));
}

function get(title: string, path: string, expect: (state: State) => [status: number, json?: unknown]): Command {
  return change(title, path, {}, (state) => [state, ...expect(state)]);
}

function change(
  title: string,
  path: string,
  options: CallOptions,
  expect: (state: State, response: CheckedResponse) => ExpectedResponse | undefined,
): Command {
  return {
    title: `${title} ${path} ${JSON.stringify(options)}`,
    path,
    options,
    step(state, response) {
      const expected = expect(state, response);
      return expected && fits(response, expected) ? expected[0] : undefined;
    },
  };
}

/** Returns a POST command. With an Idempotency-Key, the response is recorded, and a repeated request must get the same response. */
function post(
  title: string,
  path: string,
  body: unknown,
  key: string | undefined,
  expect: (state: State, response: CheckedResponse) => ExpectedResponse | undefined,
): Command {
  const options = { method: "POST", body, ...(key && { headers: { "idempotency-key": key } }) };
  const plainCommand = change(title, path, options, expect);
  if (key === undefined) return plainCommand;
  const idempotencyKey = `${title} ${key}`;
  // An omitted field is equal to its default.
  const defaults = { createPet: { status: "available" }, createPets: { atomic: true } }[title];
  const definedFields = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== undefined));
  const request = `${path} ${JSON.stringify(Object.entries({ ...defaults, ...definedFields }).sort())}`;
  return {
    ...plainCommand,
    idempotencyKey,
    step(state, response) {
      // Invalid requests are not recorded.
      if (response.status === 400) return plainCommand.step(state, response);
      const record = state.records[idempotencyKey];
      const current = { request, response: `${response.status} ${response.text}` };
      const isReplayed = response.headers.get("idempotent-replayed") === "true";
      if (record) {
        if (record.request !== request) return response.status === 422 ? state : undefined;
        return isReplayed && record.response === current.response ? state : undefined;
      }
      const next = isReplayed ? undefined : plainCommand.step(state, response);
      return next && { ...next, records: { ...next.records, [idempotencyKey]: current } };
    },
  };
}

/** True if the response has the expected status and at least the expected fields; lists must have exactly the expected items. */
function fits({ status, json }: CheckedResponse, [, expectedStatus, expected]: ExpectedResponse): boolean {
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

function toPage(rows: readonly unknown[], limit: number, sort: Sort = "id"): [status: number, json: unknown] {
  return [200, (sort === "-id" ? rows.toReversed() : rows).slice(0, limit)];
}

/** Returns an id that the sequence has created, or an id that does not exist. */
function chooseId(ids: readonly number[], index: number): number {
  return ids[index % (ids.length + 1)] ?? 999_999_999;
}

function ifMatchFor(match: IfMatchKind, resource: Pet | Category | undefined): Record<string, string> {
  if (match === "none") return {};
  return { "if-match": match === "seen" && resource ? etagFor(resource) : '"other"' };
}

function matches(headers: Record<string, string>, resource: Pet | Category | undefined): boolean {
  const tag = headers["if-match"];
  return tag === undefined || (resource !== undefined && etagFor(resource) === tag);
}

function etagFor(resource: Pet | Category): string {
  const { id, name } = resource;
  const fields =
    "status" in resource ? { id, name, categoryId: resource.categoryId, status: resource.status } : { id, name };
  return computeEtag(JSON.stringify(fields));
}

function renderQuery(parameters: Readonly<Record<string, unknown>>): string {
  const definedFields = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `?${definedFields.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

function someOf<Value>(value: fc.Arbitrary<Value>, maxLength = 4): fc.Arbitrary<Value[]> {
  return fc.array(value, { minLength: 1, maxLength });
}

function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined });
}
