// @bun
var __defProp = Object.defineProperty;
var __returnValue = (v) => v;
function __exportSetter(name, newValue) {
  this[name] = __returnValue.bind(null, newValue);
}
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, {
      get: all[name],
      enumerable: true,
      configurable: true,
      set: __exportSetter.bind(all, name)
    });
};
var __esm = (fn, res, err) => () => {
  if (fn)
    try {
      res = fn(fn = 0);
    } catch (e) {
      err = [e];
    }
  if (err)
    throw err[0];
  return res;
};

// src/base/time-text.ts
function timeText(milliseconds) {
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}
function optionalTimeText(milliseconds) {
  return milliseconds === null ? null : timeText(milliseconds);
}
var lastTime, lastText = "";
var init_time_text = __esm(() => {
  lastTime = Number.NaN;
});

// src/store/store.ts
var StoreOpenError;
var init_store = __esm(() => {
  StoreOpenError = class StoreOpenError extends Error {
    name = "StoreOpenError";
  };
});

// src/domain/errors.ts
var ServiceError, PassingError;
var init_errors = __esm(() => {
  ServiceError = class ServiceError extends Error {
    code;
    name = "ServiceError";
    constructor(code, message, cause) {
      super(message, { cause });
      this.code = code;
    }
  };
  PassingError = class PassingError extends ServiceError {
    retryAfterSeconds;
    constructor(code, message, retryAfterSeconds) {
      super(code, message);
      this.retryAfterSeconds = retryAfterSeconds;
    }
  };
});

// src/store/schema-version.ts
function refuseUnknown(subject, { version, oldestProgram }, known) {
  if (version <= known || oldestProgram <= known)
    return;
  throw new StoreOpenError(`${subject} was written by a newer version of animal-store (its schema is ${version} and needs a program for schema ${oldestProgram} or later; this one is for ${known}). Use that version.`);
}
var init_schema_version = __esm(() => {
  init_store();
});

// src/base/int64.ts
function isInt64(value) {
  if (typeof value === "number")
    return Number.isSafeInteger(value);
  return typeof value === "bigint" && value >= smallest && value <= largest;
}
function toInt64(value) {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}
function int64FromText(text) {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text))
    return;
  return text.length <= longestExact ? Number(text) : withinRange(BigInt(text));
}
function int64FromJson(source) {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source);
  if (!parts)
    return;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0")
    start++;
  if (start === digits.length)
    return 0;
  let end = digits.length;
  while (digits[end - 1] === "0")
    end--;
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - start + zeros > 19)
    return;
  return withinRange(BigInt(sign + digits.slice(start, end) + "0".repeat(zeros)));
}
function withinRange(value) {
  return isInt64(value) ? toInt64(value) : undefined;
}
var smallest, largest, longestExact = 15;
var init_int64 = __esm(() => {
  smallest = -(2n ** 63n);
  largest = 2n ** 63n - 1n;
});

// src/base/json.ts
function parseJson(text) {
  return JSON.parse(text, mayRound.test(text) ? exactNumber : undefined);
}
function toJson(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_, part) => typeof part === "bigint" ? rawJson(part.toString()) : part);
  }
}
function isTooDeep(text) {
  if (text.length <= deepest)
    return false;
  let depth = 0;
  let inString = false;
  for (let index = 0;index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\")
        index++;
      else if (character === '"')
        inString = false;
    } else if (character === '"')
      inString = true;
    else if (character === "{" || character === "[") {
      if (++depth > deepest)
        return true;
    } else if (character === "}" || character === "]")
      depth--;
  }
  return false;
}
function repeatedNames(text) {
  const repeated = [];
  const open = [];
  for (let index = 0;index < text.length; index++) {
    const inner = open.at(-1);
    switch (text[index]) {
      case "{":
        open.push({ names: new Set, place: "", isNameNext: true });
        break;
      case "[":
        open.push({ names: undefined, place: 0, isNameNext: false });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inner?.names)
          inner.isNameNext = true;
        else if (inner)
          inner.place = Number(inner.place) + 1;
        break;
      case '"': {
        const start = index++;
        while (text[index] !== '"')
          index += text[index] === "\\" ? 2 : 1;
        if (!inner?.names || !inner.isNameNext)
          break;
        const name = String(JSON.parse(text.slice(start, index + 1)));
        inner.place = name;
        inner.isNameNext = false;
        if (inner.names.has(name))
          repeated.push(open.map(({ place }) => String(place)));
        inner.names.add(name);
      }
    }
  }
  return repeated;
}
function exactNumber(_key, value, { source }) {
  return typeof value === "number" ? int64FromJson(source) ?? Number.NaN : value;
}
var deepest = 32, mayRound, rawJson;
var init_json = __esm(() => {
  init_int64();
  mayRound = /[0-9][.eE]|[0-9]{16}/;
  ({ rawJSON: rawJson } = JSON);
});

// src/domain/pet.ts
function changePet(pet, { name, categoryId, status }, openOrder) {
  const changed = {
    id: pet.id,
    name: name ?? pet.name,
    categoryId: categoryId ?? pet.categoryId,
    status: status ?? pet.status
  };
  if (changed.status === pet.status)
    return changed;
  if (openOrder !== undefined) {
    throw new ServiceError("Conflict", `Animal ${pet.id} has the open order ${openOrder}, which controls its status. Complete or cancel the order instead.`);
  }
  requireTransition(pet.status, changed.status, `Animal ${pet.id} is ${pet.status}.`);
  return changed;
}
function requireTransition(from, to, what) {
  if (petTransitions[from].includes(to))
    return;
  const allowed = petTransitions[from].join(" or ");
  throw new ServiceError("Conflict", `${what} Its next status can be ${allowed}, not ${to}.`);
}
function requireNoOpenOrder(id, openOrder) {
  if (openOrder === undefined)
    return;
  throw new ServiceError("Conflict", `Animal ${id} has the open order ${openOrder}. Complete or cancel the order first.`);
}
function noSuchPet(id) {
  return new ServiceError("NotFound", `No animal has the id ${id}.`);
}
var petStatuses, defaultPetStatus = "available", petTransitions;
var init_pet = __esm(() => {
  init_errors();
  petStatuses = ["available", "pending", "sold"];
  petTransitions = {
    available: ["pending"],
    pending: ["available", "sold"],
    sold: ["available"]
  };
});

// src/store/tables.ts
function keyOf({ columns }) {
  return columns[0]?.[0] ?? "";
}
function columnNames({ columns }) {
  return columns.map(([name]) => name);
}
function overwrite(table) {
  const [key, ...others] = columnNames(table);
  return `ON CONFLICT (${key}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}
var tables;
var init_tables = __esm(() => {
  tables = [
    {
      name: "pets",
      title: "animals",
      identity: ["id"],
      givesIds: true,
      columns: [
        ["id", "integer"],
        ["name", "text"],
        ["category_id", "integer"],
        ["status", "text"]
      ]
    },
    {
      name: "orders",
      title: "orders",
      identity: ["id", "pet_id", "created_at"],
      givesIds: true,
      columns: [
        ["id", "integer"],
        ["pet_id", "integer"],
        ["status", "text"],
        ["created_at", "integer"],
        ["updated_at", "integer"]
      ]
    },
    {
      name: "categories",
      title: "categories",
      identity: ["id", "name"],
      givesIds: false,
      columns: [
        ["id", "integer"],
        ["name", "text"]
      ]
    },
    {
      name: "keys",
      title: "keys",
      identity: ["id", "hash"],
      givesIds: true,
      columns: [
        ["id", "integer"],
        ["name", "text"],
        ["scope", "text"],
        ["hash", "bytes"],
        ["created_at", "integer"],
        ["expires_at", "integer"],
        ["revoked_at", "integer"],
        ["rotated_at", "integer"],
        ["last_used_at", "integer"],
        ["line", "integer"]
      ]
    },
    {
      name: "claims",
      title: "repeatable requests",
      identity: ["name", "fingerprint"],
      givesIds: false,
      columns: [
        ["name", "bytes"],
        ["fingerprint", "bytes"],
        ["conclusion", "text"],
        ["created_at", "integer"],
        ["line", "integer"]
      ]
    },
    {
      name: "events",
      title: "events",
      identity: ["position", "id"],
      givesIds: false,
      columns: [
        ["position", "integer"],
        ["id", "text"],
        ["type", "text"],
        ["subject", "text"],
        ["at", "integer"],
        ["body", "text"]
      ]
    },
    {
      name: "webhooks",
      title: "webhooks",
      identity: ["id", "created_at"],
      givesIds: true,
      columns: [
        ["id", "integer"],
        ["url", "text"],
        ["types", "text"],
        ["description", "text"],
        ["status", "text"],
        ["disabled_reason", "text"],
        ["failing_since", "integer"],
        ["secret", "text"],
        ["previous_secret", "text"],
        ["retires_at", "integer"],
        ["position", "integer"],
        ["event_id", "text"],
        ["revision", "integer"],
        ["lease_owner", "text"],
        ["lease_until", "integer"],
        ["created_at", "integer"],
        ["updated_at", "integer"]
      ]
    },
    {
      name: "webhook_parked",
      title: "parked events",
      identity: ["id", "webhook", "position"],
      givesIds: true,
      columns: [
        ["id", "integer"],
        ["webhook", "integer"],
        ["position", "integer"],
        ["subject", "text"],
        ["attempts", "integer"],
        ["next_at", "integer"]
      ]
    }
  ];
});

// src/store/check.ts
function inventoryFinding(counts) {
  const wrong = petStatuses.flatMap((status) => {
    const { noted = 0, counted = 0 } = counts.find((count) => count.status === status) ?? {};
    return noted === counted ? [] : [`${status}: ${noted}, but there are ${counted}`];
  });
  return finding("the inventory is the number of the animals", wrong, (list) => `The inventory has ${list}.`);
}
function orderFinding(strays) {
  const wrong = strays.map(({ id, petId, petStatus }) => `order ${id} of animal ${petId}, which is ${petStatus ?? "gone"}`);
  return finding("the animal of every open order is pending", wrong, (list) => `Open: ${list}.`);
}
function idFinding(ids) {
  const wrong = ids.filter(({ given, highest }) => given < highest).map(({ table, given, highest }) => `${table} has the id ${highest}, but ${given} was given last`);
  return finding(idRule, wrong, (list) => `The table ${list}.`);
}
async function claimFinding({ read }) {
  const table = tables.find(({ name }) => name === "claims");
  const conclusion = table.columns.findIndex(([name]) => name === "conclusion");
  let unreadable = 0;
  for (let last;; ) {
    const rows = await read(table, last, pageSize);
    unreadable += rows.filter((row) => !isConclusion(String(row[conclusion]))).length;
    if (rows.length < pageSize)
      break;
    last = rows.at(-1);
  }
  const wrong = unreadable === 0 ? [] : [`${unreadable} cannot`];
  return finding("what is kept of repeatable requests can be read", wrong, (list) => `Of what is kept, ${list}.`);
}
function finding(rule, wrong, sentence) {
  return { rule, problem: wrong.length === 0 ? undefined : sentence(wrong.join("; ")) };
}
function isConclusion(text) {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
var tablesThatGiveIds, idRule = "no id will be given twice", mostShown = 5, pageSize = 1000;
var init_check = __esm(() => {
  init_json();
  init_pet();
  init_tables();
  tablesThatGiveIds = tables.filter(({ givesIds }) => givesIds);
});

// src/domain/expectation.ts
function requireExpected(current, expected) {
  if (expected === undefined)
    return;
  if (expected === null ? current === undefined : current !== undefined && isSame2(current, expected))
    return;
  throw changedMeanwhile();
}
function changedMeanwhile() {
  return new ServiceError("PreconditionFailed", "The resource does not match If-Match or If-None-Match. Read it again, then decide.");
}
function isSame2(one, other) {
  return Object.keys(one).every((field) => one[field] === other[field]);
}
var unmeetable;
var init_expectation = __esm(() => {
  init_errors();
  unmeetable = {};
});

// src/domain/scope.ts
function includesScope(held, needed) {
  return scopes.indexOf(held) >= scopes.indexOf(needed);
}
var scopes;
var init_scope = __esm(() => {
  scopes = ["read", "write", "admin"];
});

// src/domain/key.ts
import { hash } from "crypto";
import { crc32 } from "zlib";
function keyState(key, now) {
  if (key.revokedAt !== null)
    return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now)
    return "expired";
  return key.rotatedAt === null ? "active" : "retiring";
}
function presentKey(key, now) {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    state: keyState(key, now),
    createdAt: timeText(key.createdAt),
    expiresAt: optionalTimeText(key.expiresAt),
    rotatedAt: optionalTimeText(key.rotatedAt),
    revokedAt: optionalTimeText(key.revokedAt),
    lastUsedAt: optionalTimeText(key.lastUsedAt)
  };
}
function requireActive(key, id, now, expected) {
  if (!key)
    throw noSuchKey(id);
  requireExpected(key, expected);
  const state = keyState(key, now);
  if (state === "active")
    return key;
  const advice = state === "retiring" ? "Rotate its successor." : "Create a new one.";
  throw new ServiceError("Conflict", `Key ${id} is ${state}. ${advice}`);
}
function successorOf({ name, scope, ...old }, { at, expiresAt, maker }) {
  const lifetime = old.expiresAt === null ? null : Math.min(at + old.expiresAt - old.createdAt, lastTime2);
  const usual = { name, scope, createdAt: at, expiresAt: earlier(lifetime, maker?.expiresAt ?? null) };
  if (expiresAt === undefined)
    return usual;
  const successor = { ...usual, expiresAt };
  requireGivable(successor, maker);
  return successor;
}
function requireGivable({ scope, createdAt, expiresAt }, maker) {
  if (!maker)
    return;
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw new ServiceError("BadRequest", "expiresAt must be in the future.");
  }
  if (!includesScope(maker.scope, scope)) {
    throw new ServiceError("Forbidden", `This key has the scope ${maker.scope}, so it cannot create a key with the scope ${scope}.`);
  }
  if (earlier(maker.expiresAt, expiresAt) !== expiresAt) {
    const end = new Date(maker.expiresAt ?? 0).toISOString();
    throw new ServiceError("Forbidden", `This key expires at ${end}, so it cannot create a key that lasts longer. Send an expiresAt that is no later.`);
  }
}
function earlier(one, other) {
  if (one === null || other === null)
    return one ?? other;
  return Math.min(one, other);
}
function requireLastingAdmin(key, admins, now, successor) {
  const state = keyState(key, now);
  if (key.scope !== "admin" || state === "expired" || state === "revoked")
    return;
  const lastsAsLong = ({ expiresAt }) => earlier(expiresAt, key.expiresAt) === key.expiresAt;
  if (successor && lastsAsLong(successor))
    return;
  const isHeir = (admin) => admin.id !== key.id && keyState(admin, now) === "active" && lastsAsLong(admin);
  if (admins.some(isHeir))
    return;
  const reason = `No other active key with the scope admin lasts as long as key ${key.id}`;
  throw new ServiceError("Conflict", successor ? `${reason}, and its successor would not either. Rotate it with a key that lasts as long and without an earlier expiresAt, or create another admin key first.` : `${reason}. Create one first, or rotate this one.`);
}
function shownToAnother(id) {
  return new ServiceError("UnprocessableContent", `Key ${id} was already created by this request, and is shown only to the key that asked for it. Send the request with that key, or revoke key ${id} and create another one with a new Idempotency-Key.`);
}
function noSuchKey(id) {
  return new ServiceError("NotFound", `No key has the id ${id}.`);
}
function generateKey() {
  const body = prefix + randomBase62(30);
  return body + checksum(body);
}
function isWellFormedKey(text) {
  return /^ask_[0-9A-Za-z]{36}$/.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}
function hashKey(key) {
  return hash("sha256", key, "buffer");
}
function randomBase62(length) {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length)
        text += base62[byte % 62];
    }
  }
  return text;
}
function checksum(text) {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0;place < checksumLength; place++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
var longestKeyName = 100, keyStates, lastTime2, prefix = "ask_", checksumLength = 6, base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
var init_key = __esm(() => {
  init_time_text();
  init_errors();
  init_expectation();
  init_scope();
  init_scope();
  keyStates = ["active", "retiring", "expired", "revoked"];
  lastTime2 = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
});

// src/base/clock.ts
function timeOfChange(now, ...history) {
  return Math.max(now, ...history.map((time) => time ?? now));
}
var farthestAheadMs;
var init_clock = __esm(() => {
  farthestAheadMs = 60 * 60 * 1000;
});

// src/domain/order.ts
function reservePet(pet, id) {
  if (!pet)
    throw new ServiceError("Conflict", `No animal has the id ${id}, so it cannot be ordered.`);
  const status = petStatusOfOrder.placed;
  requireTransition(pet.status, status, `Animal ${id} cannot be ordered because it is ${pet.status}.`);
  return { ...pet, status };
}
function closeOrder(order, status, at) {
  if (order.status !== "placed") {
    throw new ServiceError("Conflict", `Order ${order.id} is already ${order.status}. Only an open order can be completed or cancelled.`);
  }
  return { ...order, status, updatedAt: timeOfChange(at, order.createdAt) };
}
function presentOrder({ id, petId, status, createdAt, updatedAt }) {
  return { id, petId, status, createdAt: timeText(createdAt), updatedAt: timeText(updatedAt) };
}
function noSuchOrder(id) {
  return new ServiceError("NotFound", `No order has the id ${id}.`);
}
var orderStatuses, petStatusOfOrder;
var init_order = __esm(() => {
  init_clock();
  init_time_text();
  init_errors();
  init_pet();
  orderStatuses = ["placed", "completed", "cancelled"];
  petStatusOfOrder = {
    placed: "pending",
    completed: "sold",
    cancelled: "available"
  };
});

// src/domain/webhook.ts
import { randomBytes as randomBytes2 } from "crypto";
function presentWebhook(webhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    types: webhook.types === "" ? [] : webhook.types.split(","),
    description: webhook.description,
    status: webhook.status,
    disabledReason: webhook.disabledReason,
    failingSince: optionalTimeText(webhook.failingSince),
    oldSecretExpiresAt: optionalTimeText(webhook.retiresAt),
    createdAt: timeText(webhook.createdAt),
    updatedAt: timeText(webhook.updatedAt)
  };
}
function presentDelivery(delivery) {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    type: delivery.type,
    subject: delivery.subject,
    attempt: delivery.attempt,
    at: timeText(delivery.at),
    outcome: delivery.outcome,
    responseStatus: delivery.status,
    error: delivery.error,
    durationMs: delivery.durationMs,
    nextAttemptAt: optionalTimeText(delivery.nextAt)
  };
}
function changedWebhook(webhook, { status, ...changes }, at) {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const changed = { ...webhook, ...given, updatedAt: Math.max(at, webhook.createdAt) };
  if (status === undefined || status === webhook.status)
    return changed;
  if (status === "disabled")
    return disabledWebhook(changed, "request", at);
  return { ...changed, status, disabledReason: null, failingSince: null };
}
function disabledWebhook(webhook, disabledReason, at) {
  return { ...webhook, status: "disabled", disabledReason, updatedAt: Math.max(at, webhook.createdAt) };
}
function requireWebhook(webhook, id, expected) {
  if (!webhook)
    throw noSuchWebhook(id);
  requireExpected(webhook, expected);
  return webhook;
}
function positionToRetry(delivery, id) {
  if (!delivery)
    throw new ServiceError("NotFound", `The webhook has no recent delivery with the id ${id}.`);
  if (delivery.position !== null)
    return delivery.position;
  throw new ServiceError("Conflict", `Delivery ${id} was a test, which cannot be retried. Send another test.`);
}
function noSuchWebhook(id) {
  return new ServiceError("NotFound", `No webhook has the id ${id}.`);
}
function testDelivery(webhook, eventId, at) {
  return {
    position: null,
    eventId,
    type: testEventType,
    subject: `webhooks/${webhook.id}`,
    attempt: 1,
    at,
    outcome: "pending",
    status: null,
    error: null,
    durationMs: null,
    nextAt: null
  };
}
function testEventBody(webhook, { eventId, subject, at }) {
  return JSON.stringify({
    id: eventId,
    type: testEventType,
    timestamp: timeText(at),
    subject,
    actor: { id: null, name: "operator" },
    request: null,
    data: presentWebhook(webhook),
    previous: null
  });
}
function secretShownToAnother(id) {
  return new ServiceError("UnprocessableContent", `The secret of webhook ${id} was already created by this request, and is shown only to the key that asked for it. Send the request with that key, or rotate the secret with a new Idempotency-Key.`);
}
function generateWebhookSecret() {
  return secretPrefix + randomBytes2(32).toString("base64");
}
var webhookStatuses, disabledReasons, deliveryOutcomes, testEventType = "webhook.test", secretPrefix = "whsec_";
var init_webhook = __esm(() => {
  init_time_text();
  init_errors();
  init_expectation();
  webhookStatuses = ["enabled", "disabled"];
  disabledReasons = ["request", "gone", "failures", "retention", "history"];
  deliveryOutcomes = ["pending", "delivered", "failed"];
});

// src/domain/event.ts
import { randomBytes as randomBytes3 } from "crypto";
function petCreated({ name, categoryId, status }) {
  return { type: "pet.created", kind: "pets", data: { name, categoryId, status }, previous: null };
}
function petUpdated(before, after) {
  return changed({ type: "pet.updated", kind: "pets", ...split(after) }, before, after);
}
function petDeleted(pet) {
  return [{ type: "pet.deleted", kind: "pets", ...split(pet), previous: null }];
}
function orderPlaced(order) {
  const { data } = split(presentOrder({ id: 0, ...order }));
  return { type: "order.placed", kind: "orders", data, previous: null };
}
function orderClosed(before, after) {
  const type = after.status === "completed" ? "order.completed" : "order.cancelled";
  return changed({ type, kind: "orders", ...split(presentOrder(after)) }, presentOrder(before), presentOrder(after));
}
function categoryNamed(before, after) {
  const change = { type: "category.named", kind: "categories", ...split(after) };
  return before ? changed(change, before, after) : [{ ...change, previous: null }];
}
function categoryUnnamed(category) {
  return [{ type: "category.unnamed", kind: "categories", ...split(category), previous: null }];
}
function keyCreated(key, now) {
  const { data } = split(presentKey({ id: 0, line: 0, ...key }, now));
  return { type: "key.created", kind: "keys", data, previous: null };
}
function keyRotated(before, after, now) {
  return keyChanged("key.rotated", before, after, now);
}
function keyRevoked(before, after, now) {
  return keyChanged("key.revoked", before, after, now);
}
function webhookDisabled(before, after) {
  if (before.status === after.status || after.status !== "disabled")
    return [];
  const { status, disabledReason } = presentWebhook(before);
  return [
    {
      type: "webhook.disabled",
      kind: "webhooks",
      ...split(presentWebhook(after)),
      previous: { status, disabledReason }
    }
  ];
}
function keyChanged(type, before, after, now) {
  const shown = presentKey(after, now);
  return changed({ type, kind: "keys", ...split(shown) }, presentKey(before, now), shown);
}
function split({ id, ...data }) {
  return { id, data };
}
function changed(change, before, after) {
  const different = Object.entries(before).filter(([field, value]) => after[field] !== value);
  return different.length === 0 ? [] : [{ ...change, previous: Object.fromEntries(different) }];
}
function partsOf(eventId, { type, kind, data, previous }, origin) {
  const { actor, request, at } = origin;
  return [
    `{"id":"${eventId}","type":"${type}","timestamp":"${timeText(at)}","subject":"${kind}/`,
    `","actor":{"id":${actor.id},"name":${JSON.stringify(actor.name)}},"request":${JSON.stringify(request)},"data":{"id":`,
    `,${toJson(data).slice(1)},"previous":${previous === null ? "null" : toJson(previous)}}`
  ];
}
function bodyOf([head, middle, tail], id) {
  return head + id + middle + id + tail;
}
function newEventId() {
  if (randomUsed + bytesOfId > randomPool.length) {
    randomPool = randomBytes3(bytesOfId * 256);
    randomUsed = 0;
  }
  const id = `evt_${randomPool.toString("hex", randomUsed, randomUsed + bytesOfId)}`;
  randomUsed += bytesOfId;
  return id;
}
var eventTypes, subjectKinds, operator, bytesOfId = 16, eventIdLength, randomPool, randomUsed = 0;
var init_event = __esm(() => {
  init_json();
  init_time_text();
  init_key();
  init_order();
  init_webhook();
  eventTypes = [
    "pet.created",
    "pet.updated",
    "pet.deleted",
    "order.placed",
    "order.completed",
    "order.cancelled",
    "category.named",
    "category.unnamed",
    "key.created",
    "key.rotated",
    "key.revoked",
    "webhook.disabled"
  ];
  subjectKinds = ["pets", "orders", "categories", "keys", "webhooks"];
  operator = { id: null, name: "operator" };
  eventIdLength = "evt_".length + 2 * bytesOfId;
  randomPool = Buffer.alloc(0);
});

// src/store/replay.ts
async function replay(source) {
  const extent = await source.extent();
  const gap = gapOf(extent);
  const replayed = new Replayed(source, gap === undefined);
  for await (const events of source.events())
    await replayed.take(events);
  await replayed.end();
  return [
    finding("no event is missing between the first and the last", extent.count === 0 || extent.count === extent.newest - extent.oldest + 1 ? [] : ["missing"], () => `There are ${extent.count} from position ${extent.oldest} to ${extent.newest}.`),
    finding("every event follows from the one before it", replayed.misfits, (list) => `These do not: ${list}.`),
    finding("the last event of each is what the store has", replayed.differences, (list) => `Not so: ${list}.`),
    ...await wholeFindings(source, replayed, gap)
  ];
}
function gapOf({ oldest, isLate }) {
  const compared = "so only what has events was compared";
  if (isLate)
    return `The store is older than its log, ${compared}.`;
  return oldest > 1 ? `Events before position ${oldest} were removed, ${compared}.` : undefined;
}
async function wholeFindings(source, { inventory }, gap) {
  const everything = "nothing is in the store without an event";
  const sameInventory = "the inventory is what the events make it";
  if (gap !== undefined) {
    return [everything, sameInventory].map((rule) => ({ rule, problem: undefined, skipped: gap }));
  }
  const unlogged = [];
  for (const kind of replayedKinds)
    unlogged.push(...(await source.unlogged(kind)).map((id) => `${kind}/${id}`));
  const stored = await source.inventory();
  const wrong = petStatuses.filter((status) => stored[status] !== inventory[status]).map((status) => `${status}: ${stored[status]}, but ${inventory[status]} by the events`);
  return [
    finding(everything, unlogged.slice(0, mostShown), (list) => `Without an event: ${list}.`),
    finding(sameInventory, wrong, (list) => `The inventory has ${list}.`)
  ];
}

class Replayed {
  misfits = [];
  differences = [];
  inventory = { available: 0, pending: 0, sold: 0 };
  #source;
  #isWhole;
  #subject;
  #state;
  #done = [];
  constructor(source, isWhole) {
    this.#source = source;
    this.#isWhole = isWhole;
  }
  async take(events) {
    for (const event of events) {
      if (event.subject.startsWith("webhooks/"))
        continue;
      if (event.subject !== this.#subject) {
        this.#endSubject();
        this.#subject = event.subject;
        this.#state = this.#isWhole ? null : undefined;
      }
      this.#apply(event);
    }
    if (this.#done.length >= mostDone)
      await this.#compare();
  }
  async end() {
    this.#endSubject();
    await this.#compare();
  }
  #apply(event) {
    const { position, id, type, subject, body } = event;
    const told = readBody(body);
    const isItself = told?.id === id && told.type === type && told.subject === subject && isAbout(subject, told.data);
    const step = told && isItself ? stepOf(type, told.data, told.previous, this.#state) : undefined;
    if (!step?.fits && this.misfits.length < mostShown) {
      this.misfits.push(`${type} of ${subject} at ${position === null ? "the end" : `position ${position}`}`);
    }
    this.#state = step?.state;
  }
  #endSubject() {
    const [subject, state] = [this.#subject, this.#state];
    this.#subject = undefined;
    if (subject === undefined || state === undefined)
      return;
    const status = subject.startsWith("pets/") ? petStatuses.find((one) => one === state?.["status"]) : undefined;
    if (status)
      this.inventory[status]++;
    this.#done.push({ subject, state });
  }
  async#compare() {
    const done = this.#done;
    this.#done = [];
    for (const kind of replayedKinds) {
      const ofKind = done.filter(({ subject }) => subject.startsWith(`${kind}/`));
      if (ofKind.length === 0)
        continue;
      const ids = ofKind.map(({ subject }) => BigInt(subject.slice(kind.length + 1)));
      const found = await this.#source.current(kind, ids);
      const current = new Map(found.map((item) => [`${kind}/${item.id}`, shown(kind, item)]));
      for (const { subject, state } of ofKind) {
        if (this.differences.length < mostShown && !areSame(state, current.get(subject) ?? null)) {
          this.differences.push(subject);
        }
      }
    }
  }
}
function readBody(body) {
  try {
    const told = parseJson(body);
    const isKey = told.subject.startsWith("keys/");
    const { data, previous } = told;
    return isKey ? { ...told, data: lasting(data), previous: previous && lasting(previous) } : told;
  } catch {
    return;
  }
}
function isAbout(subject, data) {
  return subject.slice(subject.indexOf("/") + 1) === String(data["id"]);
}
function stepOf(type, data, previous, before) {
  if (deletions.has(type))
    return { state: null, fits: before === undefined || areSame(before, data) };
  const isCreation = previous === null && !changes.has(type);
  if (isCreation)
    return { state: data, fits: before === undefined || before === null };
  if (before === undefined)
    return { state: data, fits: previous !== null };
  return { state: data, fits: before !== null && previous !== null && areSame(before, { ...data, ...previous }) };
}
function shown(kind, item) {
  if (kind === "orders")
    return { ...presentOrder(item) };
  if (kind === "keys")
    return lasting({ ...presentKey(item, 0) });
  return { ...item };
}
function lasting({ state: _state, lastUsedAt: _lastUsedAt, ...fields }) {
  return fields;
}
function areSame(one, other) {
  if (one === null || other === null)
    return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => toJson(one[name]) === toJson(other[name]));
}
var replayedKinds, mostDone = 1000, deletions, changes;
var init_replay = __esm(() => {
  init_json();
  init_event();
  init_key();
  init_order();
  init_pet();
  init_check();
  replayedKinds = subjectKinds.filter((kind) => kind !== "webhooks");
  deletions = new Set(["pet.deleted", "category.unnamed"]);
  changes = new Set([
    "pet.updated",
    "order.completed",
    "order.cancelled",
    "key.rotated",
    "key.revoked"
  ]);
});

// src/domain/category.ts
function noSuchCategory(id) {
  return new ServiceError("NotFound", `No category has the id ${id}.`);
}
var init_category = __esm(() => {
  init_errors();
});

// src/domain/page.ts
function pageOf(items, limit) {
  if (items.length <= limit)
    return { items };
  items.length = limit;
  return { items, next: items[limit - 1]?.id };
}

// src/store/claim-counts.ts
function watchClaims(metrics, count) {
  let counts;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting;
  const countAgain = async () => {
    counts = await count().catch(() => {
      return;
    });
    countedAt = performance.now();
    counting = undefined;
  };
  metrics.prepare(async () => {
    if (performance.now() - countedAt < countEveryMs)
      return;
    counting ??= countAgain();
    await counting;
  });
  const help = "Requests with an Idempotency-Key that are kept, and those that wait to be removed.";
  metrics.watch("gauge", "claims", help, () => {
    if (!counts)
      return;
    return [
      [{ state: "kept" }, counts.kept],
      [{ state: "expired" }, counts.expired]
    ];
  });
}
var countEveryMs = 60000;

// src/base/awaitable.ts
function mapAwaitable(value, next) {
  return value instanceof Promise ? value.then(next) : next(value);
}

// src/domain/claim.ts
function tooManyClaims(waitMs, limit) {
  const reason = limit === undefined ? "This store has reached its limit of requests with an Idempotency-Key" : `This key has made ${limit} requests with an Idempotency-Key in 24 hours, which is the limit`;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new PassingError("TooManyRequests", `${reason}. Wait before the next one, or send it without an Idempotency-Key.`, seconds);
}
function claimedForAnother() {
  return new ServiceError("UnprocessableContent", "This Idempotency-Key was used for another request. Send another one, or the same request.");
}
function claimedByOtherVersion() {
  return new ServiceError("UnprocessableContent", "This request was already carried out by another version of the service, whose response cannot be repeated. Check the current state before you send it with a new Idempotency-Key.");
}
var StillUnderWay;
var init_claim = __esm(() => {
  init_errors();
  StillUnderWay = class StillUnderWay extends PassingError {
    constructor() {
      super("Conflict", "A request with this Idempotency-Key is still in progress. Send it again in a moment.", 1);
    }
  };
});

// src/store/conclusion.ts
function asRefusal(error) {
  if (!(error instanceof ServiceError))
    throw error;
  const { code, message } = error;
  const passing = error instanceof PassingError && { retryAfterSeconds: error.retryAfterSeconds };
  return { refusal: { code, message, ...passing } };
}
function isKept(conclusion) {
  if (!("refusal" in conclusion))
    return true;
  const { code, retryAfterSeconds } = conclusion.refusal;
  return retryAfterSeconds === undefined && code !== "BadRequest" && code !== "Forbidden";
}
function resultOf(conclusion) {
  if (!("refusal" in conclusion))
    return conclusion.result;
  const { code, message, retryAfterSeconds } = conclusion.refusal;
  throw retryAfterSeconds === undefined ? new ServiceError(code, message) : new PassingError(code, message, retryAfterSeconds);
}
function textOf(conclusion) {
  return toJson({ version, ...conclusion });
}
function recall(kept, { fingerprint }) {
  if (Buffer.compare(kept.fingerprint, fingerprint) !== 0)
    throw claimedForAnother();
  const { version: writtenAs = version, ...conclusion } = parseJson(kept.conclusion);
  if (writtenAs !== version)
    throw claimedByOtherVersion();
  return { ...conclusion, isReplay: true };
}
function forOneWrite(write) {
  let isUsed = false;
  return (...args) => {
    if (isUsed)
      throw new Error("A claim was used for two writes.");
    isUsed = true;
    return write(...args);
  };
}
function lineIdOf({ line }) {
  return line === "environment" ? 0 : line;
}
var version = 1, LateRefusal, claimLifetimeMs, tidyingStep = 1000;
var init_conclusion = __esm(() => {
  init_json();
  init_claim();
  init_errors();
  LateRefusal = class LateRefusal extends Error {
    constructor(refusal) {
      super("A write refused after it had changed something.", { cause: refusal });
    }
  };
  claimLifetimeMs = 24 * 60 * 60 * 1000;
});

// src/store/claim-room.ts
function claimLimits(ofLine) {
  return { ofLine, inAll: 10 * ofLine };
}

class ClaimRoom {
  limits;
  sharers;
  #lines = new Map;
  #all;
  constructor(limits, sharers) {
    this.limits = limits;
    this.sharers = sharers;
    this.#all = new Space(undefined, limits.inAll, sharers);
  }
  take(claim, counter) {
    const { at } = claim;
    return mapAwaitable(this.#lineOf(claim).take(at, counter), (roomAt) => {
      if (roomAt !== undefined)
        throw tooManyClaims(roomAt - at, this.limits.ofLine);
      return mapAwaitable(this.#all.take(at, counter), (roomInAllAt) => {
        if (roomInAllAt !== undefined)
          throw tooManyClaims(roomInAllAt - at);
      });
    });
  }
  #lineOf(claim) {
    const id = lineIdOf(claim);
    const known = this.#lines.get(id);
    if (known)
      return known;
    if (this.#lines.size >= mostLines)
      this.#lines.clear();
    const line = new Space(id, this.limits.ofLine, this.sharers);
    this.#lines.set(id, line);
    return line;
  }
}

class Space {
  line;
  limit;
  sharers;
  #free = 0;
  #fullUntil = 0;
  #measuring;
  constructor(line, limit, sharers) {
    this.line = line;
    this.limit = limit;
    this.sharers = sharers;
  }
  take(at, counter) {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (at < this.#fullUntil && this.#fullUntil <= at + claimLifetimeMs)
      return this.#fullUntil;
    return mapAwaitable(this.#measuring ?? this.#measure(at, counter), () => this.take(at, counter));
  }
  #measure(at, counter) {
    const measured = mapAwaitable(counter.count(this.line, at - claimLifetimeMs, this.limit), (count) => {
      const rest = this.limit - count;
      this.#free = Math.min(rest, Math.max(Math.ceil(rest / this.sharers), Math.ceil(this.limit / 1000)));
      return rest > 0 ? undefined : this.#measureWait(at, counter);
    });
    if (!(measured instanceof Promise))
      return;
    this.#measuring = measured.finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }
  #measureWait(at, counter) {
    const but = Math.max(0, Math.floor(this.limit / 100) - 1);
    return mapAwaitable(counter.oldest(this.line, at - claimLifetimeMs, but), (madeAt) => {
      this.#fullUntil = (madeAt ?? at) + claimLifetimeMs;
    });
  }
}
var usualClaimLimits, mostLines = 1e4;
var init_claim_room = __esm(() => {
  init_claim();
  init_conclusion();
  usualClaimLimits = claimLimits(1e5);
});

// src/store/events.ts
class EventWatch {
  #readNewest;
  #everyMs;
  #watchers = new Set;
  #timer;
  #newest = -1;
  #isAsking = false;
  #isHinted = false;
  constructor(readNewest, everyMs) {
    this.#readNewest = readNewest;
    this.#everyMs = everyMs;
  }
  add(onMore) {
    const watcher = () => onMore();
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(this.look, this.#everyMs);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0)
        this.close();
    };
  }
  look = async () => {
    this.#isHinted = true;
    if (this.#isAsking || this.#watchers.size === 0)
      return;
    this.#isAsking = true;
    try {
      while (this.#isHinted && this.#watchers.size > 0) {
        this.#isHinted = false;
        const newest = await this.#readNewest();
        if (newest === this.#newest)
          continue;
        this.#newest = newest;
        for (const watcher of this.#watchers)
          watcher();
      }
    } catch {} finally {
      this.#isAsking = false;
    }
  };
  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
var usualEventRetentionMs;
var init_events = __esm(() => {
  usualEventRetentionMs = 30 * 24 * 60 * 60 * 1000;
});

// src/store/filter.ts
function petConditions({ id, categoryId, status }) {
  const conditions = [];
  if (id !== undefined)
    conditions.push(["id", id]);
  if (categoryId !== undefined)
    conditions.push(["category_id", categoryId]);
  if (status !== undefined)
    conditions.push(["status", status]);
  return conditions;
}
function orderConditions({ petId, status }) {
  const conditions = [];
  if (petId !== undefined)
    conditions.push(["pet_id", petId]);
  if (status !== undefined)
    conditions.push(["status", status]);
  return conditions;
}

// src/metrics/registry.ts
class Registry {
  #families = new Map;
  #preparations = [];
  counter(name, help, labels = []) {
    const counts = new Labelled(labels, () => new Count);
    this.#register(name, { type: "counter", help, samples: () => counts.samples() });
    return counts;
  }
  histogram(name, help, bounds, labels = []) {
    const distributions = new Labelled(labels, () => new Distribution(bounds));
    this.#register(name, { type: "histogram", help, samples: () => distributions.samples() });
    return distributions;
  }
  watch(type, name, help, read) {
    this.#register(name, { type, help, samples: () => samplesOf(read()) });
  }
  prepare(preparation) {
    this.#preparations.push(preparation);
  }
  async text() {
    await Promise.all(this.#preparations.map((prepare) => prepare()));
    let text = "";
    for (const [name, { type, help, samples }] of this.#families) {
      text += `# HELP ${name} ${escapeHelp(help)}
# TYPE ${name} ${type}
`;
      for (const { suffix = "", labels, value } of samples()) {
        text += `${name}${suffix}${labelText(labels)} ${numberText(value)}
`;
      }
    }
    return text;
  }
  #register(name, family) {
    if (!/^[a-z_]+$/.test(name))
      throw new Error(`${name} is no name for a metric.`);
    const fullName = prefix2 + name;
    if (this.#families.has(fullName))
      throw new Error(`The metric ${name} was registered twice.`);
    this.#families.set(fullName, family);
  }
}

class Labelled {
  #names;
  #make;
  #cells = new Map;
  constructor(names, make) {
    this.#names = names;
    this.#make = make;
  }
  with(...values) {
    const key = values.join(`
`);
    let entry = this.#cells.get(key);
    if (!entry) {
      entry = {
        labels: Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""])),
        cell: this.#make()
      };
      this.#cells.set(key, entry);
    }
    return entry.cell;
  }
  *samples() {
    for (const { labels, cell } of this.#cells.values())
      yield* cell.samples(labels);
  }
}

class Count {
  #value = 0;
  add(amount = 1) {
    this.#value += amount;
  }
  *samples(labels) {
    yield { labels, value: this.#value };
  }
}

class Distribution {
  #bounds;
  #counts;
  #sum = 0;
  constructor(bounds) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }
  observe(value) {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > bounds[index])
      index++;
    this.#counts[index]++;
    this.#sum += value;
  }
  *samples(labels) {
    let count = 0;
    for (const [index, ofBucket] of this.#counts.entries()) {
      count += ofBucket;
      const bound = numberText(this.#bounds[index] ?? Number.POSITIVE_INFINITY);
      yield { suffix: "_bucket", labels: { ...labels, le: bound }, value: count };
    }
    yield { suffix: "_sum", labels, value: this.#sum };
    yield { suffix: "_count", labels, value: count };
  }
}
function samplesOf(reading) {
  if (reading === undefined)
    return [];
  if (typeof reading === "number")
    return [{ labels: {}, value: reading }];
  return Array.from(reading, ([labels, value]) => ({ labels, value }));
}
function labelText(labels) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
function escapeHelp(text) {
  return text.replaceAll("\\", "\\\\").replaceAll(`
`, "\\n");
}
function escapeLabel(text) {
  return escapeHelp(text).replaceAll('"', "\\\"");
}
function numberText(value) {
  if (Number.isFinite(value))
    return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
var prefix2 = "animal_store_", durationBounds;
var init_registry = __esm(() => {
  durationBounds = [
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10
  ];
});

// src/store/watch.ts
function watchOf({ note, metrics, slowStatementMs }) {
  return {
    note: note ?? (() => {}),
    metrics: metrics ?? new Registry,
    slowStatementMs: slowStatementMs ?? Number.POSITIVE_INFINITY
  };
}
function noteIfSlow({ note, slowStatementMs }, statement, elapsedMs, fields = {}) {
  if (elapsedMs <= slowStatementMs)
    return;
  const text = (typeof statement === "string" ? statement : statement()).replace(/\s+/g, " ").trim().slice(0, longestStatement);
  note("warn", "a slow statement", { statement: text, milliseconds: Math.round(elapsedMs), ...fields });
}

class WriteMetrics {
  #waits;
  #sizes;
  #durations;
  constructor(metrics) {
    this.#waits = metrics.histogram("write_wait_seconds", "How long a write waited for its turn.", durationBounds).with();
    this.#sizes = metrics.histogram("commit_writes", "How many writes were committed together.", sizeBounds).with();
    this.#durations = metrics.histogram("commit_duration_seconds", "How long a transaction took, with its writes and its commit.", durationBounds).with();
  }
  waited(elapsedMs) {
    this.#waits.observe(elapsedMs / 1000);
  }
  committed(writes, elapsedMs) {
    this.#sizes.observe(writes);
    this.#durations.observe(elapsedMs / 1000);
  }
}
var longestStatement = 300, sizeBounds;
var init_watch = __esm(() => {
  init_registry();
  sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
});

// src/store/webhooks.ts
var mostDeliveries = 100, mostNewLeases = 8, longestLeaseMs = 60000;

// src/base/deadline.ts
function withDeadline(milliseconds, work, late) {
  return new Promise((resolve, reject) => {
    const deadline = { at: performance.now() + milliseconds, miss: () => reject(late()) };
    watch(deadline);
    work.then((result) => {
      deadlines.delete(deadline);
      resolve(result);
    }, (error) => {
      deadlines.delete(deadline);
      reject(error);
    });
  });
}
function watch(deadline) {
  deadlines.add(deadline);
  timer ??= setInterval(look2, lookEveryMs);
}
function look2() {
  const now = performance.now();
  for (const deadline of deadlines) {
    if (deadline.at > now)
      continue;
    deadlines.delete(deadline);
    deadline.miss();
  }
  if (deadlines.size > 0)
    return;
  clearInterval(timer);
  timer = undefined;
}
var deadlines, timer, lookEveryMs = 20;
var init_deadline = __esm(() => {
  deadlines = new Set;
});

// src/store/write-queue.ts
class WriteQueue {
  #commit;
  #attribution;
  #metrics;
  #waiting = [];
  #committingSince;
  #timer;
  #whenEmpty;
  constructor(commit, attribution, metrics) {
    this.#commit = commit;
    this.#attribution = attribution;
    this.#metrics = metrics;
  }
  get depth() {
    return this.#waiting.length;
  }
  add(write) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= longestQueue) {
        throw new ServiceError("ServiceUnavailable", "Too many writes are waiting. Nothing was saved; try again.");
      }
      const now = performance.now();
      if (this.#committingSince !== undefined && now - this.#committingSince > longestWaitMs)
        throw tooSlow();
      this.#waiting.push({ write, since: now, request: this.#attribution.request, resolve, reject });
      if (this.#committingSince === undefined)
        this.#commitWaiting();
    });
  }
  async drain() {
    if (this.#committingSince === undefined)
      return;
    await new Promise((resolve) => {
      this.#whenEmpty = resolve;
    });
  }
  async#commitWaiting() {
    this.#timer ??= setInterval(() => this.#turnAwayBehindHang(), lookEveryMs2);
    this.#committingSince = performance.now();
    for (let patienceMs = longestWaitMs;this.#hasFresh(patienceMs); ) {
      const begunAt = performance.now();
      this.#committingSince = begunAt;
      const batch = this.#waiting.splice(0, largestBatch);
      for (const pending of batch)
        this.#endWait(pending, begunAt);
      const outcomes = await this.#commit(batch.map(({ write }) => write)).catch(asOutcomeOfAll(batch.length));
      this.#metrics.committed(batch.length, performance.now() - begunAt);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome && "result" in outcome)
          resolve(outcome.result);
        else
          reject(outcome?.error ?? new Error("A write got no outcome."));
      }
      patienceMs = outcomes.every((outcome) => ("error" in outcome)) ? longestWaitAfterFailureMs : longestWaitMs;
    }
    this.#committingSince = undefined;
    this.#whenEmpty?.();
  }
  #endWait({ since, request }, now) {
    this.#metrics.waited(now - since);
    if (request)
      request.queueMs += now - since;
  }
  #turnAwayBehindHang() {
    if (this.#committingSince !== undefined)
      this.#hasFresh(longestWaitMs);
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
  #hasFresh(patienceMs) {
    const now = performance.now();
    for (let [first] = this.#waiting;first && first.since < now - patienceMs; [first] = this.#waiting) {
      this.#waiting.shift();
      this.#endWait(first, now);
      first.reject(tooSlow());
    }
    return this.#waiting.length > 0;
  }
}
function tooSlow() {
  return new ServiceError("ServiceUnavailable", "The store is too slow now. Nothing was saved; try again.");
}
function asOutcomeOfAll(count) {
  return (error) => Array.from({ length: count }, () => ({ error }));
}
var longestQueue = 4096, largestBatch = 1024, longestWaitMs = 5000, longestWaitAfterFailureMs = 600, lookEveryMs2 = 250;
var init_write_queue = __esm(() => {
  init_errors();
});

// src/store/postgres/errors.ts
function toFailure2(error, server) {
  const { code, errno, message, server: named } = error;
  return {
    server: String(named ?? server),
    code: String(code ?? ""),
    state: typeof errno === "string" ? errno : "",
    message: String(message ?? error)
  };
}
function hasMoved({ state }) {
  return state === readOnly;
}
function isTooMany({ state }) {
  return state === "53300";
}
function isDisconnected({ code, state }) {
  return isOfConnection(code) || state.startsWith("57P") || state.startsWith("08");
}
function isOfConnection(code) {
  return code.startsWith("ERR_POSTGRES_CONNECTION") || code === unknownHost;
}
function toServiceError(failure) {
  const { server, code, state, message } = failure;
  const cause = `${server}: ${state || code}: ${message}`;
  if (state === sequenceUsedUp) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  if (state === diskFull) {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (state === limitExceeded) {
    return new ServiceError("InsufficientStorage", "The store has no room for temporary files. Nothing was saved.", cause);
  }
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED")
    return unknownOutcome(cause);
  if (isOfConnection(code) || passing2.some((kind) => state.startsWith(kind))) {
    return new (state === lockTimeout ? LockMissed : ServiceError)("ServiceUnavailable", "The store cannot be reached now. Nothing was saved; try again.", cause);
  }
  return new (kindOf(state))("InternalServerError", "Something went wrong in the service.", cause);
}
function kindOf(state) {
  if (state === insufficientPrivilege)
    return RightMissing;
  if (state === unknownStatement || state === duplicateStatement)
    return StatementLost;
  return state.startsWith("22") || state.startsWith("23") ? RuleBroken : ServiceError;
}
function unknownOutcome(cause) {
  return new ServiceError("ServiceUnavailable", "The store did not respond in time. It is not known whether the request was carried out.", cause);
}
function asReadError(error) {
  if (!(error instanceof ServiceError))
    return error;
  const unavailable = (message) => new ServiceError("ServiceUnavailable", message, error.cause);
  if (error.code === "ServiceUnavailable")
    return unavailable("The store cannot be reached now; try again.");
  if (error.code === "InsufficientStorage")
    return unavailable("The store's disk is full; try again.");
  return error;
}
var RuleBroken, RightMissing, LockMissed, StatementLost, unknownHost = "ENOTFOUND", readOnly = "25006", sequenceUsedUp = "2200H", diskFull = "53100", limitExceeded = "53400", insufficientPrivilege = "42501", unknownStatement = "26000", duplicateStatement = "42P05", lockTimeout = "55P03", passing2;
var init_errors2 = __esm(() => {
  init_errors();
  RuleBroken = class RuleBroken extends ServiceError {
  };
  RightMissing = class RightMissing extends ServiceError {
  };
  LockMissed = class LockMissed extends ServiceError {
  };
  StatementLost = class StatementLost extends ServiceError {
  };
  passing2 = ["08", "53", "57", "40", lockTimeout, readOnly];
});

// src/store/postgres/open-pool.ts
import { lookup } from "dns/promises";
var {SQL } = globalThis.Bun;
async function openPool(settings) {
  const attempts = settings.urls.map((url) => connectTo(url, settings));
  try {
    const chosen = await Promise.any(attempts);
    for (const attempt of attempts) {
      attempt.then((pool) => pool === chosen ? undefined : pool.sql.close({ timeout: 0 })).catch(() => {});
    }
    return chosen;
  } catch (error) {
    throw error instanceof AggregateError ? mostTelling(error.errors) : error;
  }
}
function serverOf(url) {
  const { host, searchParams } = new URL(url);
  return searchParams.get("host") ?? (host || "localhost");
}
async function connectTo(url, { role, size, onClosed }) {
  const server = serverOf(url);
  const sql = new SQL({
    adapter: "postgres",
    url,
    max: size,
    connectionTimeout: 3,
    connection: { application_name: "animal-store" },
    onclose: (error) => onClosed(sql, error)
  });
  try {
    const rows = await sql.unsafe('SELECT pg_is_in_recovery() AS "isStandby"');
    if (role === "standby" || !rows[0]?.isStandby)
      return { sql, server };
    throw Object.assign(new Error("the server is a standby"), { errno: readOnly });
  } catch (error) {
    sql.close({ timeout: 0 }).catch(() => {});
    throw await withServer(error, url, server);
  }
}
async function withServer(error, url, server) {
  const { hostname } = new URL(url);
  const isRefused = error.code === "ERR_POSTGRES_CONNECTION_REFUSED";
  const isUnknown = isRefused && hostname !== "" && !await lookup(hostname).catch(() => {
    return;
  });
  return isUnknown ? Object.assign(new Error("there is no such host"), { code: unknownHost, server }) : Object.assign(error, { server });
}
function mostTelling(errors) {
  const rank = (error) => {
    const failure = toFailure2(error, "");
    return hasMoved(failure) ? 2 : failure.state === "" ? 1 : 0;
  };
  return errors.toSorted((one, other) => rank(one) - rank(other))[0];
}
var init_open_pool = __esm(() => {
  init_errors2();
});

// src/store/postgres/pool-use.ts
class PoolUse {
  #watch;
  #running;
  #isGivenUp = false;
  constructor(watch) {
    this.#watch = watch;
  }
  async run(session, text, parameters = []) {
    if (this.#isGivenUp)
      throw new DeadlineMissed;
    const query = session.unsafe(text, parameters.map((parameter) => toDriver(session, parameter)));
    this.#running = query;
    const startedAt = performance.now();
    try {
      return await query;
    } finally {
      if (this.#watch)
        noteIfSlow(this.#watch, text, performance.now() - startedAt);
      this.#running = undefined;
    }
  }
  async giveUp(working) {
    this.#isGivenUp = true;
    this.#running?.cancel();
    const ended = working.then(() => true, () => true);
    return await withDeadline(cancelMilliseconds, ended, () => new DeadlineMissed).catch(() => false);
  }
}
function toDriver(session, parameter) {
  const isArray = typeof parameter === "object" && parameter !== null && "values" in parameter && "type" in parameter;
  return isArray ? session.array([...parameter.values], parameter.type) : parameter;
}
var DeadlineMissed, cancelMilliseconds = 600;
var init_pool_use = __esm(() => {
  init_deadline();
  init_watch();
  DeadlineMissed = class DeadlineMissed extends Error {
  };
});

// src/store/postgres/position.ts
function positionOf(text) {
  const [high = "", low = ""] = text.split("/");
  return BigInt(`0x${high}`) << 32n | BigInt(`0x${low}`);
}

// src/store/postgres/connection.ts
class Connection {
  #settings;
  #limitMs;
  #qualified = new Map;
  #pool;
  #connected;
  #size;
  #lastServer;
  #hasNotedLoss = false;
  #uses = 0;
  #timesLeft = 0;
  constructor(settings) {
    this.#settings = settings;
    this.#size = settings.poolSize;
    const { limitMilliseconds, role } = settings;
    this.#limitMs = limitMilliseconds ?? (role === "primary" ? primaryMilliseconds : standbyMilliseconds);
  }
  get server() {
    return this.#lastServer ?? serverOf(this.#settings.urls[0] ?? "");
  }
  get inUse() {
    return Math.min(this.#uses, this.#size);
  }
  get waiting() {
    return this.#uses - this.inUse;
  }
  get timesLeft() {
    return this.#timesLeft;
  }
  query = (text, parameters = []) => this.#use(({ sql }, use) => use.run(sql, this.#qualify(text), parameters));
  async transaction(work) {
    const { acknowledge, isAppliedOnStandbys, transactions } = this.#settings;
    const askedAt = performance.now();
    const request = transactions?.attribution.request;
    const { result, position } = await this.#use(async ({ sql }, use) => {
      const session = await sql.reserve();
      const begunAt = performance.now();
      transactions?.metrics.waited(begunAt - askedAt);
      if (request)
        request.queueMs += begunAt - askedAt;
      try {
        await use.run(session, isAppliedOnStandbys ? beginApplied : begin);
        const result = await work((text, parameters) => use.run(session, this.#qualify(text), parameters));
        const [rows] = await use.run(session, acknowledge ? commitWithPosition : commit);
        transactions?.metrics.committed(1, performance.now() - begunAt);
        return { result, position: rows?.[0]?.position };
      } catch (error) {
        await session.unsafe("ROLLBACK").catch(() => {});
        throw error;
      } finally {
        session.release();
      }
    });
    if (acknowledge && position != null)
      await acknowledge(positionOf(position));
    return result;
  }
  shrink() {
    if (this.#size === 1 || !this.#pool)
      return;
    this.#size = Math.ceil(this.#size / 2);
    this.#leave(this.#pool, graceSeconds, `too many connections: at most ${this.#size} from now on`);
  }
  async close() {
    this.#connected = undefined;
    const pool = await this.#pool?.catch(() => {
      return;
    });
    await pool?.sql.close({ timeout: 1 });
  }
  async#use(work) {
    this.#pool ??= this.#connect();
    const pool = this.#pool;
    const use = new PoolUse(this.#settings.watch);
    this.#uses++;
    const working = pool.then((connected) => work(connected, use)).finally(() => {
      this.#uses--;
    });
    try {
      const result = await withDeadline(this.#limitMs, working, () => new DeadlineMissed);
      this.#hasNotedLoss = false;
      return result;
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        this.#giveUp(pool, use, working);
        throw unknownOutcome(`${this.server}: no answer within ${this.#limitMs} ms`);
      }
      if (error instanceof ServiceError)
        throw error;
      const failure = toFailure2(error, this.server);
      if (hasMoved(failure) || isDisconnected(failure))
        this.#leave(pool, graceSeconds, failure.message);
      if (isTooMany(failure))
        this.#settings.onTooMany?.();
      throw toServiceError(failure);
    }
  }
  async#giveUp(pool, use, working) {
    if (!await use.giveUp(working))
      this.#leave(pool, 0, `no answer within ${this.#limitMs} ms`);
  }
  async#connect() {
    const { urls, role, found = {}, note } = this.#settings;
    try {
      const pool = await openPool({
        urls,
        role,
        size: this.#size,
        onClosed: (sql, error) => this.#onClosed(sql, error)
      });
      if (found.server !== undefined && found.server !== pool.server) {
        note("warn", "the primary has moved", { from: found.server, to: pool.server });
      }
      found.server = this.#lastServer = pool.server;
      this.#connected = pool;
      return pool;
    } catch (error) {
      this.#pool = undefined;
      throw error;
    }
  }
  #onClosed(sql, error) {
    const failure = toFailure2(error, this.server);
    if (!this.#pool || this.#connected?.sql !== sql || this.#settings.role !== "primary")
      return;
    if (isDisconnected(failure))
      this.#leave(this.#pool, graceSeconds, failure.message);
  }
  #leave(pool, seconds, reason) {
    if (this.#pool === pool) {
      this.#pool = undefined;
      this.#connected = undefined;
      this.#timesLeft++;
      this.#noteLoss(reason);
    }
    pool.then(({ sql }) => sql.close({ timeout: seconds })).catch(() => {});
  }
  #noteLoss(reason) {
    const { note, role } = this.#settings;
    if (role === "primary" && !this.#hasNotedLoss) {
      note("warn", "a pool of connections was left for a new one", { server: this.server, reason });
    }
    this.#hasNotedLoss = true;
  }
  #qualify(text) {
    let qualified = this.#qualified.get(text);
    if (qualified === undefined) {
      qualified = text.replace(/\bstore\./g, `"${this.#settings.schema}".`);
      this.#qualified.set(text, qualified);
    }
    return qualified;
  }
}
var primaryMilliseconds = 4000, standbyMilliseconds = 1000, graceSeconds = 5, begin = "BEGIN", beginApplied = "BEGIN; SET LOCAL synchronous_commit = remote_apply", commit = "COMMIT", commitWithPosition = `
  SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN NULL ELSE pg_current_wal_insert_lsn() END AS position;
  COMMIT`;
var init_connection = __esm(() => {
  init_deadline();
  init_errors();
  init_errors2();
  init_open_pool();
  init_pool_use();
});

// src/store/postgres/migrations/001-animals-and-keys.sql
var _001_animals_and_keys_default2 = `CREATE TABLE IF NOT EXISTS pets (
  -- Beyond this, clients that read JSON numbers as doubles would mistake one id for another.
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 9007199254740991),
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
);

CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
CREATE INDEX IF NOT EXISTS pets_by_category ON pets (category_id, id);
CREATE INDEX IF NOT EXISTS pets_by_category_and_status ON pets (category_id, status, id);

CREATE TABLE IF NOT EXISTS keys (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash bytea NOT NULL UNIQUE,
  -- Times are milliseconds since 1970.
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  rotated_at bigint,
  last_used_at bigint
);
`;
var init__001_animals_and_keys = () => {};

// src/store/postgres/migrations/002-1-store-area.sql
var _002_1_store_area_default = `CREATE TABLE IF NOT EXISTS orders (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 9007199254740991),
  pet_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('placed', 'completed', 'cancelled')),
  -- Times are milliseconds since 1970.
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS orders_by_status ON orders (status, id);
CREATE INDEX IF NOT EXISTS orders_by_pet ON orders (pet_id, id);
CREATE INDEX IF NOT EXISTS orders_by_pet_and_status ON orders (pet_id, status, id);
-- Whatever goes wrong elsewhere, no animal has two open orders.
CREATE UNIQUE INDEX IF NOT EXISTS open_orders ON orders (pet_id) WHERE status = 'placed';

CREATE TABLE IF NOT EXISTS categories (
  id bigint PRIMARY KEY,
  name text NOT NULL
);

-- The inventory is the sum of its changes. A row for each sum would be one that every write has to wait for; changes are
-- only ever added, and summed up from time to time.
CREATE TABLE IF NOT EXISTS inventory_changes (
  status text NOT NULL,
  change bigint NOT NULL
);

CREATE OR REPLACE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change) SELECT status, count(*) FROM added GROUP BY status;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change)
  SELECT status, sum(change) FROM (
    SELECT status, 1 AS change FROM added UNION ALL SELECT status, -1 FROM removed
  ) AS changes GROUP BY status HAVING sum(change) <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO inventory_changes (status, change) SELECT status, -count(*) FROM removed GROUP BY status;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_added AFTER INSERT ON pets
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added();
CREATE OR REPLACE TRIGGER count_moved AFTER UPDATE ON pets
  REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_moved();
CREATE OR REPLACE TRIGGER count_removed AFTER DELETE ON pets
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed();

-- What became of requests that may be repeated, each written in the transaction of its own write.
CREATE TABLE IF NOT EXISTS claims (
  name bytea PRIMARY KEY,
  fingerprint bytea NOT NULL,
  conclusion text NOT NULL,
  created_at bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS claims_by_age ON claims (created_at);
`;
var init__002_1_store_area = () => {};

// src/store/postgres/migrations/002-2-count-animals.sql
var _002_2_count_animals_default = `-- What was there before the triggers. One statement sees the animals and the changes as of one moment, so that nobody need be
-- kept from writing, and counting again adds nothing.
INSERT INTO inventory_changes (status, change)
SELECT status, sum(change) FROM (
  SELECT status, count(*) AS change FROM pets GROUP BY status
  UNION ALL
  SELECT status, -sum(change) FROM inventory_changes GROUP BY status
) AS differences GROUP BY status HAVING sum(change) <> 0;
`;
var init__002_2_count_animals = () => {};

// src/store/postgres/migrations/003-1-key-lines.sql
var _003_1_key_lines_default = `-- The first of the keys that replaced each other; NULL for a key that replaced none. Which of those that are there already
-- replaced which was never written down: each begins a line of its own, to which the claims that it has made belong.
ALTER TABLE keys ADD COLUMN IF NOT EXISTS line bigint;

-- The line of the key that made the request, 0 for the configured key; not known of those that were kept before.
ALTER TABLE claims ADD COLUMN IF NOT EXISTS line bigint;
`;
var init__003_1_key_lines = () => {};

// src/store/postgres/migrations/003-2-unseal-claims.sql
var _003_2_unseal_claims_default = `-- New keys were sealed so that a weak configured key could be guessed from them.
WITH batch AS (
  SELECT name FROM store.claims WHERE name > decode($1, 'hex') ORDER BY name LIMIT 1000
), unsealed AS (
  UPDATE store.claims SET conclusion = (conclusion::jsonb #- '{result,sealed}')::text
  FROM batch WHERE claims.name = batch.name AND conclusion LIKE '%"sealed":%'
)
SELECT encode(name, 'hex') AS last FROM batch ORDER BY name DESC LIMIT 1
`;
var init__003_2_unseal_claims = () => {};

// src/store/postgres/migrations/004-shared-quotas.sql
var _004_shared_quotas_default = `-- What was leased of the quota of each key, in windows of time that are the same for all instances. It is worth nothing after
-- a crash, so that it need not be flushed nor sent to standbys.
CREATE UNLOGGED TABLE IF NOT EXISTS quota_windows (
  -- Milliseconds since 1970.
  ends_at bigint NOT NULL,
  -- 0 for the configured key.
  key bigint NOT NULL,
  taken bigint NOT NULL,
  -- What the last lease came to.
  granted bigint NOT NULL,
  -- How many instances have leased.
  sharers integer NOT NULL,
  PRIMARY KEY (ends_at, key)
) WITH (fillfactor = 50);
`;
var init__004_shared_quotas = () => {};

// src/store/postgres/migrations/005-events.sql
var _005_events_default = `-- What has happened, as each write says in its own transaction. Those numbers are not in the order of the commits.
CREATE TABLE IF NOT EXISTS event_inbox (
  number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  -- Milliseconds since 1970.
  at bigint NOT NULL,
  -- The event as clients get it.
  body text NOT NULL
);

-- The same in the order in which it is read, moved here by one instance at a time. The newest is never removed, so that no
-- position is ever given twice.
CREATE TABLE IF NOT EXISTS events (
  position bigint PRIMARY KEY,
  id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

CREATE INDEX IF NOT EXISTS events_by_type ON events (type, position);
CREATE INDEX IF NOT EXISTS events_by_subject ON events (subject, position);

-- No event, but the mark of a log that does not tell of everything: the store was there before, and programs that do not log
-- may still be writing to it. A store that is made at once with its log has all of its migrations from one transaction.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM migrations WHERE xmin <> pg_current_xact_id()::xid)
ON CONFLICT DO NOTHING;
`;
var init__005_events = () => {};

// src/store/postgres/migrations/006-webhooks.sql
var _006_webhooks_default = `-- Where events are sent to. What a webhook has yet to get is all that comes after its position in the log, and what is parked.
CREATE TABLE IF NOT EXISTS webhooks (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL,
  -- Separated by commas; empty for all.
  types text NOT NULL,
  description text,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text,
  failing_since bigint,
  -- Sealed with a key that is not stored. The one before is used as well until it retires.
  secret text NOT NULL,
  previous_secret text,
  retires_at bigint,
  position bigint NOT NULL,
  -- Of the event at the position; empty before the first.
  event_id text NOT NULL,
  -- Another after each change that the one who delivers has to know of.
  revision bigint NOT NULL,
  -- Who delivers, and until when nobody else does.
  lease_owner text,
  lease_until bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Events before the position that have yet to be delivered: one of each subject has failed, the others wait behind it.
CREATE TABLE IF NOT EXISTS webhook_parked (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  position bigint NOT NULL,
  subject text NOT NULL,
  attempts bigint NOT NULL,
  next_at bigint NOT NULL,
  UNIQUE (webhook, position)
);

-- The latest attempts of each webhook, for people to look at.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  webhook bigint NOT NULL,
  -- NULL for a test, which is not in the log.
  position bigint,
  event_id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  attempt bigint NOT NULL,
  at bigint NOT NULL,
  outcome text NOT NULL,
  status bigint,
  error text,
  duration_ms bigint,
  next_at bigint
);

CREATE INDEX IF NOT EXISTS webhook_deliveries_by_webhook ON webhook_deliveries (webhook, id);
`;
var init__006_webhooks = () => {};

// src/store/postgres/migrate.ts
import { setTimeout as setTimeout3 } from "timers/promises";
async function pendingMigrations2({ query }, schema) {
  const found = await schemaVersion2(query, schema);
  refuseUnknown("The database", found, migrations2.length);
  return {
    pending: migrations2.slice(found.version).map(({ name, version, oldestProgram }) => ({
      name,
      isOnline: found.version === 0 || oldestProgram < version
    })),
    isNewer: found.version > migrations2.length
  };
}
async function requireStore2({ query }, schema) {
  if ((await schemaVersion2(query, schema)).version > 0)
    return;
  throw new StoreOpenError(`The PostgreSQL database has no store in its schema ${schema}. Set --database to an existing one; only serve and migrate create a new one.`);
}
async function migrate2(connection, schema, wanted = migrations2) {
  while (!await migrateUnderLock(connection, schema, wanted))
    await setTimeout3(lockAgainMs);
}
async function migrateUnderLock(connection, schema, wanted) {
  return await connection.transaction(async (query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0");
    const [lock] = await query('SELECT pg_try_advisory_xact_lock($1) AS "isOurs"', [lockName]);
    if (!lock?.isOurs)
      return false;
    if (await hasMigrations(query, schema))
      await changeSchema(connection, query, schema, wanted);
    else
      await makeSchema(query, schema, wanted);
    return true;
  });
}
async function makeSchema(query, schema, wanted) {
  const found = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0)
    await query(`CREATE SCHEMA "${schema}"`);
  await query(searchPath(schema));
  await query(migrationTable);
  for (const migration of wanted) {
    for (const step of migration.steps) {
      if ("sql" in step)
        await query(step.sql);
      else if ("index" in step)
        await query(`CREATE INDEX ${step.index} ON ${step.on}`);
    }
    await noteDone(query, migration);
  }
}
async function changeSchema(connection, lockHolder, schema, wanted) {
  const { version } = await recordedVersion(connection.query);
  if (version >= wanted.length)
    return;
  const inTransaction = (work) => patientTransaction(connection, schema, work);
  await inTransaction((query) => query(migrationTable));
  for (const migration of wanted.slice(version)) {
    for (const step of migration.steps) {
      await lockHolder("SELECT 1");
      if ("sql" in step)
        await inTransaction((query) => query(step.sql));
      else if ("index" in step)
        await buildIndex(connection, schema, step);
      else
        await runBatches(connection, step.batches);
    }
    await inTransaction((query) => noteDone(query, migration));
  }
}
async function patientTransaction(connection, schema, work) {
  for (;; ) {
    try {
      await connection.transaction(async (query) => {
        await query(`${searchPath(schema)}; SET LOCAL lock_timeout = ${longestLockWaitMs}`);
        await work(query);
      });
      return;
    } catch (error) {
      if (!(error instanceof LockMissed))
        throw error;
    }
    await setTimeout3(lockAgainMs);
  }
}
async function buildIndex({ query }, schema, { index, on }) {
  const broken = await query(`SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = $2 AND NOT indisvalid`, [schema, index]);
  if (broken.length > 0)
    await query(`DROP INDEX CONCURRENTLY store.${index}`);
  await query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index} ON ${on}`);
}
async function runBatches({ query }, statement) {
  let last = "";
  while (last !== undefined) {
    const rows = await query(statement, [last]);
    last = rows[0]?.last;
  }
}
function searchPath(schema) {
  return `SET LOCAL search_path TO "${schema}"`;
}
async function noteDone(query, { version, name, oldestProgram }) {
  await query("INSERT INTO migrations (version, name, oldest_program) VALUES ($1, $2, $3)", [
    version,
    name,
    oldestProgram
  ]);
}
async function schemaVersion2(query, schema) {
  return await hasMigrations(query, schema) ? await recordedVersion(query) : noSchema;
}
async function hasMigrations(query, schema) {
  const found = await query("SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'", [schema]);
  return found.length > 0;
}
async function recordedVersion(query) {
  const [row] = await query(`SELECT coalesce(max(version), 0) AS version,
            coalesce(max(coalesce((to_jsonb(migrations)->>'oldest_program')::integer, version)), 0) AS "oldestProgram"
     FROM store.migrations`);
  return row ?? noSchema;
}
var migrations2, migrationTable = `
  CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  ALTER TABLE migrations ADD COLUMN IF NOT EXISTS oldest_program integer`, noSchema, lockName = 1885697139, lockAgainMs = 100, longestLockWaitMs = 200;
var init_migrate = __esm(() => {
  init_schema_version();
  init_store();
  init_errors2();
  init__001_animals_and_keys();
  init__002_1_store_area();
  init__002_2_count_animals();
  init__003_1_key_lines();
  init__003_2_unseal_claims();
  init__004_shared_quotas();
  init__005_events();
  init__006_webhooks();
  migrations2 = [
    { version: 1, name: "animals and keys", oldestProgram: 1, steps: [{ sql: _001_animals_and_keys_default2 }] },
    {
      version: 2,
      name: "orders, categories, inventory and repeated requests",
      oldestProgram: 1,
      steps: [{ sql: _002_1_store_area_default }, { sql: _002_2_count_animals_default }]
    },
    {
      version: 3,
      name: "lines of keys",
      oldestProgram: 3,
      steps: [
        { sql: _003_1_key_lines_default },
        { index: "claims_by_line", on: "store.claims (line, created_at)" },
        { batches: _003_2_unseal_claims_default }
      ]
    },
    { version: 4, name: "quotas that instances share", oldestProgram: 3, steps: [{ sql: _004_shared_quotas_default }] },
    { version: 5, name: "events", oldestProgram: 5, steps: [{ sql: _005_events_default }] },
    { version: 6, name: "webhooks", oldestProgram: 5, steps: [{ sql: _006_webhooks_default }] }
  ];
  noSchema = { version: 0, oldestProgram: 0 };
});

// src/store/postgres/pooler.ts
async function requireOwnStatements(one, other) {
  const [ofOne, ofOther] = [new Set, new Set];
  for (let round = 0;round < mostRounds; round++) {
    ofOne.add(await answeringProcess(one, "one", round));
    ofOther.add(await answeringProcess(other, "other", round));
    if (!ofOne.isDisjointFrom(ofOther))
      return;
    if (round >= fewRounds && ofOne.size === 1 && ofOther.size === 1)
      return;
  }
}
async function requireTransactions(connection, isAppliedOnStandbys) {
  const durability = await connection.transaction(durabilityOf).catch((error) => {
    if (!(error instanceof ServiceError) || !/statement pooling/.test(String(error.cause)))
      throw error;
    throw new StoreOpenError("The pooler in front of PostgreSQL is in statement mode, which does not support transactions. Set its pool_mode to transaction or session.");
  });
  if (!isAppliedOnStandbys || durability === "remote_apply")
    return;
  throw new StoreOpenError(`--replica needs SET LOCAL synchronous_commit to work, but what is in front of PostgreSQL leaves it at ${durability}: a client might not find on a standby what it has just been told was saved.`);
}
async function answeringProcess({ query }, side, round) {
  const text = `SELECT '${side} ' || $1 AS answer, pg_backend_pid() AS pid`;
  const [row] = await query(text, [String(round)]).catch((error) => {
    throw isLost(error) ? statementsAreLost() : error;
  });
  if (row?.answer !== `${side} ${round}`)
    throw statementsAreLost();
  return row.pid;
}
function isLost(error) {
  return error instanceof StatementLost || error instanceof ServiceError && /prepared statement/.test(String(error.cause));
}
function statementsAreLost() {
  return new StoreOpenError("The pooler in front of PostgreSQL loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0, or its session mode.");
}
async function durabilityOf(query) {
  const [row] = await query("SELECT current_setting('synchronous_commit') AS durability");
  return row?.durability ?? "";
}
var fewRounds = 4, mostRounds = 100;
var init_pooler = __esm(() => {
  init_errors();
  init_store();
  init_errors2();
});

// src/store/postgres/query.ts
function arrayOf(values, type) {
  return { values: values.map(String), type };
}
var appliedOnStandbys = "(SELECT set_config('synchronous_commit', 'remote_apply', true)) AS durability";

// src/store/postgres/rights.ts
async function missingGrants(query, schemaName) {
  const [schema] = await query(`SELECT quote_ident(nspname) AS name, quote_ident(current_user) AS user,
            has_schema_privilege(oid, 'USAGE') AS "isUsable"
     FROM pg_namespace WHERE nspname = $1`, [schemaName]);
  if (!schema)
    return [];
  const tables = new Map;
  for (const { table, rights } of await missingOnTables(query, schemaName)) {
    tables.set(rights, [...tables.get(rights) ?? [], `${schema.name}.${table}`]);
  }
  return [
    ...schema.isUsable ? [] : [`USAGE ON SCHEMA ${schema.name}`],
    ...[...tables].map(([rights, names]) => `${rights} ON ${names.join(", ")}`)
  ].map((grant) => `GRANT ${grant} TO ${schema.user};`);
}
async function hindranceToChange(query, schemaName) {
  const [database] = await query(`SELECT quote_ident(current_database()) AS name, quote_ident(current_user) AS user,
            quote_ident(pg_get_userbyid(nspowner)) AS owner,
            nspowner IS NOT NULL AND pg_has_role(nspowner, 'USAGE')
              OR nspowner IS NULL AND has_database_privilege(current_database(), 'CREATE') AS "canBeMade"
     FROM (SELECT (SELECT nspowner FROM pg_namespace WHERE nspname = $1)) AS schema (nspowner)`, [schemaName]);
  if (!database || database.canBeMade)
    return;
  const { name, user, owner } = database;
  return owner === null ? `The user ${user} may not create a schema. Use another user, or run: GRANT CREATE ON DATABASE ${name} TO ${user};` : `The schema belongs to ${owner}. Run migrate as that user.`;
}
async function missingOnTables(query, schemaName) {
  const wanted = Object.entries(needs).flatMap(([table, rights]) => rights.map((right) => [table, right]));
  return await query(`SELECT relname AS "table", string_agg(wanted."right", ', ' ORDER BY place) AS rights
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS wanted ("table", "right", place)
     JOIN pg_class ON relname = wanted."table"
     JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = $1
     WHERE NOT has_table_privilege(pg_class.oid, wanted."right")
     GROUP BY relname ORDER BY min(place)`, [
    schemaName,
    arrayOf(wanted.map(([table]) => table), "TEXT"),
    arrayOf(wanted.map(([, right]) => right), "TEXT")
  ]);
}
var needs;
var init_rights = __esm(() => {
  needs = {
    migrations: ["SELECT"],
    orders: ["SELECT", "INSERT", "UPDATE"],
    keys: ["SELECT", "INSERT", "UPDATE"],
    pets: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    categories: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    claims: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    quota_windows: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    inventory_changes: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    webhooks: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    webhook_parked: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    webhook_deliveries: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    event_inbox: ["SELECT", "INSERT", "DELETE"],
    events: ["SELECT", "INSERT", "DELETE"]
  };
});

// src/store/postgres/prepare.ts
async function prepareDatabase(address, mustExist) {
  const { schema, replicas } = address;
  try {
    const isAppliedOnStandbys = replicas.length > 0;
    const { pending } = await withConnection(address, { isAppliedOnStandbys }, async (connection) => {
      await requireTransactions(connection, isAppliedOnStandbys);
      await requireSoundPooler(connection, address, "primary");
      await Promise.all(replicas.map((url) => requireSoundPoolerOfStandby(url, address)));
      await requireSupport(connection);
      if (mustExist)
        await requireStore2(connection, schema);
      return await requireRights(connection, schema);
    });
    if (pending.length === 0)
      return;
    const settings = { limitMilliseconds: longestMigrationMs, poolSize: 2 };
    await withConnection(address, settings, (connection) => migrate2(connection, schema)).catch((error) => {
      throw error instanceof RightMissing ? notUpToDate(pending) : error;
    });
  } catch (error) {
    throw explainOpenError2(error);
  }
}
async function planPostgresMigration(address) {
  try {
    return await withConnection(address, {}, (connection) => planOf(connection, address.schema));
  } catch (error) {
    throw explainOpenError2(error);
  }
}
function explainOpenError2(error) {
  if (!(error instanceof ServiceError))
    return error;
  return new StoreOpenError(`The PostgreSQL database cannot be used: ${error.cause}.`);
}
async function withConnection({ urls, schema }, settings, use) {
  const connection = new Connection({ urls, schema, poolSize: 1, role: "primary", note: () => {}, ...settings });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
async function requireSoundPooler(one, address, role) {
  let isOnlyOne = false;
  const onTooMany = () => {
    isOnlyOne = true;
  };
  await withConnection(address, { role, onTooMany }, (other) => requireOwnStatements(one, other)).catch((error) => {
    if (!isOnlyOne)
      throw error;
  });
}
async function requireSoundPoolerOfStandby(url, { schema }) {
  const address = { urls: [url], schema };
  await withConnection(address, { role: "standby" }, (one) => requireSoundPooler(one, address, "standby")).catch((error) => {
    if (!(error instanceof ServiceError))
      throw error;
  });
}
async function requireSupport(connection) {
  const [server] = await connection.query("SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding");
  if (Number(server?.version) < oldestVersion) {
    throw new StoreOpenError("The PostgreSQL server is too old. Use version 15 or later.");
  }
  if (server?.encoding !== "UTF8") {
    throw new StoreOpenError(`The PostgreSQL database has the encoding ${server?.encoding}. Use one with UTF8.`);
  }
}
async function requireRights(connection, schema) {
  const plan = await planOf(connection, schema);
  if (plan.grants.length === 0)
    return plan;
  throw new StoreOpenError(`The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${plan.grants.join(" ")}`);
}
async function planOf(connection, schema) {
  const grants = await missingGrants(connection.query, schema);
  const { pending, isNewer } = await pendingMigrations2(connection, schema).catch((error) => {
    if (error instanceof RightMissing && grants.length > 0)
      return { pending: [], isNewer: false };
    throw error;
  });
  const hindrance = pending.length > 0 ? await hindranceToChange(connection.query, schema) : undefined;
  return { pending, isNewer, grants, hindrance };
}
function notUpToDate(pending) {
  return new StoreOpenError(`The schema of the database is not up to date, and the PostgreSQL user is not allowed to change it. Run animal-store migrate as a user who is; pending: ${pending.map(({ name }) => name).join("; ")}.`);
}
var longestMigrationMs = 3600000, oldestVersion = 150000;
var init_prepare = __esm(() => {
  init_errors();
  init_store();
  init_connection();
  init_errors2();
  init_migrate();
  init_pooler();
  init_rights();
});

// src/store/postgres/inspect.ts
async function inspectPostgres(address) {
  try {
    return await withConnection(address, {}, async (connection) => {
      const before = Date.now();
      const [server] = await connection.query(`SELECT current_setting('server_version') AS version,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now`);
      const [late, early] = [Date.now() - Number(server?.now), before - Number(server?.now)];
      const aheadMs = early > 0 ? early : Math.min(0, late);
      await requireRights(connection, address.schema);
      const { version } = await schemaVersion2(connection.query, address.schema);
      return {
        engine: `PostgreSQL ${server?.version}`,
        schema: version === 0 ? undefined : version,
        newestSchema: migrations2.length,
        files: [],
        aheadMs
      };
    });
  } catch (error) {
    throw explainOpenError2(error);
  }
}
var init_inspect = __esm(() => {
  init_migrate();
  init_prepare();
});

// src/store/postgres/pages.ts
async function readPage(query, source, conditions, { limit, after }) {
  const filter = conditions.map(([column]) => column);
  const mostRows = Math.max(limit, largestPage) + 1;
  const { text, hasStart } = statementOf(source, filter, after !== undefined, mostRows);
  const parameters = conditions.map(([, value]) => String(value));
  if (hasStart)
    parameters.push(String(after ?? beforeFirst));
  parameters.push(limit + 1);
  return pageOf((await query(text, parameters)).map(source.toItem), limit);
}
function statementOf(source, filter, isAfter, mostRows) {
  const known = statements.get(source) ?? new Map;
  statements.set(source, known);
  const name = `${filter.join()} ${isAfter} ${mostRows}`;
  const statement = known.get(name) ?? makeStatement(source, filter, isAfter, mostRows);
  known.set(name, statement);
  return statement;
}
function makeStatement({ table, columns }, filter, isAfter, mostRows) {
  const isOne = filter.includes("id");
  const hasStart = isAfter || filter.length > 0 && !isOne;
  const rest = isOne ? oneOf2(filter, isAfter) : walkOf(filter, hasStart, mostRows);
  const limit = `$${filter.length + (hasStart ? 2 : 1)}`;
  return { text: `SELECT * FROM (SELECT ${columns} FROM ${table}${rest}) AS page LIMIT ${limit}`, hasStart };
}
function oneOf2(filter, isAfter) {
  const tests = filter.map((column, index) => `${column} = $${index + 1}`);
  if (isAfter)
    tests.push(`id > $${filter.length + 1}`);
  return ` WHERE ${tests.join(" AND ")}`;
}
function walkOf(filter, hasStart, mostRows) {
  const columns = [...filter, "id"].join(", ");
  const values = filter.map((_, index) => `$${index + 1}`);
  const tests = [];
  if (hasStart)
    tests.push(`(${columns}) > (${[...values, `$${filter.length + 1}`].join(", ")})`);
  if (filter.length > 0)
    tests.push(`(${filter.join(", ")}) <= (${values.join(", ")})`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  return `, ${oneTakenForMany}${where} ORDER BY ${columns} LIMIT ${mostRows}`;
}
async function readOne(query, { table, columns, toItem }, id, lock = "") {
  const [row] = await query(`SELECT ${columns} FROM ${table} WHERE id = $1 ${lock && "FOR UPDATE"}`, [String(id)]);
  return row && toItem(row);
}
function fromDigits(digits) {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
var beforeFirst = 0, largestPage = 100, statements, oneTakenForMany = "string_to_table('one', '') AS one_taken_for_many";
var init_pages = __esm(() => {
  init_int64();
  statements = new WeakMap;
});

// src/store/postgres/categories.ts
function categoryStore(read, perform, inbox) {
  return {
    list: (page) => readPage(read, categorySource, [], page),
    get: (id) => readOne(read, categorySource, id),
    put: ({ id, name }, expected) => perform(async (query) => {
      const current = await lockCategory(query, id);
      requireExpected(current, expected);
      await inbox.run(query, "INSERT INTO store.categories (id, name) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET name = excluded.name", [String(id), name], categoryNamed(current, { id, name }));
      return current === undefined;
    }),
    delete: (id, expected) => perform(async (query) => {
      const current = await lockCategory(query, id);
      if (!current)
        throw noSuchCategory(id);
      requireExpected(current, expected);
      await inbox.run(query, "DELETE FROM store.categories WHERE id = $1", [String(id)], categoryUnnamed(current));
    })
  };
}
async function lockCategory(query, id) {
  await query("SELECT pg_advisory_xact_lock(hashtext('categories'), hashtext($1))", [String(id)]);
  return await readOne(query, categorySource, id);
}
var categorySource;
var init_categories = __esm(() => {
  init_category();
  init_event();
  init_expectation();
  init_pages();
  categorySource = {
    table: "store.categories",
    columns: "id, name",
    toItem: ({ id, name }) => ({ id: fromDigits(id), name })
  };
});

// src/store/postgres/inventory.ts
async function readInventory(read) {
  const rows = await read("SELECT status, sum(change) AS count FROM store.inventory_changes GROUP BY status");
  const inventory = { available: 0, pending: 0, sold: 0 };
  for (const { status, count } of rows)
    inventory[status] = Number(count);
  return inventory;
}
async function sumUpInventory(primary) {
  await primary.transaction(async (query) => {
    await query("SET LOCAL enable_nestloop = off");
    await query(`WITH summed AS (
         DELETE FROM store.inventory_changes WHERE ctid IN (
           SELECT ctid FROM store.inventory_changes WHERE (SELECT count(*) FROM store.inventory_changes) > ${mostLeft}
           LIMIT ${mostAtOnce} FOR UPDATE SKIP LOCKED
         ) RETURNING status, change
       )
       INSERT INTO store.inventory_changes (status, change)
       SELECT status, sum(change) FROM summed GROUP BY status HAVING sum(change) <> 0`);
  });
}
var mostAtOnce = 1e5, mostLeft = 100;

// src/store/postgres/keys.ts
function keyStore(read, perform, inbox) {
  return {
    list: (page) => readPage(read, keySource, [], page),
    get: (id) => readOne(read, keySource, id),
    async find(hash) {
      const [row] = await read(`SELECT ${keySource.columns} FROM store.keys WHERE hash = $1`, [hash]);
      return row && keySource.toItem(row);
    },
    create: (key, secret, maker) => perform(async (query) => {
      requireGivable(key, maker);
      return await create(query, inbox, key, secret);
    }),
    createFirst: (key, secret) => perform(async (query) => {
      await lockKeys(query);
      const [found] = await query("SELECT 1 FROM store.keys LIMIT 1");
      return found ? undefined : await create(query, inbox, key, secret);
    }),
    rotate: (id, rotation, secret, expected) => perform(async (query) => {
      await lockKeys(query);
      const old = requireActive(await readOne(query, keySource, id), id, rotation.at, expected);
      const successor = successorOf(old, rotation);
      if (rotation.keepLastAdmin)
        requireLastingAdmin(old, await admins(query), rotation.at, successor);
      const rotatedAt = timeOfChange(rotation.at, old.createdAt);
      const expiresAt = Math.min(old.expiresAt ?? rotation.retiresAt, rotation.retiresAt);
      await inbox.run(query, "UPDATE store.keys SET rotated_at = $3, expires_at = $2 WHERE id = $1", [old.id, expiresAt, rotatedAt], keyRotated(old, { ...old, rotatedAt, expiresAt }, rotation.at));
      return await create(query, inbox, successor, secret, old.line);
    }),
    revoke: (id, at, keepLastAdmin, expected) => perform(async (query) => {
      await lockKeys(query);
      const key = await readOne(query, keySource, id);
      if (!key)
        throw noSuchKey(id);
      requireExpected(key, expected);
      if (keepLastAdmin)
        requireLastingAdmin(key, await admins(query), at);
      const revokedAt = key.revokedAt ?? timeOfChange(at, key.createdAt, key.rotatedAt);
      const revoked = { ...key, revokedAt };
      await inbox.run(query, "UPDATE store.keys SET revoked_at = $2 WHERE id = $1", [key.id, revokedAt], keyRevoked(key, revoked, at));
      return revoked;
    }),
    recordUse: (uses) => perform(async (query) => {
      await query(`UPDATE store.keys SET last_used_at = greatest(used.at, created_at)
           FROM (
             SELECT keys.id, used.at FROM store.keys JOIN unnest($1::bigint[], $2::bigint[]) AS used (id, at) USING (id)
             ORDER BY id FOR UPDATE OF keys
           ) AS used
           WHERE keys.id = used.id
             AND coalesce(last_used_at NOT BETWEEN used.at AND used.at + ${farthestAheadMs}, true)`, [
        arrayOf(uses.map(({ id }) => id), "INT8"),
        arrayOf(uses.map(({ at }) => at), "INT8")
      ]);
    })
  };
}
async function create(query, inbox, key, { hash, sealed }, line = null) {
  const created = { ...key, rotatedAt: null, revokedAt: null, lastUsedAt: null };
  const [row] = await inbox.insert(query, `INSERT INTO store.keys (name, scope, hash, created_at, expires_at, line) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${keySource.columns}`, [key.name, key.scope, hash, key.createdAt, key.expiresAt, line], keyCreated(created, key.createdAt));
  if (!row)
    throw new Error("An insert returned no key.");
  return { ...keySource.toItem(row), sealed };
}
async function lockKeys(query) {
  await query("LOCK TABLE store.keys IN SHARE ROW EXCLUSIVE MODE");
}
async function admins(query) {
  const rows = await query(`SELECT ${keySource.columns} FROM store.keys WHERE scope = 'admin'`);
  return rows.map(keySource.toItem);
}
var keySource;
var init_keys = __esm(() => {
  init_clock();
  init_event();
  init_expectation();
  init_key();
  init_pages();
  keySource = {
    table: "store.keys",
    columns: "id, name, scope, created_at, expires_at, revoked_at, rotated_at, last_used_at, coalesce(line, id) AS line",
    toItem(row) {
      const time = (digits) => digits === null ? null : Number(digits);
      return {
        id: Number(row.id),
        name: row.name,
        scope: row.scope,
        createdAt: Number(row.created_at),
        expiresAt: time(row.expires_at),
        revokedAt: time(row.revoked_at),
        rotatedAt: time(row.rotated_at),
        lastUsedAt: time(row.last_used_at),
        line: Number(row.line)
      };
    }
  };
});

// src/store/postgres/event-settler.ts
class EventSettler {
  #primary;
  #onSettled;
  #note;
  #lookAround;
  #timer;
  #settling;
  #isAskedAgain = false;
  #isClosed = false;
  #hasFailed = false;
  #isLookDue = true;
  #pauseMs = soonMs;
  #server;
  #highest = 0;
  #floor = 0;
  #mark;
  constructor(primary, onSettled, note) {
    this.#primary = primary;
    this.#onSettled = onSettled;
    this.#note = note;
    this.#lookAround = setInterval(() => {
      this.#isLookDue = true;
      this.#settleInBackground();
    }, lookAroundMs);
  }
  get floor() {
    return this.#floor;
  }
  soon() {
    if (this.#isClosed)
      return;
    if (this.#settling)
      this.#isAskedAgain = true;
    else
      this.#timer ??= setTimeout(() => this.#settleInBackground(), this.#pauseMs);
  }
  async settleAll() {
    while (await this.#settleSome(waitForLock) === "more")
      ;
  }
  async close() {
    this.#isClosed = true;
    clearInterval(this.#lookAround);
    const isLeft = this.#timer !== undefined || this.#settling !== undefined;
    clearTimeout(this.#timer);
    await this.#settling;
    if (isLeft && !this.#hasFailed)
      await this.settleAll().catch(() => {});
  }
  #settleInBackground() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
      if (!this.#isAskedAgain)
        return;
      this.#isAskedAgain = false;
      this.soon();
    });
  }
  async#settle() {
    const startedAt = performance.now();
    let outcome = "more";
    try {
      while (!this.#isClosed && outcome === "more")
        outcome = await this.#settleSome(tryLock);
    } catch (error) {
      if (!this.#hasFailed)
        this.#note("warn", "events could not be moved into the log", { cause: String(error) });
      this.#hasFailed = true;
    }
    if (outcome === "busy")
      this.#isAskedAgain = true;
    const pauseMs = outcome === "done" ? pausesPerMove * (performance.now() - startedAt) : latestMs;
    this.#pauseMs = Math.min(Math.max(soonMs, pauseMs), latestMs);
  }
  async#settleSome(lockText) {
    const pass = await this.#primary.transaction(async (query) => {
      const [turn] = await query(lockText);
      if (!turn || turn.isOurs === false)
        return;
      if (turn.server !== this.#server) {
        this.#floor = this.#highest = 0;
        this.#mark = undefined;
        this.#server = turn.server;
      }
      const given = Math.max(this.#highest, Number(turn.given ?? 0));
      const look = this.#isLookDue ? this.#look(given, await writersOf(query)) : undefined;
      return { look, moved: await moveSome(query, this.#floor) };
    });
    if (!pass)
      return "busy";
    const { look, moved } = pass;
    if (moved.count > 0) {
      this.#highest = Math.max(this.#highest, moved.highest);
      this.#hasFailed = false;
      this.#onSettled();
    }
    if (moved.count === mostAtOnce2)
      return "more";
    if (look) {
      this.#floor = Math.max(this.#floor, look.floor);
      this.#mark = look.mark;
      this.#isLookDue = false;
    }
    return "done";
  }
  #look(given, writers) {
    const mark = { upTo: given, writers };
    if (!this.#mark)
      return { floor: this.#floor, mark };
    const isPassed = this.#mark.writers.isDisjointFrom(writers);
    return isPassed ? { floor: this.#mark.upTo, mark } : { floor: this.#floor, mark: this.#mark };
  }
}
function turnToSettle(floor) {
  return `SELECT CASE WHEN EXISTS (SELECT 1 FROM store.event_inbox WHERE number > ${floor}) THEN false
    ELSE pg_try_advisory_xact_lock(${lock}) END AS is_ours`;
}
async function writersOf(query) {
  const rows = await query(`SELECT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'store.event_inbox'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return new Set(rows.map(({ writer }) => writer));
}
async function moveSome(query, above) {
  const [row] = await query(`WITH newest AS (
       SELECT coalesce(max(position), 0) AS position FROM store.events
     ), moved AS (
       DELETE FROM store.event_inbox WHERE number IN (
         SELECT number FROM store.event_inbox WHERE number > $1 ORDER BY number LIMIT ${mostAtOnce2}
       ) RETURNING number, id, type, subject, at, body
     ), settled AS (
       INSERT INTO store.events (position, id, type, subject, at, body)
       SELECT newest.position + row_number() OVER (ORDER BY number), id, type, subject, at, body FROM moved, newest
     )
     SELECT count(*) AS count, max(number) AS highest FROM moved`, [above]);
  return { count: Number(row?.count ?? 0), highest: Number(row?.highest ?? 0) };
}
var lock = "hashtext('animal-store events'), hashtext('store.events')", facts = `pg_postmaster_start_time()::text AS server,
  pg_sequence_last_value(pg_get_serial_sequence('store.event_inbox', 'number')) AS given`, tryLock, waitForLock, soonMs = 3, latestMs = 100, pausesPerMove = 10, lookAroundMs = 1000, mostAtOnce2 = 2000;
var init_event_settler = __esm(() => {
  tryLock = `SELECT pg_try_advisory_xact_lock(${lock}) AS "isOurs", ${facts}`;
  waitForLock = `SELECT NULL AS "isOurs", ${facts} FROM pg_advisory_xact_lock(${lock})`;
});

// src/store/postgres/pets.ts
function petCreates(primary, isAppliedOnStandbys, inboxFloor, attribution, metrics) {
  const durability = isAppliedOnStandbys ? appliedOnStandbys : "";
  return new WriteQueue((batch) => createTogether(primary, batch, inboxFloor(), durability), attribution, metrics);
}
function petStore(read, perform, create, inbox) {
  return {
    list: (filter, page) => readPage(read, petSource, petConditions(filter), page),
    get: (id) => readOne(read, petSource, id),
    create,
    update: (id, changes, expected) => perform(async (query) => {
      const pet = await lockExpected(query, id, expected);
      const changed = changePet(pet, changes, await openOrderOf(query, pet));
      await inbox.run(query, "UPDATE store.pets SET name = $2, category_id = $3, status = $4 WHERE id = $1", [changed.id, changed.name, String(changed.categoryId), changed.status], petUpdated(pet, changed));
      return changed;
    }),
    delete: (id, expected) => perform(async (query) => {
      const pet = await lockExpected(query, id, expected);
      requireNoOpenOrder(pet.id, await openOrderOf(query, pet));
      await inbox.run(query, "DELETE FROM store.pets WHERE id = $1", [pet.id], petDeleted(pet));
    })
  };
}
async function lockExpected(query, id, expected) {
  const pet = await lockPet(query, id);
  if (!pet)
    throw noSuchPet(id);
  requireExpected(pet, expected);
  return pet;
}
async function insertPet(query, creation) {
  const [created] = await insertPets(query, [creation], undefined);
  if (!created)
    throw new Error("An insert returned no id.");
  return created.pet;
}
async function insertPets(query, batch, inboxFloor, also = "") {
  const bodies = batch.map(({ pet, origin }) => partsOf(newEventId(), petCreated(pet), origin).join(idMark)).join(`
`);
  const turn = inboxFloor === undefined ? "SELECT false AS is_ours" : turnToSettle("$6");
  const rows = await query(`WITH turn AS MATERIALIZED (
       ${turn}
     ), new AS (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], string_to_array($5, E'\\n'))
         WITH ORDINALITY AS new (name, category_id, status, at, body, place)
     ), added AS (
       INSERT INTO store.pets (name, category_id, status)
       SELECT name, category_id, status FROM new, turn${also && `, ${also}`} ORDER BY place
       RETURNING id
     ), told AS (
       SELECT place, substr(body, 8, ${eventIdLength}) AS id, 'pet.created' AS type, 'pets/' || pet_id AS subject, at,
              replace(body, '${idMark}', pet_id::text) AS body
       FROM (SELECT id AS pet_id, row_number() OVER (ORDER BY id) AS place FROM added) AS numbered JOIN new USING (place)
     ), settled AS (
       INSERT INTO store.events (position, id, type, subject, at, body)
       SELECT newest.position + place, id, type, subject, at, body
       FROM told, turn, (SELECT coalesce(max(position), 0) AS position FROM store.events) AS newest WHERE is_ours
     ), logged AS (
       INSERT INTO store.event_inbox (id, type, subject, at, body)
       SELECT id, type, subject, at, body FROM told, turn WHERE NOT is_ours ORDER BY place
     )
     SELECT id, pg_current_wal_insert_lsn() AS position, is_ours AS "isSettled" FROM added, turn`, [
    texts(batch.map(({ pet }) => pet.name)),
    integers(batch.map(({ pet }) => pet.categoryId)),
    texts(batch.map(({ pet }) => pet.status)),
    integers(batch.map(({ origin }) => origin.at)),
    bodies,
    ...inboxFloor === undefined ? [] : [inboxFloor]
  ]);
  const ids = rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
  const last = rows.at(-1);
  const position = positionOf(last?.position ?? "0/0");
  return batch.map(({ pet: { name, categoryId, status } }, index) => ({
    pet: { id: ids[index] ?? Number.NaN, name, categoryId, status },
    position,
    isSettled: last?.isSettled === true
  }));
}
function texts(values) {
  return arrayOf(values, "TEXT");
}
function integers(values) {
  return arrayOf(values, "INT8");
}
function lockPet(query, id) {
  return readOne(query, petSource, id, "lock");
}
async function createTogether(primary, batch, inboxFloor, durability) {
  try {
    const created = await insertPets(primary.query, batch, inboxFloor, durability);
    return created.map((result) => ({ result }));
  } catch (error) {
    if (!(error instanceof RuleBroken))
      throw error;
    if (inboxFloor !== undefined)
      return await createTogether(primary, batch, undefined, durability);
    if (batch.length === 1)
      throw error;
    const outcomes = [];
    for (const creation of batch) {
      outcomes.push(...await createTogether(primary, [creation], undefined, durability).catch((alone) => [
        { error: alone }
      ]));
    }
    return outcomes;
  }
}
async function openOrderOf(query, { id }) {
  const [order] = await query("SELECT id FROM store.orders WHERE pet_id = $1 AND status = 'placed'", [
    id
  ]);
  return order && Number(order.id);
}
var idMark = "\x01", petSource;
var init_pets = __esm(() => {
  init_event();
  init_expectation();
  init_pet();
  init_write_queue();
  init_errors2();
  init_event_settler();
  init_pages();
  petSource = {
    table: "store.pets",
    columns: "id, name, category_id, status",
    toItem: ({ id, name, category_id, status }) => ({
      id: Number(id),
      name,
      categoryId: fromDigits(category_id),
      status
    })
  };
});

// src/store/postgres/orders.ts
function orderStore(read, perform, inbox) {
  return {
    list: (filter, page) => readPage(read, orderSource, orderConditions(filter), page),
    get: (id) => readOne(read, orderSource, id),
    place: (petId, at) => perform(async (query) => {
      const available = await lockPet(query, petId);
      const pet = reservePet(available, petId);
      await movePet(query, inbox, available, pet.status);
      const placed = { petId: pet.id, status: "placed", createdAt: at, updatedAt: at };
      const [row] = await inbox.insert(query, `INSERT INTO store.orders (pet_id, status, created_at, updated_at) VALUES ($1, 'placed', $2, $2)
           RETURNING ${orderSource.columns}`, [pet.id, at], orderPlaced(placed));
      if (!row)
        throw new Error("An insert returned no order.");
      return orderSource.toItem(row);
    }),
    close: (id, status, at, expected) => perform(async (query) => {
      const found = await readOne(query, orderSource, id);
      if (!found)
        throw noSuchOrder(id);
      requireExpected(found, expected);
      closeOrder(found, status, at);
      const pet = await lockPet(query, found.petId);
      const current = await readOne(query, orderSource, id) ?? found;
      requireExpected(current, expected);
      const order = closeOrder(current, status, at);
      await movePet(query, inbox, pet, petStatusOfOrder[status]);
      await inbox.run(query, "UPDATE store.orders SET status = $2, updated_at = $3 WHERE id = $1", [order.id, order.status, order.updatedAt], orderClosed(current, order));
      return order;
    })
  };
}
async function movePet(query, inbox, pet, status) {
  if (!pet)
    return;
  const changes = petUpdated(pet, { ...pet, status });
  await inbox.run(query, "UPDATE store.pets SET status = $2 WHERE id = $1", [pet.id, status], changes);
}
var orderSource;
var init_orders = __esm(() => {
  init_event();
  init_expectation();
  init_order();
  init_pages();
  init_pets();
  orderSource = {
    table: "store.orders",
    columns: "id, pet_id, status, created_at, updated_at",
    toItem: ({ id, pet_id, status, created_at, updated_at }) => ({
      id: Number(id),
      petId: Number(pet_id),
      status,
      createdAt: Number(created_at),
      updatedAt: Number(updated_at)
    })
  };
});

// src/store/postgres/replay.ts
async function fixMoment(query) {
  await query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
}
function replaySource2(query) {
  return {
    extent: () => readExtent2(query),
    events: () => readBySubject2(query),
    current: (kind, ids) => readCurrent(query, kind, ids),
    async unlogged(kind) {
      const hasEvent = (table) => `EXISTS (SELECT 1 FROM store.${table} AS logged WHERE logged.subject = '${kind}/' || stored.id)`;
      const rows = await query(`SELECT id FROM store.${kind} AS stored WHERE NOT ${hasEvent("events")} AND NOT ${hasEvent("event_inbox")}
         ORDER BY id LIMIT ${mostShown}`);
      return rows.map(({ id }) => fromDigits(id));
    },
    inventory: () => readInventory(query)
  };
}
async function readExtent2(query) {
  const [row] = await query(`SELECT coalesce(min(position), 0) AS oldest, coalesce(max(position), 0) AS newest, count(*) AS count,
            EXISTS (SELECT 1 FROM store.events WHERE position = 0) AS "isLate"
     FROM store.events WHERE position > 0`);
  return {
    oldest: Number(row?.oldest),
    newest: Number(row?.newest),
    count: Number(row?.count),
    isLate: row?.isLate === true
  };
}
async function* readBySubject2(query) {
  await query(`DECLARE replayed NO SCROLL CURSOR FOR
       SELECT position, id, type, subject, body FROM (
         SELECT position, 0 AS number, id, type, subject, body FROM store.events WHERE position > 0
         UNION ALL SELECT NULL, number, id, type, subject, body FROM store.event_inbox
       ) AS logged ORDER BY subject, position NULLS LAST, number`);
  for (;; ) {
    const rows = await query(`FETCH ${pageSize3} FROM replayed`);
    yield rows.map((row) => ({ ...row, position: row.position === null ? null : Number(row.position) }));
    if (rows.length < pageSize3)
      return;
  }
}
async function readCurrent(query, kind, ids) {
  const { table, columns, toItem } = sources[kind];
  const rows = await query(`SELECT ${columns} FROM ${table} WHERE id = ANY($1::bigint[])`, [
    arrayOf(ids, "INT8")
  ]);
  return rows.map(toItem);
}
var pageSize3 = 1000, sources;
var init_replay2 = __esm(() => {
  init_check();
  init_categories();
  init_keys();
  init_orders();
  init_pages();
  init_pets();
  sources = {
    pets: petSource,
    orders: orderSource,
    categories: categorySource,
    keys: keySource
  };
});

// src/store/postgres/transfer.ts
function transferOf(connection, settler) {
  return {
    async count({ name }) {
      if (name === "events")
        await settler?.settleAll();
      const [row] = await connection.query(`SELECT count(*) AS count FROM store.${name}`);
      return Number(row?.count);
    },
    async read(table, after, limit) {
      const key = keyOf(table);
      const [last] = after ?? [];
      const parameters = last === undefined ? [] : [typeof last === "bigint" ? String(last) : last];
      const rows = await connection.query(`SELECT ${columnNames(table).join(", ")} FROM store.${table.name} ${after ? `WHERE ${key} > $1` : ""}
         ORDER BY ${key} LIMIT $${parameters.push(limit)}`, parameters);
      return rows.map((row) => table.columns.map(([name, type]) => fromColumn(row[name] ?? null, type)));
    },
    async write(table, rows) {
      const names = columnNames(table).join(", ");
      const types = table.columns.map(([name, type]) => `${name} ${columnTypes[type]}`).join(", ");
      await connection.query(`INSERT INTO store.${table.name} (${names}) OVERRIDING SYSTEM VALUE
         SELECT ${names} FROM json_to_recordset($1::text::json) AS rows (${types}) ${overwrite(table)}`, [toJson(rows.map((row) => toRecord(table, row)))]);
    },
    async lastIds() {
      const last = {};
      for (const { name } of tables.filter(({ givesIds }) => givesIds)) {
        const [row] = await connection.query(`SELECT ${lastIdOf(name)} AS id`);
        last[name] = Number(row?.id ?? 0);
      }
      return last;
    },
    async reserveIds(last) {
      for (const [table, id] of Object.entries(last)) {
        if (id === 0)
          continue;
        await connection.query(`SELECT setval(pg_get_serial_sequence('store.${table}', 'id'), greatest($1, coalesce(${lastIdOf(table)}, 1)))`, [id]);
      }
    }
  };
}
function lastIdOf(table) {
  return `pg_sequence_last_value(pg_get_serial_sequence('store.${table}', 'id'))`;
}
function fromColumn(value, type) {
  return typeof value === "string" && type === "integer" ? fromDigits(value) : value;
}
function toRecord({ columns }, row) {
  return Object.fromEntries(columns.map(([name], index) => {
    const value = row[index] ?? null;
    return [name, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value];
  }));
}
var columnTypes;
var init_transfer = __esm(() => {
  init_json();
  init_tables();
  init_pages();
  columnTypes = { integer: "bigint", text: "text", bytes: "bytea" };
});

// src/store/postgres/check.ts
async function checkPostgres(address, { replays }) {
  try {
    return await withConnection(address, { limitMilliseconds: longestRuleMs }, async (connection) => {
      await requireStore2(connection, address.schema);
      await requireRights(connection, address.schema);
      const findings = await checkRules2(connection, address.schema);
      return replays ? [...findings, ...await replayAll(connection)] : findings;
    });
  } catch (error) {
    throw explainOpenError2(error);
  }
}
async function replayAll(connection) {
  return await connection.transaction(async (query) => {
    await fixMoment(query);
    return await replay(replaySource2(query));
  });
}
async function checkRules2(connection, schema) {
  const { query } = connection;
  return [
    await checkIndexes(query, schema),
    await checkInventory(query),
    await checkOrders(query),
    await checkIds(connection),
    await claimFinding(transferOf(connection))
  ];
}
async function checkIndexes(query, schema) {
  const rows = await query(`SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND NOT indisvalid`, [schema]);
  const names = rows.map(({ name }) => name);
  return finding("every index is whole", names, (list) => `Rebuild with REINDEX INDEX CONCURRENTLY: ${list}.`);
}
async function checkInventory(query) {
  const rows = await query(`SELECT status, sum(noted) AS noted, sum(counted) AS counted FROM (
       SELECT status, change AS noted, 0 AS counted FROM store.inventory_changes
       UNION ALL SELECT status, 0, count(*) FROM store.pets GROUP BY status
     ) AS both_counts GROUP BY status`);
  return inventoryFinding(rows.map(({ status, noted, counted }) => ({ status, noted: Number(noted), counted: Number(counted) })));
}
async function checkOrders(query) {
  const rows = await query(`SELECT orders.id, pet_id AS "petId", pets.status AS "petStatus"
     FROM store.orders AS orders LEFT JOIN store.pets AS pets ON pets.id = pet_id
     WHERE orders.status = 'placed' AND pets.status IS DISTINCT FROM 'pending' ORDER BY orders.id LIMIT ${mostShown}`);
  return orderFinding(rows.map(({ id, petId, petStatus }) => ({ id: Number(id), petId: Number(petId), petStatus })));
}
async function checkIds({ query }) {
  const ids = [];
  for (const { name } of tablesThatGiveIds) {
    const [row] = await query(`SELECT max(id) AS id FROM store.${name}`);
    const [last] = await query(`SELECT has_sequence_privilege(name, 'USAGE, SELECT') AS "isReadable", pg_sequence_last_value(name::regclass) AS id
       FROM pg_get_serial_sequence('store.${name}', 'id') AS name`);
    if (!last?.isReadable) {
      const skipped = "The PostgreSQL user may not see which ids were given; run this as the owner of the schema.";
      return { rule: idRule, problem: undefined, skipped };
    }
    ids.push({ table: name, given: Number(last.id ?? 0), highest: Number(row?.id ?? 0) });
  }
  return idFinding(ids);
}
var longestRuleMs = 600000;
var init_check2 = __esm(() => {
  init_check();
  init_replay();
  init_migrate();
  init_prepare();
  init_replay2();
  init_transfer();
});

// src/store/postgres/claims.ts
async function forgetClaims(primary, now) {
  return await primary.transaction(async (query) => {
    await query(byIndexAlone);
    const forgotten = await query(`DELETE FROM store.claims WHERE name = ANY (ARRAY(
         SELECT name FROM store.claims WHERE created_at <= $1 ORDER BY created_at LIMIT ${tidyingStep} FOR UPDATE SKIP LOCKED
       )) RETURNING 1`, [now - claimLifetimeMs]);
    const redated = await query(`UPDATE store.claims SET created_at = $1 WHERE name = ANY (ARRAY(
         SELECT name FROM store.claims WHERE created_at > $2 ORDER BY created_at LIMIT ${tidyingStep} FOR UPDATE SKIP LOCKED
       )) RETURNING 1`, [now, now + farthestAheadMs]);
    return forgotten.length === tidyingStep || redated.length === tidyingStep;
  });
}
async function countClaims(read, now) {
  const [row] = await read(`SELECT count(*) FILTER (WHERE created_at > $1) AS kept, count(*) FILTER (WHERE created_at <= $1) AS expired
     FROM store.claims`, [now - claimLifetimeMs]);
  return { kept: Number(row?.kept), expired: Number(row?.expired) };
}
function claimCounter(query) {
  return {
    async count(line, after, limit) {
      const [walk, bounds] = walkOf2(line, after);
      const text = `SELECT count(*) AS count FROM (SELECT 1 FROM ${walk} LIMIT ${limit}) AS kept`;
      const [row] = await query(text, bounds);
      return Number(row?.count);
    },
    async oldest(line, after, but) {
      const [walk, bounds] = walkOf2(line, after);
      const text = `SELECT created_at FROM ${walk} LIMIT 1 OFFSET ${but}`;
      const [row] = await query(text, bounds);
      return row && Number(row.created_at);
    }
  };
}
function walkOf2(line, after) {
  const from = `store.claims, ${oneTakenForMany} WHERE`;
  return line === undefined ? [`${from} created_at > $1 ORDER BY created_at`, [after]] : [`${from} (line, created_at) > ($1, $2) AND line <= $1 ORDER BY line, created_at`, [line, after]];
}
var byIndexAlone = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";
var init_claims = __esm(() => {
  init_clock();
  init_conclusion();
  init_pages();
});

// src/store/postgres/event-inbox.ts
class EventInbox {
  #originNow;
  constructor(originNow) {
    this.#originNow = originNow;
  }
  async run(query, text, parameters, changes) {
    if (changes.length === 0) {
      await query(text, parameters);
      return;
    }
    const origin = this.#originNow();
    const rows = changes.map((change) => rowOf(change, change.id, origin));
    const first = parameters.length + 1;
    await query(`WITH logged AS (
         INSERT INTO store.event_inbox (${columns})
         SELECT ${columns} FROM unnest(${columnTypes2.map((type, index) => `$${first + index}::${type}[]`).join(", ")})
           WITH ORDINALITY AS new (${columns}, place) ORDER BY place
       ) ${text}`, [
      ...parameters,
      ...columnTypes2.map((type, index) => arrayOf(rows.map((row) => row[index] ?? ""), arrayTypes[type]))
    ]);
  }
  async insert(query, text, parameters, change) {
    const origin = this.#originNow();
    const eventId = newEventId();
    const [head, middle, tail] = partsOf(eventId, change, origin);
    const own = [eventId, change.type, `${change.kind}/`, origin.at, head, middle, tail];
    const at = (index) => `$${parameters.length + 1 + index}`;
    return await query(`WITH added AS (${text}), logged AS (
         INSERT INTO store.event_inbox (${columns})
         SELECT ${at(0)}, ${at(1)}, ${at(2)}::text || id, ${at(3)}, ${at(4)}::text || id || ${at(5)} || id || ${at(6)} FROM added
       ) SELECT * FROM added`, [...parameters, ...own]);
  }
}
function rowOf(change, id, origin) {
  const eventId = newEventId();
  return [eventId, change.type, `${change.kind}/${id}`, origin.at, bodyOf(partsOf(eventId, change, origin), id)];
}
var columns = "id, type, subject, at, body", columnTypes2, arrayTypes;
var init_event_inbox = __esm(() => {
  init_event();
  columnTypes2 = ["text", "text", "text", "bigint", "text"];
  arrayTypes = { text: "TEXT", bigint: "INT8" };
});

// src/store/postgres/events.ts
function eventStore(read, readPrimary, watch) {
  return {
    read: (filter, after, limit) => readEvents(read, filter, after, limit),
    async idAt(position) {
      return await idAt(read, position) ?? await idAt(readPrimary, position);
    },
    ends: () => readEnds(read),
    watch: (onMore) => watch.add(onMore)
  };
}
async function newestPosition(read) {
  return (await newestMark(read))?.position ?? 0;
}
async function forgetEvents({ query }, before) {
  const removed = await query(`WITH oldest AS (
       SELECT position, at FROM store.events WHERE position > 0 AND position < (SELECT max(position) FROM store.events)
       ORDER BY position LIMIT ${tidyingStep}
     )
     DELETE FROM store.events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= $1), ${Number.MAX_SAFE_INTEGER})
     ) RETURNING position`, [before]);
  return removed.length === tidyingStep;
}
async function readEvents(read, filter, after, limit) {
  const parameters = [after];
  const page = wayOf(filter, parameters, limit <= usualMost ? usualMost : mostRows2);
  const rows = await read(`SELECT page.position, page.id, page.type, page.subject, page.body, newest.position AS end_position, newest.id AS end_id
     FROM (SELECT position, id FROM store.events WHERE position > 0 ORDER BY position DESC LIMIT 1) AS newest
     LEFT JOIN (${page}) AS page ON true
     ORDER BY page.position LIMIT $${parameters.push(limit)}`, parameters);
  const [first] = rows;
  return {
    events: rows.flatMap(({ position, id, type, subject, body }) => position === null ? [] : [{ position: Number(position), id, type, subject, body }]),
    end: first && { position: Number(first.end_position), id: first.end_id }
  };
}
function wayOf({ types, subject }, parameters, most) {
  const walk = (way) => `SELECT position, id, events.type, subject, body FROM store.events, ${oneTakenForMany} WHERE ${way} LIMIT ${most}`;
  if (subject === undefined) {
    if (!types)
      return walk("position > $1 ORDER BY position");
    parameters.push(arrayOf(types, "TEXT"));
    const ofOne = walk("(events.type, position) > (wanted.type, $1) AND events.type <= wanted.type ORDER BY events.type, position");
    return `SELECT walk.* FROM unnest($2::text[]) AS wanted (type), LATERAL (${ofOne}) AS walk`;
  }
  parameters.push(subject);
  if (types)
    parameters.push(arrayOf(types, "TEXT"));
  const ofTypes = types ? " AND events.type = ANY($3::text[])" : "";
  return walk(`(subject, position) > ($2, $1) AND subject <= $2${ofTypes} ORDER BY subject, position`);
}
async function idAt(read, position) {
  const [row] = await read("SELECT id FROM store.events WHERE position = $1 AND position > 0", [
    position
  ]);
  return row?.id;
}
async function newestMark(read) {
  const [row] = await read("SELECT position, id FROM store.events WHERE position > 0 ORDER BY position DESC LIMIT 1");
  return row && markOf(row);
}
async function readEnds(read) {
  const [row] = await read("SELECT position, id FROM store.events WHERE position > 0 ORDER BY position LIMIT 1");
  const newest = await newestMark(read);
  return row && newest && { oldest: markOf(row), newest };
}
function markOf({ position, id }) {
  return { position: Number(position), id };
}
var usualMost = 100, mostRows2 = 1000;
var init_events2 = __esm(() => {
  init_conclusion();
  init_pages();
});

// src/store/postgres/export.ts
async function exportPets2(connection, { begin, take }) {
  await connection.transaction(async (query) => {
    await query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    begin(await newestMark(query));
    for (let after = 0;; ) {
      const { items, next } = await readPage(query, petSource, [], { limit: lot2, after });
      await take(items);
      if (next === undefined)
        return;
      after = Number(next);
    }
  });
}
var lot2 = 1000;
var init_export = __esm(() => {
  init_events2();
  init_pages();
  init_pets();
});

// src/store/postgres/replication.ts
class ReplicationWatch {
  #primary;
  #note;
  #timer;
  #streaks = new Map;
  #samples = [];
  #serverStartedAt;
  #unbrokenSince = Number.POSITIVE_INFINITY;
  #isLost = false;
  #asking;
  #askingNext;
  constructor(primary, note) {
    this.#primary = primary;
    this.#note = note;
    this.#timer = setInterval(() => this.#asking ?? this.ask(), askEveryMs);
    this.ask();
  }
  get isLost() {
    return this.#isLost;
  }
  get latest() {
    return this.#samples[0];
  }
  currentAt(replayed) {
    return this.#samples.find(({ written }) => written <= replayed)?.askedAt;
  }
  isEstablished(name) {
    const streak = this.#streaks.get(name);
    return Boolean(streak?.isWaitedFor && this.latest && this.latest.askedAt - streak.since >= longestGapMs);
  }
  async acknowledge(position) {
    const committedAt = performance.now();
    for (let left = trustMs;left > 0; left = committedAt + trustMs - performance.now()) {
      await withDeadline(left, this.ask(), () => new Error("no answer")).catch(() => {});
      if (this.#isShownByAll(position, committedAt))
        return;
      await Bun.sleep(Math.min(left, askAgainMs));
    }
  }
  ask() {
    if (!this.#asking) {
      this.#asking = this.#take().finally(() => {
        this.#asking = undefined;
      });
      return this.#asking;
    }
    this.#askingNext ??= this.#asking.then(() => {
      this.#askingNext = undefined;
      return this.ask();
    });
    return this.#askingNext;
  }
  async close() {
    clearInterval(this.#timer);
    await this.#asking;
    await this.#primary.close();
  }
  async#take() {
    const askedAt = performance.now();
    try {
      const rows = await this.#primary.query(statusQuery, [1]);
      const [first] = rows;
      if (!first?.written)
        throw new Error("it is a standby now");
      if (this.#isLost)
        this.#note("info", "the primary answers again", { server: this.#primary.server });
      this.#isLost = false;
      this.#add({ askedAt, written: positionOf(first.written), standbys: standbysOf(rows) }, first.startedAt);
    } catch (error) {
      if (!this.#isLost) {
        const { message, cause = message } = error;
        this.#note("warn", "the primary does not answer", { server: this.#primary.server, reason: String(cause) });
      }
      this.#isLost = true;
    }
  }
  #add(sample, serverStartedAt) {
    const now = performance.now();
    const isOtherServer = serverStartedAt !== this.#serverStartedAt;
    if (isOtherServer || !this.latest || now - this.latest.askedAt > longestGapMs) {
      this.#serverStartedAt = serverStartedAt;
      this.#unbrokenSince = now;
      this.#streaks.clear();
      this.#samples = [];
    }
    const [newest, before] = this.#samples;
    if (newest && before && newest.askedAt - before.askedAt < askEveryMs / 2)
      this.#samples.shift();
    this.#samples = [sample, ...this.#samples.filter(({ askedAt }) => askedAt > now - trustMs)];
    for (const [name, { isWaitedFor }] of sample.standbys) {
      if (this.#streaks.get(name)?.isWaitedFor !== isWaitedFor)
        this.#streaks.set(name, { isWaitedFor, since: now });
    }
    for (const [name, streak] of this.#streaks) {
      if (sample.standbys.has(name))
        continue;
      if (streak.isWaitedFor)
        this.#streaks.set(name, { isWaitedFor: false, since: now });
      else if (now - streak.since > trustMs)
        this.#streaks.delete(name);
    }
  }
  #isShownByAll(position, committedAt) {
    const { latest } = this;
    const longAgo = performance.now() - trustMs;
    if (!latest || latest.askedAt < committedAt || this.#unbrokenSince > longAgo)
      return false;
    return [...this.#streaks].every(([name, { isWaitedFor, since }]) => isWaitedFor ? (latest.standbys.get(name)?.replayed ?? 0n) > position : since <= longAgo);
  }
}
function standbysOf(rows) {
  const standbys = new Map;
  for (const row of rows) {
    if (row.name === null)
      continue;
    const isKnown = standbys.has(row.name);
    const reason = isKnown ? "the primary has several standbys with its cluster_name" : reasonAgainst(row, rows);
    standbys.set(row.name, { isWaitedFor: reason === "", reason, replayed: positionOf(row.replayed ?? "0/0") });
  }
  return standbys;
}
function reasonAgainst({ state, syncState, names }, rows) {
  if (state === null)
    return "the service's user may not see it: it needs the role pg_monitor on the primary";
  if (state !== "streaming")
    return `it is not streaming yet: its state is ${state}`;
  if (syncState === "sync")
    return "";
  if (syncState !== "quorum")
    return `commits do not wait for it: its sync_state is ${syncState}`;
  const needed = Number(/^\s*ANY\s+(\d+)/i.exec(names)?.[1]);
  const candidates = rows.filter((row) => row.syncState === "quorum").length;
  return needed >= candidates ? "" : `commits do not wait for it: ANY ${needed} of ${candidates}`;
}
var trustMs = 2000, answerMs = 1000, askEveryMs = 250, askAgainMs = 20, longestGapMs = 2000, statusQuery = `
  SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_flush_lsn() END AS written,
         pg_postmaster_start_time()::text AS "startedAt",
         current_setting('synchronous_standby_names') AS names,
         application_name AS name, state, sync_state AS "syncState", replay_lsn AS replayed
  FROM (SELECT WHERE $1::integer = 1) AS always LEFT JOIN pg_stat_replication ON true`;
var init_replication = __esm(() => {
  init_deadline();
});

// src/store/postgres/replicas.ts
class Replicas {
  #primary;
  #standbys;
  #watch;
  #turn = 0;
  constructor(primary, standbys, watch, note) {
    this.#primary = primary;
    this.#watch = watch;
    this.#standbys = standbys.map((connections) => new Standby(connections, watch, note));
  }
  query = async (text, parameters) => {
    let failure;
    for (const query of this.#sources()) {
      try {
        return await query(text, parameters);
      } catch (error) {
        failure = error;
      }
    }
    throw asReadError(failure);
  };
  states() {
    return this.#standbys.map((standby) => standby.describe());
  }
  async close() {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }
  *#sources() {
    for (const standby of this.#inTurn())
      if (standby.isCurrent())
        yield standby.query;
    if (!this.#watch.isLost)
      yield this.#primary.query;
    if (!this.#watch.isLost)
      return;
    yield* this.#lastKnown((standby) => !standby.hasFailed());
    yield* this.#lastKnown((standby) => standby.hasFailed());
    yield this.#primary.query;
  }
  *#lastKnown(isWanted) {
    for (const standby of this.#inTurn()) {
      const hasSuccessor = this.#standbys.some((other) => other.mayBePrimary());
      if (standby.isLastKnown() && isWanted(standby) && !hasSuccessor)
        yield standby.query;
    }
  }
  #inTurn() {
    const start = this.#turn++ % this.#standbys.length;
    return [...this.#standbys.slice(start), ...this.#standbys.slice(0, start)];
  }
}

class Standby {
  #connections;
  #watch;
  #note;
  #timer;
  #probing;
  #name = "";
  #seenAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isReachable = false;
  #isInRecovery = false;
  #replayed = 0n;
  #currentUntil = Number.NEGATIVE_INFINITY;
  #wasFit = false;
  #noted = "";
  constructor(connections, watch, note) {
    this.#connections = connections;
    this.#watch = watch;
    this.#note = note;
    this.#timer = setInterval(() => {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }, askEveryMs);
  }
  query = async (text, parameters) => {
    try {
      return await this.#connections.reads.query(text, parameters);
    } catch (error) {
      this.#failedAt = performance.now();
      throw error;
    }
  };
  isCurrent() {
    return !this.hasFailed() && performance.now() < this.#currentUntil && this.#watch.isEstablished(this.#name);
  }
  isLastKnown() {
    return this.#wasFit && this.#isInRecovery && this.#isSeen();
  }
  hasFailed() {
    return this.#failedAt >= this.#seenAt;
  }
  mayBePrimary() {
    return this.#isReachable && !(this.#isInRecovery && this.#isSeen());
  }
  describe() {
    const { latest, isLost } = this.#watch;
    const isStandby = this.#isReachable && this.#isInRecovery;
    const behind = isStandby && latest && !isLost ? Number(latest.written - this.#replayed) : undefined;
    return {
      server: this.#connections.reads.server,
      state: this.#state(),
      lagBytes: behind === undefined ? undefined : Math.max(0, behind)
    };
  }
  #state() {
    if (!this.#isReachable)
      return "lost";
    if (!this.#isInRecovery)
      return "primary";
    return this.isCurrent() ? "trusted" : "untrusted";
  }
  async close() {
    clearInterval(this.#timer);
    await this.#probing;
    await Promise.all([this.#connections.reads.close(), this.#connections.probe.close()]);
  }
  #isSeen() {
    return performance.now() < this.#seenAt + trustMs;
  }
  async#probe() {
    const askedAt = performance.now();
    try {
      const [row] = await this.#connections.probe.query(probeQuery);
      this.#name = row?.name ?? "";
      this.#isInRecovery = row?.isInRecovery ?? false;
      this.#isReachable = true;
      this.#seenAt = askedAt;
      this.#replayed = positionOf(row?.replayed ?? "0/0");
      this.#judge(this.#replayed);
    } catch (error) {
      this.#isReachable = false;
      this.#currentUntil = Number.NEGATIVE_INFINITY;
      if (!this.#watch.isLost)
        this.#wasFit = false;
      const { message, cause = message } = error;
      this.#tell("a standby is lost", String(cause));
    }
  }
  #judge(replayed) {
    const isKnown = this.#watch.latest !== undefined && !this.#watch.isLost;
    if (this.#isInRecovery && !isKnown)
      return;
    const reason = this.#reasonAgainst();
    const currentAt = this.#watch.currentAt(replayed);
    this.#wasFit = reason === "" && currentAt !== undefined;
    this.#currentUntil = this.#wasFit && currentAt !== undefined ? currentAt + trustMs : Number.NEGATIVE_INFINITY;
    if (reason !== "")
      this.#tell("a standby gets no reads", reason);
    else if (!this.#watch.isEstablished(this.#name))
      return;
    else if (this.#wasFit)
      this.#tell("a standby gets reads", "");
    else
      this.#tell("a standby gets no reads", "it has not caught up with what was saved before");
  }
  #reasonAgainst() {
    if (!this.#isInRecovery)
      return "it is no standby: it takes writes";
    if (this.#name === "")
      return "it has no cluster_name";
    const known = this.#watch.latest?.standbys.get(this.#name);
    if (!known)
      return `the primary has no standby with its cluster_name, ${this.#name}`;
    return known.reason;
  }
  #tell(message, reason) {
    const isLoss = message === "a standby is lost";
    const news = isLoss ? message : `${message}: ${reason}`;
    if (news === this.#noted)
      return;
    this.#noted = news;
    const { server } = this.#connections.reads;
    if (reason === "")
      this.#note("info", message, { server });
    else
      this.#note("warn", message, { server, reason });
  }
}
var standbyStates, probeQuery = `
  SELECT current_setting('cluster_name') AS name, pg_is_in_recovery() AS "isInRecovery",
         pg_last_wal_replay_lsn() AS replayed`;
var init_replicas = __esm(() => {
  init_errors2();
  init_replication();
  standbyStates = ["trusted", "untrusted", "primary", "lost"];
});

// src/store/postgres/pools.ts
function openPools({ urls, schema, replicas: replicaUrls }, { poolSize, limitMilliseconds, attribution, writeMetrics, watch: storeWatch }) {
  const { note, metrics } = storeWatch;
  const writeSize = Math.ceil(poolSize * shareOfWrites);
  const onTooMany = () => {
    for (const connection of new Set([writes, reads]))
      connection.shrink();
  };
  const toPrimary = { urls, schema, role: "primary", limitMilliseconds, note, found: {}, onTooMany };
  const asked = { poolSize: 1, limitMilliseconds: answerMs };
  const hasReplicas = replicaUrls.length > 0;
  const watch = hasReplicas ? new ReplicationWatch(new Connection({ ...toPrimary, ...asked }), note) : undefined;
  const acknowledge = watch && ((position) => watch.acknowledge(position));
  const forRequests = { ...toPrimary, watch: storeWatch };
  const writes = new Connection({
    ...forRequests,
    poolSize: writeSize,
    isAppliedOnStandbys: hasReplicas,
    acknowledge,
    transactions: { attribution, metrics: writeMetrics }
  });
  const reads = poolSize === 1 ? writes : new Connection({ ...forRequests, poolSize: poolSize - writeSize });
  const standbys = replicaUrls.map((url) => {
    const standby = { urls: [url], schema, role: "standby", limitMilliseconds: answerMs, note };
    return {
      reads: new Connection({ ...standby, poolSize, watch: storeWatch }),
      probe: new Connection({ ...standby, ...asked })
    };
  });
  const settling = new Connection({ ...toPrimary, poolSize: 1, isAppliedOnStandbys: hasReplicas, acknowledge });
  const exports = new Connection({ ...toPrimary, poolSize: mostExports, limitMilliseconds: longestExportMs });
  const replicas = watch && new Replicas(reads, standbys, watch, note);
  watchPools(metrics, { writes: [writes], reads: [reads], standbys: standbys.map((standby) => standby.reads) });
  if (replicas)
    watchStandbys(metrics, replicas);
  const readPrimary = readOnly2(reads);
  return {
    writes,
    readPrimary,
    read: replicas?.query ?? readPrimary,
    acknowledge,
    settling,
    exports,
    async close() {
      await replicas?.close();
      await Promise.all([writes.close(), reads.close(), settling.close(), exports.close(), watch?.close()]);
    }
  };
}
function watchPools(metrics, pools) {
  const sumOf = (read) => () => Object.entries(pools).map(([pool, connections]) => [{ pool }, connections.reduce((sum, one) => sum + read(one), 0)]);
  const register = (type, name, help, read) => metrics.watch(type, name, help, sumOf(read));
  register("gauge", "pool_connections_in_use", "Connections to PostgreSQL that are in use.", ({ inUse }) => inUse);
  register("gauge", "pool_waiting", "Uses of PostgreSQL beyond the connections there are.", ({ waiting }) => waiting);
  register("counter", "pools_left_total", "Pools that were left for a new one.", ({ timesLeft }) => timesLeft);
}
function watchStandbys(metrics, replicas) {
  const help = "Servers that reads may be sent to: trusted ones get them, untrusted and lost ones do not.";
  metrics.watch("gauge", "standbys", help, () => standbyStates.map((state) => [{ state }, replicas.states().filter((standby) => standby.state === state).length]));
  const lagHelp = "What a standby has not replayed yet of what the primary had written.";
  metrics.watch("gauge", "standby_replay_lag_bytes", lagHelp, () => replicas.states().flatMap(({ server, lagBytes }) => lagBytes === undefined ? [] : [[{ server }, lagBytes]]));
}
function readOnly2({ query }) {
  return (text, parameters) => query(text, parameters).catch((error) => {
    throw asReadError(error);
  });
}
var mostExports = 2, longestExportMs, shareOfWrites = 0.4;
var init_pools = __esm(() => {
  init_connection();
  init_errors2();
  init_replicas();
  init_replication();
  longestExportMs = 60 * 60 * 1000;
});

// src/store/postgres/quotas.ts
function quotaStore(query) {
  return {
    async lease(requests, limit) {
      const rows = await query(`INSERT INTO store.quota_windows AS kept (ends_at, key, taken, granted, sharers)
         SELECT ends_at, key, greatest(0, least($5, take)), least($5, take), sharers
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS asked (ends_at, key, take, sharers)
         ORDER BY ends_at, key
         ON CONFLICT (ends_at, key) DO UPDATE SET
           taken = kept.taken + ${granted}, granted = ${granted}, sharers = kept.sharers + excluded.sharers
         RETURNING ends_at, key, taken, granted, sharers`, [
        columnOf(requests, ({ endsAt }) => endsAt),
        columnOf(requests, ({ key }) => key),
        columnOf(requests, ({ take }) => take),
        columnOf(requests, ({ isFirst }) => isFirst ? 1 : 0),
        limit
      ]);
      const leases = new Map(rows.map((row) => [`${row.ends_at} ${row.key}`, leaseOf(row)]));
      return requests.map(({ endsAt, key }) => leases.get(`${endsAt} ${key}`) ?? nothing);
    }
  };
}
async function forgetQuotas(query, now) {
  await query("DELETE FROM store.quota_windows WHERE ends_at <= $1", [now]);
}
function columnOf(requests, pick) {
  return arrayOf(requests.map(pick), "INT8");
}
function leaseOf({ taken, granted, sharers }) {
  return { taken: Number(taken), granted: Math.max(0, Number(granted)), sharers };
}
var granted = "greatest(-kept.taken, least(excluded.granted, greatest(0, $5 - kept.taken)))", nothing;
var init_quotas = __esm(() => {
  nothing = { taken: 0, granted: 0, sharers: 1 };
});

// src/store/postgres/server-clock.ts
class ServerClock {
  #ask;
  #stopwatch;
  #timer;
  #lead;
  #asking;
  constructor(ask, stopwatch, lead) {
    this.#ask = ask;
    this.#stopwatch = stopwatch;
    this.#lead = lead;
    this.#timer = setInterval(() => {
      this.#asking ??= this.check().catch(() => {}).finally(() => {
        this.#asking = undefined;
      });
    }, askEveryMs2);
  }
  static async ask(query, stopwatch = () => performance.now()) {
    const ask = async () => {
      const [row] = await query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      return Number(row?.now);
    };
    const clock = new ServerClock(ask, stopwatch, await measure(ask, stopwatch));
    await clock.check();
    return clock;
  }
  now = () => Math.round(this.#stopwatch() + (this.#lead.least + this.#lead.most) / 2);
  async check() {
    const measured = await measure(this.#ask, this.#stopwatch);
    this.#lead = narrow(this.#lead, measured);
  }
  async close() {
    clearInterval(this.#timer);
    await this.#asking;
  }
}
async function measure(ask, stopwatch) {
  const askedAt = stopwatch();
  const server = await ask();
  const measuredAt = stopwatch();
  return { least: server - measuredAt, most: server - askedAt, measuredAt };
}
function narrow(known, measured) {
  const drift = (measured.measuredAt - known.measuredAt) * mostDrift;
  const least = Math.max(known.least - drift, measured.least);
  const most = Math.min(known.most + drift, measured.most);
  return least <= most ? { ...measured, least, most } : measured;
}
var askEveryMs2 = 5000, mostDrift = 0.001;

// src/store/postgres/shared-probe.ts
class SharedProbe {
  #probe;
  #asked;
  constructor(probe) {
    this.#probe = probe;
  }
  ask() {
    this.#asked ??= this.#ask();
    return this.#asked;
  }
  async#ask() {
    const rest = Bun.sleep(restMs);
    try {
      await this.#probe();
    } finally {
      rest.then(() => {
        this.#asked = undefined;
      });
    }
  }
}
var restMs = 250;

// src/store/postgres/webhooks.ts
function webhookStore(read, readPrimary, perform, inbox) {
  return {
    list: (page) => readPage(read, webhookSource, [], page),
    get: (id) => readOne(read, webhookSource, id),
    create: ({ url, types, description, createdAt }, { sealed, sealedForMaker }, after) => perform(async (query) => {
      const [row] = await query(`INSERT INTO store.webhooks
             (url, types, description, status, secret, position, event_id, revision, lease_until, created_at, updated_at)
           VALUES ($1, $2, $3, 'enabled', $4, $5, $6, 1, 0, $7, $7) RETURNING ${webhookSource.columns}`, [url, types, description, sealed, after?.position ?? 0, after?.id ?? "", createdAt]);
      if (!row)
        throw new Error("An insert returned no webhook.");
      return { ...webhookSource.toItem(row), sealedForMaker };
    }),
    update: (id, changes, at, expected) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
      const changed = changedWebhook(webhook, changes, at);
      await save(query, inbox, webhook, changed);
      return changed;
    }),
    delete: (id, expected) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
      await query("DELETE FROM store.webhook_parked WHERE webhook = $1", [webhook.id]);
      await query("DELETE FROM store.webhook_deliveries WHERE webhook = $1", [webhook.id]);
      await query("DELETE FROM store.webhooks WHERE id = $1", [webhook.id]);
    }),
    rotate: (id, { at, retiresAt }, { sealed, sealedForMaker }, expected) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
      await query(`UPDATE store.webhooks SET previous_secret = secret, secret = $2, retires_at = $3, updated_at = $4,
             revision = revision + 1 WHERE id = $1`, [webhook.id, sealed, retiresAt, at]);
      return { ...webhook, retiresAt, updatedAt: at, sealedForMaker };
    }),
    replay: (id, after, at) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
      await query("DELETE FROM store.webhook_parked WHERE webhook = $1", [webhook.id]);
      await query(`UPDATE store.webhooks SET position = $2, event_id = $3, updated_at = $4, revision = revision + 1 WHERE id = $1`, [webhook.id, after?.position ?? 0, after?.id ?? "", at]);
      return { ...webhook, updatedAt: at };
    }),
    retry: (id, deliveryId, at) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
      const found = await readOne(query, deliverySource, deliveryId);
      const delivery = found?.webhook === webhook.id ? found : undefined;
      const position = positionToRetry(delivery, deliveryId);
      await park(query, webhook.id, [{ position, subject: delivery?.subject ?? "", attempts: 0, nextAt: at }], hurry);
      await query("UPDATE store.webhooks SET revision = revision + 1 WHERE id = $1", [webhook.id]);
      return { ...delivery, nextAt: at };
    }),
    async deliveries(id, limit) {
      const rows = await read(`SELECT ${deliverySource.columns} FROM store.webhook_deliveries WHERE webhook = $1 ORDER BY webhook DESC, id DESC LIMIT $2`, [String(id), limit]);
      return rows.map(deliverySource.toItem);
    },
    delivery: (id) => readOne(read, deliverySource, id),
    beginDelivery: (id, delivery) => perform(async (query) => {
      const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
      const [added] = await addDeliveries(query, webhook.id, [delivery]);
      if (!added)
        throw new Error("An insert returned no delivery.");
      return added;
    }),
    endDelivery: (id, { outcome, status, error, durationMs }) => perform(async (query) => {
      const [row] = await query(`UPDATE store.webhook_deliveries SET outcome = $2, status = $3, error = $4, duration_ms = $5 WHERE id = $1
           RETURNING ${deliverySource.columns}`, [id, outcome, status, error, durationMs]);
      return row && deliverySource.toItem(row);
    }),
    async secrets(id) {
      const [row] = await read("SELECT secret, previous_secret FROM store.webhooks WHERE id = $1", [String(id)]);
      return row && { secret: row.secret, previousSecret: row.previous_secret };
    },
    async lease(owner, now, until, others) {
      const [enabled] = await readPrimary("SELECT 1 FROM store.webhooks WHERE status = 'enabled' LIMIT 1");
      if (!enabled)
        return [];
      return await perform(async (query) => {
        const renewed = await query(`UPDATE store.webhooks SET lease_until = $2
           WHERE lease_owner = $1 AND status = 'enabled' AND id <> ALL($3::bigint[]) RETURNING ${leasedColumns2}`, [owner, until, arrayOf(others, "INT8")]);
        const taken = await query(`UPDATE store.webhooks SET lease_owner = $1, lease_until = $3 WHERE id IN (
             SELECT id FROM store.webhooks
             WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN $2 AND $2 + ${longestLeaseMs})
               AND id <> ALL($4::bigint[]) AND lease_owner IS DISTINCT FROM $1
             ORDER BY lease_until, id LIMIT ${mostNewLeases} FOR UPDATE SKIP LOCKED
           ) RETURNING ${leasedColumns2}`, [owner, now, until, arrayOf(others, "INT8")]);
        return [...renewed, ...taken].map(toLeased);
      });
    },
    release: (owner) => perform(async (query) => {
      await query("UPDATE store.webhooks SET lease_owner = NULL, lease_until = 0 WHERE lease_owner = $1", [owner]);
    }),
    async parked(id) {
      const rows = await readPrimary("SELECT position, subject, attempts, next_at FROM store.webhook_parked WHERE webhook = $1 ORDER BY position", [id]);
      return rows.map(({ position, subject, attempts, next_at }) => ({
        position: Number(position),
        subject,
        attempts: Number(attempts),
        nextAt: Number(next_at)
      }));
    },
    record: ({ id, owner, revision }, { reached, parked, unparked, deliveries, failingSince, disabled }) => perform(async (query) => {
      const [row] = await query(`SELECT ${leasedColumns2} FROM store.webhooks
           WHERE id = $1 AND lease_owner = $2 AND revision = $3 AND status = 'enabled' FOR UPDATE`, [id, owner, revision]);
      if (!row)
        return false;
      await query("UPDATE store.webhooks SET position = $2, event_id = $3, failing_since = $4 WHERE id = $1", [
        id,
        reached?.position ?? row.position,
        reached?.id ?? row.event_id,
        failingSince
      ]);
      if (parked.length > 0)
        await park(query, id, parked, overwrite2);
      if (unparked.length > 0) {
        await query("DELETE FROM store.webhook_parked WHERE webhook = $1 AND position = ANY($2::bigint[])", [
          id,
          arrayOf(unparked, "INT8")
        ]);
      }
      if (deliveries.length > 0)
        await addDeliveries(query, id, deliveries);
      if (disabled) {
        const before = { ...webhookSource.toItem(row), failingSince };
        await save(query, inbox, before, disabledWebhook(before, disabled.reason, disabled.at));
      }
      return true;
    })
  };
}
async function save(query, inbox, before, after) {
  const { id, url, types, description, status, disabledReason, failingSince, updatedAt } = after;
  await inbox.run(query, `UPDATE store.webhooks SET url = $2, types = $3, description = $4, status = $5, disabled_reason = $6,
       failing_since = $7, updated_at = $8, revision = revision + 1 WHERE id = $1`, [id, url, types, description, status, disabledReason, failingSince, updatedAt], webhookDisabled(before, after));
}
async function park(query, webhook, parked, change) {
  const integers = (field) => arrayOf(parked.map((one) => one[field]), "INT8");
  await query(`INSERT INTO store.webhook_parked (webhook, position, subject, attempts, next_at)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
     ON CONFLICT (webhook, position) DO UPDATE SET ${change}`, [
    webhook,
    integers("position"),
    arrayOf(parked.map(({ subject }) => subject), "TEXT"),
    integers("attempts"),
    integers("nextAt")
  ]);
}
async function addDeliveries(query, webhook, deliveries) {
  const rows = deliveries.slice(-mostDeliveries).map((delivery) => deliveryFields.map((field) => delivery[field]));
  const added = await query(`INSERT INTO store.webhook_deliveries (webhook, ${deliveryColumns2})
     SELECT $1, position::bigint, event_id, type, subject, attempt::bigint, at::bigint, outcome, status::bigint, error,
            duration_ms::bigint, next_at::bigint
     FROM (
       SELECT place, ${deliveryFields.map((_, index) => `fields->>${index}`).join(", ")}
       FROM json_array_elements($2::text::json) WITH ORDINALITY AS given (fields, place)
     ) AS new (place, ${deliveryColumns2}) ORDER BY place RETURNING ${deliverySource.columns}`, [webhook, JSON.stringify(rows)]);
  await query(`DELETE FROM store.webhook_deliveries WHERE webhook = $1 AND id <= (
       SELECT id FROM store.webhook_deliveries WHERE webhook = $1 ORDER BY webhook DESC, id DESC LIMIT 1 OFFSET ${mostDeliveries}
     )`, [webhook]);
  return added.map(deliverySource.toItem);
}
function toLeased(row) {
  return {
    ...webhookSource.toItem(row),
    secret: row.secret,
    previousSecret: row.previous_secret,
    position: Number(row.position),
    eventId: row.event_id,
    revision: Number(row.revision)
  };
}
function optionalNumber(digits) {
  return digits === null ? null : Number(digits);
}
var overwrite2 = "attempts = excluded.attempts, next_at = excluded.next_at", hurry = "next_at = least(webhook_parked.next_at, excluded.next_at)", deliveryFields, deliveryColumns2 = "position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at", webhookSource, leasedColumns2, deliverySource;
var init_webhooks = __esm(() => {
  init_event();
  init_webhook();
  init_pages();
  deliveryFields = [
    "position",
    "eventId",
    "type",
    "subject",
    "attempt",
    "at",
    "outcome",
    "status",
    "error",
    "durationMs",
    "nextAt"
  ];
  webhookSource = {
    table: "store.webhooks",
    columns: "id, url, types, description, status, disabled_reason, failing_since, retires_at, created_at, updated_at",
    toItem: (row) => ({
      id: Number(row.id),
      url: row.url,
      types: row.types,
      description: row.description,
      status: row.status,
      disabledReason: row.disabled_reason,
      failingSince: optionalNumber(row.failing_since),
      retiresAt: optionalNumber(row.retires_at),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at)
    })
  };
  leasedColumns2 = `${webhookSource.columns}, secret, previous_secret, position, event_id, revision`;
  deliverySource = {
    table: "store.webhook_deliveries",
    columns: "id, webhook, position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at",
    toItem: (row) => ({
      id: Number(row.id),
      webhook: Number(row.webhook),
      position: optionalNumber(row.position),
      eventId: row.event_id,
      type: row.type,
      subject: row.subject,
      attempt: Number(row.attempt),
      at: Number(row.at),
      outcome: row.outcome,
      status: optionalNumber(row.status),
      error: row.error,
      durationMs: optionalNumber(row.duration_ms),
      nextAt: optionalNumber(row.next_at)
    })
  };
});

// src/store/postgres/work.ts
function performOn(primary) {
  return (work) => primary.transaction(work);
}
function performOnce(primary, claim, room) {
  return async (work) => {
    const conclusion = await primary.transaction((query) => settle(query, claim, room, work));
    if (conclusion.isReplay)
      claim.onReplay();
    return resultOf(conclusion);
  };
}
async function commitNothing({ query }, isAppliedOnStandbys) {
  await query(isAppliedOnStandbys ? `${logNothing} FROM ${appliedOnStandbys}` : logNothing);
}
async function settle(query, claim, room, work) {
  const [lock] = await query('SELECT pg_try_advisory_xact_lock($1) AS "isOurs"', [
    String(Buffer.from(claim.name).readBigInt64BE())
  ]);
  if (!lock?.isOurs)
    throw new StillUnderWay;
  const [kept] = await query("SELECT fingerprint, conclusion FROM store.claims WHERE name = $1 AND created_at > $2", [claim.name, claim.at - claimLifetimeMs]);
  if (kept) {
    const conclusion = recall(kept, claim);
    await query(logNothing);
    return conclusion;
  }
  await room.take(claim, claimCounter(query));
  let hasChanged = false;
  const watched = (text, parameters) => {
    hasChanged ||= !readsOrLocks.test(text);
    return query(text, parameters);
  };
  const conclusion = await work(watched).then((result) => ({ result }), (error) => {
    const refusal = asRefusal(error);
    if (hasChanged)
      throw new LateRefusal(error);
    return refusal;
  });
  if (!isKept(conclusion))
    return conclusion;
  await query(`INSERT INTO store.claims (name, fingerprint, conclusion, created_at, line) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO UPDATE SET
       fingerprint = excluded.fingerprint, conclusion = excluded.conclusion, created_at = excluded.created_at,
       line = excluded.line`, [claim.name, claim.fingerprint, textOf(conclusion), claim.at, lineIdOf(claim)]);
  return conclusion;
}
var logNothing = "SELECT pg_logical_emit_message(true, 'animal-store', '')", readsOrLocks;
var init_work = __esm(() => {
  init_claim();
  init_conclusion();
  init_claims();
  readsOrLocks = /^\s*(SELECT|LOCK)\b/;
});

// src/store/postgres/postgres-store.ts
async function openPostgresStore(address, {
  poolSize,
  limitMilliseconds,
  mustExist = false,
  claimLimits = usualClaimLimits,
  eventRetentionMs = usualEventRetentionMs,
  ...options
}) {
  await prepareDatabase(address, mustExist);
  const watch = watchOf(options);
  const attribution = { request: undefined };
  const writeMetrics = new WriteMetrics(watch.metrics);
  const pools = openPools(address, { poolSize, limitMilliseconds, attribution, writeMetrics, watch });
  const { writes, read, acknowledge } = pools;
  const clock = await ServerClock.ask(pools.readPrimary).catch(async (error) => {
    await pools.close();
    throw explainOpenError2(error);
  });
  const eventWatch = new EventWatch(() => newestPosition(read), lookForEventsEveryMs);
  const settler = new EventSettler(pools.settling, eventWatch.look, watch.note);
  const creates = petCreates(writes, acknowledge !== undefined, () => settler.floor, attribution, writeMetrics);
  watch.metrics.watch("gauge", "write_queue_depth", "Writes that wait for their turn.", () => {
    return creates.depth + writes.waiting;
  });
  watchClaims(watch.metrics, () => countClaims(read, clock.now()));
  const probes = {
    reads: new SharedProbe(() => read("SELECT 1 FROM store.pets WHERE id = 1")),
    writes: new SharedProbe(() => commitNothing(writes, acknowledge !== undefined))
  };
  const room = new ClaimRoom(claimLimits, sharers2);
  const events = eventStore(read, pools.readPrimary, eventWatch);
  const settling = (perform) => (work) => perform(work).finally(() => settler.soon());
  const storeThatWrites = (perform, create, origin) => {
    const inbox = new EventInbox(origin);
    return {
      pets: petStore(read, perform, create, inbox),
      orders: orderStore(read, perform, inbox),
      categories: categoryStore(read, perform, inbox),
      keys: keyStore(read, perform, inbox),
      events,
      export: (visitor) => exportPets2(pools.exports, visitor),
      webhooks: webhookStore(read, pools.readPrimary, perform, inbox),
      transfer: transferOf(writes, settler),
      clock: clock.now,
      attribution,
      quotas: quotaStore(pools.readPrimary),
      inventory: () => readInventory(read),
      by: (whose) => storeThatWrites(settling(performOn(writes)), createFor(() => whose), () => whose),
      once(claim) {
        const performIt = settling(forOneWrite(performOnce(writes, claim, room)));
        const createOnce = (pet) => performIt((query) => insertPet(query, { pet, origin: origin() }));
        return storeThatWrites(performIt, createOnce, origin);
      },
      async tidy(now) {
        while (await forgetClaims(writes, now))
          ;
        await sumUpInventory(writes);
        await forgetQuotas(writes.query, now);
        while (await forgetEvents(writes, now - eventRetentionMs))
          ;
      },
      ready: (kind) => probes[kind].ask(),
      async close() {
        await creates.drain();
        eventWatch.close();
        await settler.close();
        await clock.close();
        await pools.close();
      }
    };
  };
  const createFor = (origin) => async (pet) => {
    const created = await creates.add({ pet, origin: origin() }).catch((error) => {
      settler.soon();
      throw error;
    });
    if (created.isSettled)
      eventWatch.look();
    else
      settler.soon();
    await acknowledge?.(created.position);
    return created.pet;
  };
  const byOperator = () => ({ actor: operator, request: null, at: clock.now() });
  return storeThatWrites(settling(performOn(writes)), createFor(byOperator), byOperator);
}
var lookForEventsEveryMs = 250, sharers2 = 4;
var init_postgres_store = __esm(() => {
  init_event();
  init_claim_room();
  init_conclusion();
  init_events();
  init_watch();
  init_categories();
  init_claims();
  init_event_inbox();
  init_event_settler();
  init_events2();
  init_export();
  init_keys();
  init_orders();
  init_pets();
  init_pools();
  init_prepare();
  init_quotas();
  init_transfer();
  init_webhooks();
  init_work();
});

// node_modules/typebox/build/guard/guard.mjs
var exports_guard = {};
__export(exports_guard, {
  CodePointCount: () => CodePointCount2,
  Counted: () => Counted,
  Entries: () => Entries,
  EntriesRegExp: () => EntriesRegExp,
  Every: () => Every,
  EveryAll: () => EveryAll,
  GraphemeCount: () => GraphemeCount2,
  HasPropertyKey: () => HasPropertyKey,
  IsArray: () => IsArray,
  IsBigInt: () => IsBigInt,
  IsBoolean: () => IsBoolean,
  IsClassInstance: () => IsClassInstance,
  IsConstructor: () => IsConstructor,
  IsDeepEqual: () => IsDeepEqual,
  IsEqual: () => IsEqual,
  IsFunction: () => IsFunction,
  IsGreaterEqualThan: () => IsGreaterEqualThan,
  IsGreaterThan: () => IsGreaterThan,
  IsInteger: () => IsInteger,
  IsLessEqualThan: () => IsLessEqualThan,
  IsLessThan: () => IsLessThan,
  IsMaxLength: () => IsMaxLength2,
  IsMinLength: () => IsMinLength2,
  IsMultipleOf: () => IsMultipleOf,
  IsNull: () => IsNull,
  IsNumber: () => IsNumber,
  IsObject: () => IsObject,
  IsObjectNotArray: () => IsObjectNotArray,
  IsString: () => IsString,
  IsSymbol: () => IsSymbol,
  IsUndefined: () => IsUndefined,
  IsUnsafePropertyKey: () => IsUnsafePropertyKey,
  IsValueLike: () => IsValueLike,
  Keys: () => Keys2,
  ShiftLeft: () => ShiftLeft,
  Some: () => Some,
  SomeAll: () => SomeAll,
  Symbols: () => Symbols,
  Values: () => Values
});

// node_modules/typebox/build/system/hashing/hash.mjs
var exports_hash = {};
__export(exports_hash, {
  Hash: () => Hash,
  HashCode: () => HashCode
});

// src/cli/backup.ts
import { readdirSync, rmSync as rmSync2, statSync as statSync5 } from "fs";
import { join as join2, resolve as resolve4 } from "path";
import { setTimeout as setTimeout2 } from "timers/promises";

// src/config.ts
import { parseArgs } from "util";

class SettingsError extends Error {
  problems;
  name = "SettingsError";
  constructor(problems) {
    super(problems.join(`
`));
    this.problems = problems;
  }
}
function setting(parse, definition) {
  return { ...definition, parse };
}
function readSettings(definitions, args) {
  return readArguments(definitions, args, (positionals) => positionals.map(notKnown)).settings;
}
function readArguments(definitions, args, judge = () => []) {
  const problems = [];
  const flags = readFlags(definitions, args, problems);
  if (problems.length === 0)
    problems.push(...judge(flags.positionals));
  const settings = Object.entries(definitions).map(([name, definition]) => {
    const { text, source } = look(definition, flags.values);
    if (text === undefined)
      return [name, undefined];
    const value = definition.parse(text);
    if (value !== undefined)
      return [name, value];
    const { isIgnoredIfWrong, default: preset } = definition;
    if (!isIgnoredIfWrong)
      problems.push(complaintOf(definition, text, source));
    return [name, preset === undefined ? undefined : definition.parse(preset)];
  });
  if (problems.length > 0)
    throw new SettingsError(problems);
  return { settings: Object.freeze(Object.fromEntries(settings)), positionals: flags.positionals };
}
function ignoredSettings(definitions, args) {
  const { values } = readFlags(definitions, args, []);
  return Object.values(definitions).flatMap((definition) => {
    const { text, source } = look(definition, values);
    const isIgnored = definition.isIgnoredIfWrong && text !== undefined && definition.parse(text) === undefined;
    return isIgnored ? [complaintOf(definition, text, source)] : [];
  });
}
function reportSettings(definitions, args) {
  const { values } = readFlags(definitions, args, []);
  return Object.values(definitions).filter(({ isSwitch }) => !isSwitch).map((definition) => {
    const { text, source } = look(definition, values);
    const name = definition.flag ? `--${definition.flag}` : definition.environment ?? "";
    if (!text)
      return { name, value: null, source: null };
    return { name, value: definition.secret ? "..." : withoutPasswords(text), source };
  });
}
function complaintOf({ flag, environment, expects, secret }, text, source) {
  const place = source === "flag" ? `--${flag}` : environment;
  return `${place} must be ${expects}${secret ? "" : `, not ${quote(text)}`}.`;
}
function look({ flag, environment, default: preset }, flags) {
  const fromFlag = flag ? flags.get(flag) : undefined;
  if (fromFlag !== undefined)
    return { text: fromFlag, source: "flag" };
  const fromEnvironment = environment ? process.env[environment] || undefined : undefined;
  if (fromEnvironment !== undefined)
    return { text: fromEnvironment, source: "environment" };
  return { text: preset, source: "default" };
}
function switchSetting(flag, help) {
  const parse = (text) => text === switchedOn;
  return setting(parse, { flag, placeholder: "", help, expects: "given or not", default: "", isSwitch: true });
}
function nonEmpty(text) {
  return text || undefined;
}
function integer(smallest, largest) {
  return (text) => /^[0-9]{1,9}$/.test(text) && +text >= smallest && +text <= largest ? +text : undefined;
}
function oneOf(values) {
  return (text) => values.find((value) => value === text);
}
function parseHttpUrl(text) {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}
function readFlags(definitions, args, problems) {
  const options = Object.values(definitions).filter(({ flag }) => flag !== undefined);
  const values = new Map;
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options.map(({ flag, isSwitch }) => [flag, { type: isSwitch ? "boolean" : "string" }])),
    strict: false,
    allowPositionals: true,
    tokens: true
  });
  for (const token of tokens) {
    if (token.kind !== "option")
      continue;
    const option = options.find(({ flag }) => flag === token.name);
    const before = values.get(token.name);
    if (!option)
      problems.push(notKnown(token.rawName));
    else if (option.isSwitch)
      values.set(token.name, switchedOn);
    else if (token.value === undefined)
      problems.push(`${token.rawName} needs a value.`);
    else if (before === undefined)
      values.set(token.name, token.value);
    else if (option.isRepeatable)
      values.set(token.name, `${before} ${token.value}`);
    else
      problems.push(`${token.rawName} must be given only once.`);
  }
  return { values, positionals };
}
var switchedOn = "on";
function notKnown(argument) {
  return `${argument} is unknown; --help lists what you can use.`;
}
function quote(text) {
  const shown = withoutPasswords(text);
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}...` : shown);
}
function withoutPasswords(text) {
  return text.replace(/\/\/\S*@/g, "//...@").replace(/([?&](?:ssl)?password=)[^&\s]*/gi, "$1...");
}

// src/http/log/log.ts
init_time_text();
var logLevels = ["debug", "info", "warn", "error", "off"];

class Log {
  isForPeople;
  #sink = Bun.stderr.writer();
  #usualIndex;
  #lowestIndex;
  #lines = "";
  #isWriting = false;
  #dropped = 0;
  constructor(lowest, isForPeople) {
    this.isForPeople = isForPeople;
    this.#usualIndex = this.#lowestIndex = logLevels.indexOf(lowest);
  }
  toggleDebug() {
    const [debugIndex, infoIndex] = [logLevels.indexOf("debug"), logLevels.indexOf("info")];
    const quieterIndex = Math.max(this.#usualIndex, infoIndex);
    const next = this.#lowestIndex === debugIndex ? quieterIndex : debugIndex;
    this.#lowestIndex = debugIndex;
    this.write("info", "the log level was changed by a signal", { logLevel: logLevels[next] });
    this.#lowestIndex = next;
  }
  takes(level) {
    return logLevels.indexOf(level) >= this.#lowestIndex;
  }
  write(level, message, fields = {}) {
    if (!this.takes(level))
      return;
    const entry = { level, message, fields };
    this.writeLine(this.isForPeople ? forPeople(entry) : forMachines(entry));
  }
  writeLine(line) {
    if (this.#lines.length > mostWaitingBytes) {
      this.#dropped++;
      return;
    }
    if (this.#lines === "" && !this.#isWriting)
      setTimeout(() => this.flush(), longestDelayMs);
    this.#lines += `${line}
`;
    if (this.#lines.length > largestWriteBytes)
      this.flush();
  }
  flush() {
    if (this.#isWriting || this.#lines === "")
      return;
    const lines = this.#lines;
    this.#lines = "";
    try {
      this.#sink.write(lines);
      const flushed = this.#sink.flush();
      if (!(flushed instanceof Promise))
        return;
      this.#isWriting = true;
      flushed.then(this.#goOn, this.#goOn);
    } catch {}
  }
  #goOn = () => {
    this.#isWriting = false;
    const count = this.#dropped;
    this.#dropped = 0;
    this.flush();
    if (count > 0)
      this.write("warn", "lines of the log were dropped, because nobody read them", { count });
  };
}
var longestDelayMs = 20;
var largestWriteBytes = 64 * 1024;
var mostWaitingBytes = 1024 * 1024;
function forMachines({ level, message, fields }) {
  return JSON.stringify({ time: timeText(Date.now()), level, message, ...fields });
}
function forPeople({ level, message, fields }) {
  const time = new Date().toTimeString().slice(0, 8);
  const { method, path, status, milliseconds, ...rest } = fields;
  const what = message === "request" ? `${status} ${method} ${path} in ${milliseconds} ms` : message;
  const details = Object.entries(rest).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
  return [time, level === "info" ? undefined : level.toUpperCase(), what, ...details].filter(Boolean).join("  ");
}

// src/store/sqlite/backup/backup.ts
import { existsSync as existsSync2, realpathSync as realpathSync2, statSync as statSync4 } from "fs";
import { basename, dirname as dirname5, join, resolve as resolve3 } from "path";

// src/base/database-address.ts
import { lstatSync, readlinkSync, realpathSync } from "fs";
import { dirname, resolve } from "path";
function fileBehindLinks(path) {
  let file = path;
  for (let followed = 0;followed < mostLinks; followed++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      return file;
    file = resolve(realpathSync(dirname(file)), readlinkSync(file));
  }
  return path;
}
var mostLinks = 40;

// src/store/sqlite/backup/backup.ts
init_store();

// src/store/sqlite/errors.ts
init_errors();
import { SQLiteError } from "bun:sqlite";

// src/store/sqlite/file/guard.ts
import { statSync as statSync2 } from "fs";

// src/store/sqlite/file/log.ts
import { closeSync, openSync, readSync } from "fs";

// src/store/sqlite/file/paths.ts
import { statSync } from "fs";
function logOf(path) {
  return `${path}-wal`;
}
function logIndexOf(path) {
  return `${path}-shm`;
}
function journalOf(path) {
  return `${path}-journal`;
}
function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

// src/store/sqlite/file/log.ts
function readLog(path) {
  if (sizeOf(logOf(path)) < logHeaderBytes)
    return;
  const file = openSync(logOf(path), "r");
  try {
    return readFrames(file);
  } finally {
    closeSync(file);
  }
}
function isAnyPageMissing(inFile, { pageCount, pages }) {
  for (let page = inFile + 1;page <= pageCount; page++)
    if (!pages.has(page))
      return true;
  return false;
}
function readFrames(file) {
  const header = Buffer.alloc(logHeaderBytes);
  readSync(file, header, 0, logHeaderBytes, 0);
  const frameLength = frameHeaderBytes + header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderBytes);
  const pages = new Set;
  const uncommitted = [];
  let pageCount = 0;
  for (let at = logHeaderBytes;readSync(file, frame, 0, frameHeaderBytes, at) === frameHeaderBytes; at += frameLength) {
    if (!frame.subarray(8, 16).equals(salts))
      break;
    uncommitted.push(frame.readUInt32BE(0));
    const countAfterCommit = frame.readUInt32BE(4);
    if (countAfterCommit === 0)
      continue;
    for (const page of uncommitted.splice(0))
      pages.add(page);
    pageCount = countAfterCommit;
  }
  return pageCount === 0 ? undefined : { pageCount, pages };
}
function logLength({ frames, pageSize }) {
  return frames === 0 ? 0 : logHeaderBytes + frames * (frameHeaderBytes + pageSize);
}
var logHeaderBytes = 32;
var frameHeaderBytes = 24;

// src/store/sqlite/file/log-index.ts
import { closeSync as closeSync2, fstatSync, openSync as openSync2, readSync as readSync2 } from "fs";
class LogIndex {
  #file;
  #words = new Uint32Array(34);
  #halves = new Uint16Array(this.#words.buffer);
  constructor(path) {
    this.#file = openSync2(logIndexOf(path), "r");
  }
  get isRemoved() {
    return fstatSync(this.#file).nlink === 0;
  }
  read() {
    const words = this.#words;
    do {
      readSync2(this.#file, words, 0, words.byteLength, 0);
    } while (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]);
    return {
      frames: words[4] ?? 0,
      pageSize: this.#halves[7] === 1 ? 65536 : this.#halves[7] ?? 0,
      pageCount: words[5] ?? 0,
      folded: words[24] ?? 0,
      beingFolded: words[32] ?? 0,
      salt: words[8] ?? 0,
      otherSalt: words[9] ?? 0
    };
  }
  close() {
    closeSync2(this.#file);
  }
}

// src/store/sqlite/file/guard.ts
class FileLost extends Error {
  name = "FileLost";
}

class FileGuard {
  #path;
  #logPath;
  #database;
  #index;
  #log;
  #file;
  #state;
  constructor(path, database) {
    this.#path = path;
    this.#logPath = logOf(path);
    this.#database = database;
    this.#index = new LogIndex(path);
    this.#log = statSync2(this.#logPath);
    this.#file = statSync2(path);
    this.#state = this.#index.read();
  }
  check() {
    const file = statSync2(this.#path, orNothing);
    if (!isSame(file, this.#file))
      throw new FileLost("its file was removed or replaced");
    const log = statSync2(this.#logPath, orNothing);
    if (!log)
      throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(log, this.#log))
      throw new FileLost("its -wal file was replaced");
    if (this.#index.isRemoved)
      throw new FileLost("its -shm file was removed or replaced");
    const state = this.#index.read();
    if (log.size < logLength(state) && this.#isLogCutOff())
      throw new FileLost("its -wal file was cut off");
    if (file.size < this.#file.size && this.#isFileCutOff())
      throw new FileLost("its file was cut off");
    if (file.mtimeMs !== this.#file.mtimeMs && !this.#mayBeFolded()) {
      throw new FileLost("its file was overwritten; to restore a backup, stop the service first, then use animal-store restore");
    }
    this.#file = file;
    this.#state = state;
  }
  close() {
    this.#index.close();
  }
  #rescue() {
    try {
      const done = this.#database.query("PRAGMA wal_checkpoint(FULL)").get();
      return done?.busy === 0 ? "; what was in it has been put into the file" : "";
    } catch {
      return "";
    }
  }
  #isLogCutOff() {
    const expected = logLength(this.#index.read());
    return sizeOf(this.#logPath) < expected && logLength(this.#index.read()) === expected;
  }
  #isFileCutOff() {
    const { pageCount, pageSize } = this.#index.read();
    const there = Math.floor(sizeOf(this.#path) / pageSize);
    return there === 0 || isAnyPageMissing(there, { pageCount, pages: readLog(this.#path)?.pages ?? new Set });
  }
  #mayBeFolded() {
    const { folded, beingFolded, salt, otherSalt } = this.#index.read();
    return folded !== this.#state.folded || beingFolded !== this.#state.beingFolded || beingFolded > folded || salt !== this.#state.salt || otherSalt !== this.#state.otherSalt;
  }
}
var orNothing = { throwIfNoEntry: false };
function isSame(one, other) {
  return one?.ino === other.ino && one.dev === other.dev;
}

// src/store/sqlite/errors.ts
class ReportedFailure extends Error {
  failure;
  constructor(failure) {
    super(failure.message);
    this.failure = failure;
  }
}
function toFailure(error) {
  if (error instanceof ReportedFailure)
    return error.failure;
  if (error instanceof FileLost)
    return { code: fileLost, message: error.message };
  if (error instanceof SQLiteError)
    return { code: error.code ?? "SQLITE_ERROR", message: error.message };
  return { code: "UNKNOWN", message: String(error) };
}
function isOwnFault({ code }) {
  return code.startsWith("SQLITE_CONSTRAINT");
}
function isDamage({ code }) {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}
function isFaultOfFile(failure) {
  return isDamage(failure) || failure.code.startsWith("SQLITE_IOERR");
}
function isPassing({ code }) {
  return ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((name) => code.startsWith(name));
}
function toReadError(failure) {
  return otherError(failure, "The store cannot be reached now; try again.", damagedText);
}
function toWriteError(failure) {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (code === "SQLITE_FULL") {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return new ServiceError("ServiceUnavailable", unknownOutcomeText, cause);
  return otherError(failure, cannotWriteText, `${damagedText} Nothing was saved.`);
}
var cannotWriteText = "The store cannot be reached now. Nothing was saved; try again.";
var unknownOutcomeText = "The store did not respond in time. It is not known whether the request was carried out.";
var damagedText = "The store's database is damaged, and must be restored.";
function otherError(failure, whenPassing, whenDamaged) {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (isDamage(failure)) {
    const advice = "stop the service, and restore a backup with animal-store restore FILE --replace";
    return new ServiceError("ServiceUnavailable", whenDamaged, `${cause}; ${advice}`);
  }
  return passing.some((name) => code.startsWith(name)) ? new ServiceError("ServiceUnavailable", whenPassing, cause) : new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}
var fileLost = "FILE_LOST";
var passing = [
  fileLost,
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL"
];

// src/store/sqlite/file/examine.ts
init_schema_version();
init_store();
import { Database } from "bun:sqlite";
import { accessSync, closeSync as closeSync3, constants, openSync as openSync3, readSync as readSync3, statSync as statSync3 } from "fs";
import { dirname as dirname2, resolve as resolve2 } from "path";

// src/store/sqlite/migrations/001-animals-and-keys.sql
var _001_animals_and_keys_default = `CREATE TABLE pets (
  -- AUTOINCREMENT never gives an id twice, also after the newest animal was deleted.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  -- Beyond this, clients that read JSON numbers as doubles would mistake one id for another.
  CONSTRAINT last_id CHECK (id <= 9007199254740991)
) STRICT;

-- Holds whole animals, since the list by status is what clients ask for most.
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);

CREATE TABLE keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash BLOB NOT NULL UNIQUE,
  -- Times are milliseconds since 1970.
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  last_used_at INTEGER
) STRICT;
`;

// src/store/sqlite/migrations/002-store-area.sql
var _002_store_area_default = `CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('placed', 'completed', 'cancelled')),
  -- Times are milliseconds since 1970.
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status, id);
-- Whatever goes wrong elsewhere, no animal has two open orders.
CREATE UNIQUE INDEX open_orders ON orders (pet_id) WHERE status = 'placed';

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;

-- Kept by triggers, so that it is right whoever writes, and counting costs the same at any size.
CREATE TABLE inventory (
  status TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO inventory (status, count)
SELECT column1, (SELECT count(*) FROM pets WHERE status = column1) FROM (VALUES ('available'), ('pending'), ('sold'));

CREATE TRIGGER count_added AFTER INSERT ON pets BEGIN
  UPDATE inventory SET count = count + 1 WHERE status = new.status;
END;

CREATE TRIGGER count_moved AFTER UPDATE OF status ON pets WHEN old.status <> new.status BEGIN
  UPDATE inventory SET count = count - 1 WHERE status = old.status;
  UPDATE inventory SET count = count + 1 WHERE status = new.status;
END;

CREATE TRIGGER count_removed AFTER DELETE ON pets BEGIN
  UPDATE inventory SET count = count - 1 WHERE status = old.status;
END;

-- How often anything was done to animals other than to add one behind all others: by this, the pages that were read before
-- are known to be true still.
CREATE TABLE updates (
  count INTEGER NOT NULL
) STRICT;

INSERT INTO updates (count) VALUES (0);

CREATE TRIGGER note_update AFTER UPDATE ON pets BEGIN
  UPDATE updates SET count = count + 1;
END;

CREATE TRIGGER note_removal AFTER DELETE ON pets BEGIN
  UPDATE updates SET count = count + 1;
END;

CREATE TRIGGER note_insertion AFTER INSERT ON pets
WHEN new.id <= (SELECT seq FROM sqlite_sequence WHERE name = 'pets') BEGIN
  UPDATE updates SET count = count + 1;
END;

-- What became of requests that may be repeated, each written in the transaction of its own write.
CREATE TABLE claims (
  name BLOB PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  conclusion TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_age ON claims (created_at);
`;

// src/store/sqlite/migrations/003-key-lines.sql
var _003_key_lines_default = `-- The first of the keys that replaced each other; NULL for a key that replaced none. Which of those that are there already
-- replaced which was never written down: each begins a line of its own, to which the claims that it has made belong.
ALTER TABLE keys ADD COLUMN line INTEGER;

-- The line of the key that made the request, 0 for the configured key; not known of those that were kept before.
ALTER TABLE claims ADD COLUMN line INTEGER;

CREATE INDEX claims_by_line ON claims (line, created_at);

-- New keys were sealed so that a weak configured key could be guessed from them.
UPDATE claims SET conclusion = json_remove(conclusion, '$.result.sealed') WHERE conclusion LIKE '%"sealed":%';
`;

// src/store/sqlite/migrations/004-events.sql
var _004_events_default = `-- What has happened, in the order of the commits. The newest is never removed, so that no position is ever given twice.
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  -- The event as clients get it.
  body TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_subject ON events (subject);

-- No event, but the mark of a log that does not tell of everything: the store had something in it before.
INSERT INTO events (position, id, type, subject, at, body)
SELECT 0, '', '', '', 0, '' WHERE EXISTS (SELECT 1 FROM pets) OR EXISTS (SELECT 1 FROM orders)
  OR EXISTS (SELECT 1 FROM categories) OR EXISTS (SELECT 1 FROM keys);
`;

// src/store/sqlite/migrations/005-webhooks.sql
var _005_webhooks_default = `-- Where events are sent to. What a webhook has yet to get is all that comes after its position in the log, and what is parked.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- Separated by commas; empty for all.
  types TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason TEXT,
  failing_since INTEGER,
  -- Sealed with a key that is not stored. The one before is used as well until it retires.
  secret TEXT NOT NULL,
  previous_secret TEXT,
  retires_at INTEGER,
  position INTEGER NOT NULL,
  -- Of the event at the position; empty before the first.
  event_id TEXT NOT NULL,
  -- Another after each change that the one who delivers has to know of.
  revision INTEGER NOT NULL,
  -- Who delivers, and until when nobody else does.
  lease_owner TEXT,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Events before the position that have yet to be delivered: one of each subject has failed, the others wait behind it.
CREATE TABLE webhook_parked (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  position INTEGER NOT NULL,
  subject TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  UNIQUE (webhook, position)
) STRICT;

-- The latest attempts of each webhook, for people to look at.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  -- NULL for a test, which is not in the log.
  position INTEGER,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  duration_ms INTEGER,
  next_at INTEGER
) STRICT;

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook);
`;

// src/store/sqlite/migrate.ts
var applicationId = 1885697139;
var migrations = [
  { version: 1, name: "animals and keys", oldestProgram: 1, sql: _001_animals_and_keys_default },
  {
    version: 2,
    name: "orders, categories, inventory and repeated requests",
    oldestProgram: 1,
    sql: _002_store_area_default
  },
  { version: 3, name: "lines of keys", oldestProgram: 3, sql: _003_key_lines_default },
  { version: 4, name: "events", oldestProgram: 4, sql: _004_events_default },
  { version: 5, name: "webhooks", oldestProgram: 4, sql: _005_webhooks_default }
];
var newestVersion = migrations.length;
function schemaVersion(database) {
  const columns = columnsOfMigrations(database);
  if (columns.length === 0)
    return { version: 0, oldestProgram: 0 };
  const oldest = columns.includes("oldest_program") ? "coalesce(oldest_program, version)" : "version";
  const row = database.query(`SELECT coalesce(max(version), 0) AS version, coalesce(max(${oldest}), 0) AS oldestProgram FROM migrations`).get();
  return row ?? { version: 0, oldestProgram: 0 };
}
function pendingMigrations(version) {
  return migrations.slice(version).map(({ name }) => name);
}
function migrate(database) {
  database.transaction(() => {
    const { version: current } = schemaVersion(database);
    if (current === 0) {
      database.run(`PRAGMA application_id = ${applicationId}`);
      database.run("CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT");
    }
    if (!columnsOfMigrations(database).includes("oldest_program")) {
      database.run("ALTER TABLE migrations ADD COLUMN oldest_program INTEGER");
    }
    for (const { version, name, oldestProgram, sql } of migrations.slice(current)) {
      database.run("INSERT INTO migrations (version, name, applied_at, oldest_program) VALUES (?, ?, ?, ?)", [
        version,
        name,
        Date.now(),
        oldestProgram
      ]);
      database.run(sql);
    }
  }).immediate();
}
function columnsOfMigrations(database) {
  const rows = database.query("SELECT name FROM pragma_table_info('migrations')").all();
  return rows.map(({ name }) => name);
}

// src/store/sqlite/file/examine.ts
function examineFile(path) {
  const header = readHeader(path);
  if (header.length === 0) {
    refuseOrphans(path);
    return "nothing";
  }
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\x00" || header.length < headerBytes) {
    throw new StoreOpenError(`${path} is not an animal-store database. Choose another file, or one that does not exist yet.`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreOpenError(`${path} is a SQLite database, but not one of animal-store. Choose another file.`);
  }
  if (sizeOf(journalOf(path)) > 0)
    return pagesBefore(journalOf(path)) > 0 ? "store" : "nothing";
  if (isTruncated(path, header))
    throw damaged(path, "it is shorter than its own header says");
  examineContents(path);
  return "store";
}
function examineVersion(path) {
  if (examineFile(path) === "nothing")
    throw noStore(path);
  return withoutChange(path, schemaVersion);
}
function openUnchanged(path) {
  const database = new Database(path, sizeOf(logOf(path)) > 0 ? { readonly: true } : { readwrite: true });
  database.run("PRAGMA query_only = ON");
  return database;
}
function requireWritable(path) {
  if (!statSync3(dirname2(path), { throwIfNoEntry: false }))
    return;
  accessSync(dirname2(path), constants.W_OK);
  if (statSync3(path, { throwIfNoEntry: false }))
    accessSync(path, constants.W_OK);
}
function noStore(path) {
  const found = statSync3(path, { throwIfNoEntry: false }) ? "is empty" : "does not exist";
  return new StoreOpenError(`${resolve2(path)} ${found}. Set --database to an existing one; only serve and copy --to create a new one.`);
}
function damaged(path, reason) {
  const firstLine = reason.replace(/^\*\*\*.*\n/, "").split(`
`, 1)[0];
  return new StoreOpenError(`${path} is damaged (${firstLine}). Restore a backup with animal-store restore FILE --replace; nothing in it was changed.`);
}
var headerBytes = 100;
var largestReadThroughBytes = 16 * 1024 * 1024;
function readHeader(path) {
  const found = statSync3(path, { throwIfNoEntry: false });
  if (!found)
    return Buffer.alloc(0);
  if (!found.isFile())
    throw new StoreOpenError(`${path} is not a file. Choose a file for the database.`);
  return readStart(path, headerBytes);
}
function readStart(path, length) {
  const file = openSync3(path, "r");
  try {
    const start = Buffer.alloc(length);
    return start.subarray(0, readSync3(file, start));
  } finally {
    closeSync3(file);
  }
}
function refuseOrphans(path) {
  const [log, journal] = [logOf(path), journalOf(path)];
  const orphan = sizeOf(log) > 0 ? log : sizeOf(journal) > 0 && pagesBefore(journal) > 0 ? journal : undefined;
  if (orphan === undefined)
    return;
  const state = statSync3(path, { throwIfNoEntry: false }) ? "is empty" : "is missing";
  throw new StoreOpenError(`${path} ${state}, but ${orphan} is there, and may hold data that is nowhere else. Put back the file that it belongs to, or restore a backup with animal-store restore FILE --replace; to start over, move ${orphan} away first. Nothing was changed.`);
}
function pagesBefore(journal) {
  const start = readStart(journal, 20);
  return start.length === 20 ? start.readUInt32BE(16) : 0;
}
function isTruncated(path, header) {
  const written = header.readUInt16BE(16);
  const pageSize = written === 1 ? 65536 : written;
  const there = Math.floor(sizeOf(path) / pageSize);
  return isAnyPageMissing(there, readLog(path) ?? { pageCount: header.readUInt32BE(28), pages: new Set });
}
function examineContents(path) {
  withoutChange(path, (database) => {
    refuseUnknown(path, schemaVersion(database), newestVersion);
    if (sizeOf(path) > largestReadThroughBytes)
      return;
    const row = database.query("PRAGMA quick_check(1)").get();
    if (row && row.quick_check !== "ok")
      throw damaged(path, row.quick_check);
  });
}
function withoutChange(path, use) {
  const database = openUnchanged(path);
  try {
    return use(database);
  } finally {
    database.close(true);
  }
}

// src/store/sqlite/file/explain.ts
init_store();
import { existsSync, statfsSync } from "fs";
import { dirname as dirname3 } from "path";
function explainOpenError(path, error) {
  if (error instanceof StoreOpenError)
    return error;
  const failure = toFailure(error);
  const { code, message } = failure;
  if (isDamage(failure))
    return damaged(path, message);
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreOpenError(`${path} is locked by another program. Stop that program, then start again.`);
  }
  const reason = code === "UNKNOWN" && error instanceof Error ? error.message : message;
  if (code === "SQLITE_FULL" || /^ENOSPC|^EDQUOT/.test(reason) || code.startsWith("SQLITE_IOERR") && isDiskFull(path)) {
    return new StoreOpenError(`${path} cannot be written: the disk is full. Free some space, then start again.`);
  }
  const advice = remedies.find(([pattern]) => pattern.test(reason))?.[1];
  return new StoreOpenError(`${path} cannot be opened for writing: ${reason}.${advice ? ` ${advice}` : ""}`);
}
var remedies = [
  [/^EROFS/, "Mount its file system for writing, or choose another place."],
  [/^EACCES|^EPERM/, "Give the user that runs this program the right to write to the file and its folder."]
];
function isDiskFull(path) {
  const folder = dirname3(path);
  if (!existsSync(folder))
    return false;
  const { bavail, bsize, blocks } = statfsSync(folder);
  return blocks > 0 && bavail * bsize < sharedMemoryBytes;
}
var sharedMemoryBytes = 32 * 1024;

// src/store/sqlite/file/replace.ts
import { randomBytes } from "crypto";
import {
  chmodSync,
  closeSync as closeSync4,
  constants as constants2,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  openSync as openSync4,
  renameSync,
  rmSync
} from "fs";
import { dirname as dirname4 } from "path";
function partialOf(path) {
  return `${path}.partial-${randomBytes(4).toString("hex")}`;
}
function createPartial(path) {
  const file = openSync4(path, "wx", ownerOnly);
  fchmodSync(file, ownerOnly);
  closeSync4(file);
}
function copyToPartial(from, path) {
  copyFileSync(from, path, constants2.COPYFILE_EXCL);
  chmodSync(path, ownerOnly);
}
var ownerOnly = 384;
function putInPlace(partial, path) {
  flush(partial);
  renameSync(partial, path);
  flush(dirname4(path));
}
function removeIfPossible(path) {
  try {
    rmSync(path, { force: true });
  } catch {}
}
function flush(path) {
  const file = openSync4(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync4(file);
  }
}

// src/store/sqlite/backup/backup.ts
async function backUpFile(path, name, options) {
  requireStore(path);
  const file = fileBehindLinks(name);
  refuseTarget(path, file);
  const partial = partialOf(file);
  try {
    createPartial(partial);
    const { pets = 0 } = await copyInWorker({ source: path, target: partial }, options);
    const bytes = sizeOf(partial);
    putInPlace(partial, file);
    return { animals: pets, bytes };
  } catch (error) {
    options.signal.throwIfAborted();
    throw explainBackupError(path, file, error);
  } finally {
    removeIfPossible(partial);
  }
}
function requireStore(path) {
  try {
    if (examineFile(path) === "nothing")
      throw noStore(path);
  } catch (error) {
    throw explainOpenError(path, error);
  }
}
function refuseTarget(path, file) {
  const there = statSync4(file, { throwIfNoEntry: false });
  const target = canonical(file);
  if ([path, logOf(path), logIndexOf(path), journalOf(path)].some((own) => canonical(own) === target)) {
    throw new StoreOpenError(`${file} belongs to the database itself. Choose another file for the backup.`);
  }
  if (there?.isDirectory()) {
    throw new StoreOpenError(`${file} is a folder. Choose a file in it, or use --every to make backups there.`);
  }
  if (there && !there.isFile()) {
    throw new StoreOpenError(`${file} is not a file. Choose a file for the backup.`);
  }
  if (!statSync4(dirname5(file), { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreOpenError(`${dirname5(resolve3(file))} is not a folder. Create it first, or choose another.`);
  }
  if (existsSync2(logOf(file))) {
    throw new StoreOpenError(`${file} is in use: ${logOf(file)} is beside it. Choose another file for the backup.`);
  }
  if (there && there.size > 0)
    examineFile(file);
}
function canonical(path) {
  const folder = dirname5(resolve3(path));
  if (existsSync2(path))
    return realpathSync2(path);
  return join(existsSync2(folder) ? realpathSync2(folder) : folder, basename(path));
}
async function copyInWorker(message, { signal, onProgress }) {
  const worker = new Worker(new URL("./backup-worker.ts", import.meta.url).href);
  const { promise, resolve, reject } = Promise.withResolvers();
  const abort = () => reject(signal.reason);
  let totalBytes = 0;
  const timer = setInterval(() => {
    if (totalBytes > 0)
      onProgress(Math.min(sizeOf(message.target), totalBytes - 1), totalBytes);
  }, progressEveryMs);
  worker.onmessage = ({ data }) => {
    if ("counts" in data)
      resolve(data.counts);
    else if ("failure" in data)
      reject(new ReportedFailure(data.failure));
    else
      totalBytes = data.totalBytes;
  };
  worker.onerror = ({ message }) => reject(new Error(message));
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    worker.postMessage(message);
    const counts = await promise;
    onProgress(totalBytes, totalBytes);
    return counts;
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
var progressEveryMs = 100;
function explainBackupError(path, file, error) {
  const failure = toFailure(error);
  if (failure.code === "UNKNOWN" && error instanceof ReportedFailure) {
    return new StoreOpenError(`The backup could not be made: ${failure.message.replace(/^Error: /, "")}.`);
  }
  const isOfStore = isDamage(failure) || failure.code.startsWith("SQLITE_BUSY");
  const { message } = explainOpenError(isOfStore ? path : file, error);
  return new StoreOpenError(message.replace(/, then start again\.$/, ", then try again."));
}

// src/cli/command.ts
var exitCodes = { success: 0, failure: 1, unusable: 2 };
function helpOf({ usage, summary, settings }) {
  return `${summary}

Usage: animal-store ${usage}

${table(Object.values(settings).map(describe))}`;
}
function table(rows) {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join(`
`);
}
function describe({ flag, environment, placeholder, help, default: defaultText }) {
  const names = [flag && `--${flag} ${placeholder}`.trimEnd(), environment].filter(Boolean).join(", ");
  return [names, defaultText ? `${help} Default: ${defaultText}` : help];
}

// src/cli/database-settings.ts
var databaseSetting = setting(parseDatabase, {
  flag: "database",
  environment: "DATABASE_URL",
  placeholder: "URL",
  help: "The database: sqlite: and the path of a file, or postgres://user@host/database.",
  expects: "sqlite: and the path of a file, such as sqlite:data/animal-store.db, or postgres://user@host/database",
  default: "sqlite:data/animal-store.db"
});
function databaseFlag(flag, help) {
  const { placeholder, expects } = databaseSetting;
  return setting(parseDatabase, { flag, placeholder, help, expects });
}
var poolSizeSetting = setting(integer(1, 1000), {
  flag: "pool-size",
  environment: "DATABASE_POOL_SIZE",
  placeholder: "NUMBER",
  help: "The maximum number of connections to PostgreSQL.",
  expects: "an integer from 1 to 1000",
  default: "10"
});
var replicasSetting = setting(parseReplicas, {
  flag: "replica",
  environment: "DATABASE_REPLICA_URLS",
  placeholder: "URL",
  help: "A PostgreSQL standby to send reads to. Repeat the flag for more; in the variable, separate them with spaces.",
  expects: "one or more addresses such as postgres://user@standby/database, separated by spaces",
  isRepeatable: true
});
function withReplicas(database, replicas = []) {
  if (replicas.length === 0)
    return database;
  if (database.kind === "postgres")
    return { ...database, replicas };
  throw new SettingsError(["--replica needs a PostgreSQL database, but --database names a SQLite file."]);
}
function parseDatabase(url) {
  const path = /^sqlite:(?:\/\/(?=\/))?(?!\/\/|:|file:)(.+)$/.exec(url)?.[1];
  return path ? { kind: "sqlite", path: fileBehindLinks(path) } : parsePostgres(url);
}
function parseReplicas(text) {
  const addresses = text.split(/\s+/).map(parsePostgres);
  const urls = addresses.flatMap((address) => address?.kind === "postgres" ? address.urls : []);
  return urls.length === addresses.length ? urls : undefined;
}
function parsePostgres(text) {
  const [, start, hosts = "", end] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(text) ?? [];
  const urls = hosts.split(",").map((host) => URL.parse(`${start}${host}${end}`));
  const schema = urls[0]?.searchParams.get("schema") ?? "animal_store";
  if (start === undefined || urls.includes(null) || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    return;
  for (const url of urls)
    url?.searchParams.delete("schema");
  return { kind: "postgres", urls: urls.map((url) => url?.href ?? ""), schema, replicas: [] };
}

// src/cli/progress-bar.ts
class ProgressBar {
  label;
  total;
  #isShown = Boolean(process.stderr.isTTY);
  #shownAt = 0;
  constructor(label, total) {
    this.label = label;
    this.total = total;
  }
  show(done) {
    const now = performance.now();
    if (!this.#isShown || now - this.#shownAt < redrawMilliseconds && done < this.total)
      return;
    this.#shownAt = now;
    process.stderr.write(`\r${barOf(this.label, done, this.total)}${done >= this.total ? `
` : ""}`);
  }
}
function barOf(label, done, total) {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * width);
  const numbers = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${label} [${"#".repeat(filled)}${" ".repeat(width - filled)}] ${Math.floor(share * 100)} %, ${numbers}`;
}
var width = 30;
var redrawMilliseconds = 100;

// src/cli/time.ts
function parseDuration(text) {
  if (text === "0")
    return 0;
  const [, amount, unit = ""] = /^([0-9]{1,5})([dhms])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (milliseconds[unit] ?? Number.NaN);
}
function parseExpiry(text, today = Date.now()) {
  const duration = parseDuration(text);
  if (duration)
    return (now) => now + duration;
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?$/.test(text))
    return;
  const date = Date.parse(text);
  return date > today && new Date(date).toISOString().startsWith(text.slice(0, 10)) ? () => date : undefined;
}
var milliseconds = { d: 86400000, h: 3600000, m: 60000, s: 1000 };

// src/cli/backup.ts
var usuallyKept = 24;
var settings = {
  database: databaseSetting,
  every: setting((text) => parseDuration(text) || undefined, {
    flag: "every",
    placeholder: "TIME",
    help: "Make a backup now and then at this interval, such as 1h, in a folder, until stopped.",
    expects: "a time such as 24h, 1h or 10m"
  }),
  keep: setting(integer(1, 1e5), {
    flag: "keep",
    placeholder: "NUMBER",
    help: `With --every: how many backups to keep; the oldest are removed. Default: ${usuallyKept}`,
    expects: "an integer from 1 to 100000"
  })
};
var backupCommand = {
  name: "backup",
  usage: "backup FILE [settings], or backup --every TIME [--keep NUMBER] FOLDER [settings]",
  summary: "Back up the SQLite database to a file, even while the service is running.",
  settings,
  async run(args) {
    const { settings: given, positionals } = readArguments(settings, args, judge);
    const [target = ""] = positionals;
    const path = pathOf(given.database, "backup");
    const { every, keep = usuallyKept } = given;
    if (every === undefined && given.keep !== undefined)
      throw new SettingsError(["--keep goes with --every."]);
    const stop = untilToldToStop();
    if (every === undefined)
      return await makeOne(path, target, stop);
    requireFolder(target);
    requireStore(path);
    return await makeMany(path, resolve4(target), every, keep, stop);
  }
};
function pathOf(database, command) {
  if (database.kind === "sqlite")
    return database.path;
  throw new SettingsError([
    `${command} is for a SQLite file. PostgreSQL has its own tools for this: docs/runbook.md says which, and what to type.`
  ]);
}
function judge(positionals) {
  if (positionals.length === 1 && positionals[0] !== "")
    return [];
  return ["backup must be followed by one file to write, or with --every by one folder."];
}
async function makeOne(path, file, signal) {
  const start = performance.now();
  let bar;
  const onProgress = (done, total) => {
    bar ??= new ProgressBar("Backing up", total);
    bar.show(done);
  };
  try {
    const { animals, bytes } = await backUpFile(path, file, { signal, onProgress });
    const seconds = secondsSince(start);
    console.log(`Backed up to ${resolve4(file)}: ${animals} animals, ${bytes} bytes, ${seconds} seconds.`);
    return exitCodes.success;
  } catch (error) {
    if (!signal.aborted)
      throw error;
    console.error(`animal-store: Stopped by ${signal.reason}. No backup was made.`);
    return exitCodes.failure;
  }
}
async function makeMany(path, folder, everyMs, keep, signal) {
  const log = new Log("info", Boolean(process.stderr.isTTY));
  while (!signal.aborted) {
    const start = performance.now();
    const file = join2(folder, nameAt(new Date));
    try {
      const done = await backUpFile(path, file, { signal, onProgress: () => {} });
      log.write("info", "backed up", { file, ...done, seconds: secondsSince(start) });
      removeOldest(folder, keep, log);
    } catch (error) {
      if (signal.aborted)
        break;
      log.write("error", "the backup failed", { file, cause: messageOf(error) });
    }
    await setTimeout2(Math.max(0, everyMs - (performance.now() - start)), undefined, { signal }).catch(() => {});
  }
  log.write("info", `stopping on ${signal.reason}`);
  log.flush();
  return exitCodes.success;
}
function nameAt(time) {
  return `animal-store-${time.toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function removeOldest(folder, keep, log) {
  const names = readdirSync(folder).filter((name) => /^animal-store-\d{8}T\d{6}Z\.db$/.test(name));
  const old = names.sort().slice(0, -keep);
  const abandoned = readdirSync(folder).filter((name) => isAbandoned(folder, name));
  for (const file of [...old, ...abandoned].map((name) => join2(folder, name))) {
    try {
      rmSync2(file, { force: true });
      log.write("info", "removed an old backup", { file });
    } catch (error) {
      log.write("error", "an old backup could not be removed", { file, cause: messageOf(error) });
    }
  }
}
function isAbandoned(folder, name) {
  if (!/^animal-store-\d{8}T\d{6}Z\.db\.partial-[0-9a-f]{8}$/.test(name))
    return false;
  const { mtimeMs = Number.POSITIVE_INFINITY } = statSync5(join2(folder, name), { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > abandonedAfterMs;
}
var abandonedAfterMs = 24 * 60 * 60 * 1000;
function requireFolder(folder) {
  if (statSync5(folder, { throwIfNoEntry: false })?.isDirectory())
    return;
  throw new SettingsError([`${resolve4(folder)} is not a folder. Create it first, or choose another.`]);
}
function untilToldToStop() {
  const controller = new AbortController;
  for (const signal of ["SIGTERM", "SIGINT"])
    process.on(signal, () => controller.abort(signal));
  return controller.signal;
}
function secondsSince(start) {
  return Math.round((performance.now() - start) / 10) / 100;
}

// src/store/sqlite/check.ts
init_check();
init_replay();
init_store();
import { Database as Database2 } from "bun:sqlite";

// src/store/sqlite/replay.ts
init_check();

// src/store/sqlite/categories.ts
init_category();
init_event();
init_expectation();

// src/store/sqlite/pages.ts
init_int64();

class PageReader {
  database;
  table;
  columns;
  wide;
  #statements = new Map;
  #one;
  constructor(database, table, columns, wide) {
    this.database = database;
    this.table = table;
    this.columns = columns;
    this.wide = wide;
    this.#one = database.prepare(`SELECT ${columns} FROM ${table} WHERE id = ?`);
  }
  list(conditions, { limit, after }) {
    const values = [];
    for (const [, value] of conditions)
      values.push(value);
    if (after !== undefined)
      values.push(after);
    values.push(limit + 1);
    return pageOf(this.#read(this.#statementsFor(conditions, after !== undefined), values), limit);
  }
  get(id) {
    const row = this.#one.get(id);
    if (row === null)
      return;
    return this.#isExact(row) ? row : this.#read(this.#statementsFor([["id", id]], false), [id, 1])[0];
  }
  #areExact(rows) {
    for (const row of rows)
      if (!this.#isExact(row))
        return false;
    return true;
  }
  #isExact(row) {
    return this.wide === undefined || Number.isSafeInteger(row[this.wide]);
  }
  #read({ plain, exact }, values) {
    const rows = plain.all(...values);
    if (this.#areExact(rows))
      return rows;
    return exact.all(...values).map((row) => Object.fromEntries(Object.entries(row).map(([field, value]) => [field, typeof value === "bigint" ? toInt64(value) : value])));
  }
  #statementsFor(conditions, isBehind) {
    let name = isBehind ? ">" : "";
    for (const [column] of conditions)
      name += `${column}=`;
    let statements = this.#statements.get(name);
    if (!statements) {
      const columns = conditions.map(([column]) => column);
      const tests = [...columns.map((column) => `${column} = ?`), ...isBehind ? ["id > ?"] : []];
      const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : "";
      const way = wayTo(this.table, columns);
      const sql = `SELECT ${this.columns} FROM ${this.table} ${way} ${where} ORDER BY id ${boundLimit}`;
      statements = {
        plain: this.database.prepare(sql),
        exact: this.database.prepare(sql).safeIntegers(true)
      };
      this.#statements.set(name, statements);
    }
    return statements;
  }
}
var boundLimit = "LIMIT ? + 0";
function wayTo(table, columns) {
  if (columns.length === 0 || columns.includes("id"))
    return "NOT INDEXED";
  const nouns = columns.map((column) => column.replace(/_id$/, ""));
  return `INDEXED BY ${table}_by_${nouns.join("_and_")}`;
}

// src/store/sqlite/categories.ts
function categoryReader(database) {
  return new PageReader(database, "categories", "id, name", "id");
}
function prepareCategoryWrites(database) {
  const categories = categoryReader(database);
  const put = database.prepare("INSERT INTO categories (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name");
  const remove = database.prepare("DELETE FROM categories WHERE id = ?");
  return {
    putCategory({ category, expected }, log) {
      const current = categories.get(category.id);
      requireExpected(current, expected);
      put.run(category.id, category.name);
      log(categoryNamed(current, category));
      return current === undefined;
    },
    deleteCategory({ id, expected }, log) {
      const current = categories.get(id);
      if (!current)
        throw noSuchCategory(id);
      requireExpected(current, expected);
      remove.run(id);
      log(categoryUnnamed(current));
    }
  };
}

// src/store/sqlite/inventory.ts
function inventoryReader(database) {
  const counts = database.prepare("SELECT status, count FROM inventory");
  return () => {
    const inventory = { available: 0, pending: 0, sold: 0 };
    for (const { status, count } of counts.all())
      inventory[status] = count;
    return inventory;
  };
}

// src/store/sqlite/keys.ts
init_clock();
init_event();
init_expectation();
init_key();
class KeyReader extends PageReader {
  #byHash;
  constructor(database) {
    super(database, "keys", keyColumns);
    this.#byHash = database.prepare(`SELECT ${keyColumns} FROM keys WHERE hash = ?`);
  }
  find(hash) {
    return this.#byHash.get(hash) ?? undefined;
  }
}
function prepareKeyWrites(database) {
  const keys = new KeyReader(database);
  const any = database.prepare("SELECT 1 FROM keys LIMIT 1");
  const admins = database.prepare(`SELECT ${keyColumns} FROM keys WHERE scope = 'admin'`);
  const insert = database.prepare(`INSERT INTO keys (name, scope, hash, created_at, expires_at, line) VALUES (?, ?, ?, ?, ?, ?) RETURNING ${keyColumns}`);
  const retire = database.prepare("UPDATE keys SET rotated_at = ?3, expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?1");
  const revoke = database.prepare("UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL");
  const recordUse = database.prepare(`UPDATE keys SET last_used_at = max(?2, created_at)
     WHERE id = ?1 AND coalesce(last_used_at NOT BETWEEN ?2 AND ?2 + ${farthestAheadMs}, true)`);
  const create = ({ key, secret }, log, line = null) => {
    const created = insert.get(key.name, key.scope, secret.hash, key.createdAt, key.expiresAt, line);
    if (!created)
      throw new Error("An insert returned no key.");
    log([{ ...keyCreated(created, created.createdAt), id: created.id }]);
    return { ...created, sealed: secret.sealed };
  };
  return {
    createKey(creation, log) {
      requireGivable(creation.key, creation.maker);
      return create(creation, log);
    },
    createFirstKey: (creation, log) => {
      return any.get() ? undefined : create(creation, log);
    },
    rotateKey({ id, rotation, secret, expected }, log) {
      const old = requireActive(keys.get(id), id, rotation.at, expected);
      const successor = successorOf(old, rotation);
      if (rotation.keepLastAdmin)
        requireLastingAdmin(old, admins.all(), rotation.at, successor);
      retire.run(old.id, rotation.retiresAt, timeOfChange(rotation.at, old.createdAt));
      log(keyRotated(old, keys.get(old.id) ?? old, rotation.at));
      return create({ key: successor, secret }, log, old.line);
    },
    revokeKey({ id, at, keepLastAdmin, expected }, log) {
      const key = keys.get(id);
      if (!key)
        throw noSuchKey(id);
      requireExpected(key, expected);
      if (keepLastAdmin)
        requireLastingAdmin(key, admins.all(), at);
      const revokedAt = key.revokedAt ?? timeOfChange(at, key.createdAt, key.rotatedAt);
      revoke.run(key.id, revokedAt);
      const revoked = { ...key, revokedAt };
      log(keyRevoked(key, revoked, at));
      return revoked;
    },
    recordKeyUse(uses) {
      for (const { id, at } of uses)
        recordUse.run(id, at);
    }
  };
}
var keyColumns = "id, name, scope, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, rotated_at AS rotatedAt, last_used_at AS lastUsedAt, coalesce(line, id) AS line";

// src/store/sqlite/orders.ts
init_event();
init_expectation();
init_order();

// src/store/sqlite/pets.ts
init_event();
init_expectation();
init_pet();
function petReader(database) {
  return new PageReader(database, "pets", "id, name, category_id AS categoryId, status", "categoryId");
}
function preparePetWrites(database) {
  const pets = petReader(database);
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id");
  const update = database.prepare("UPDATE pets SET name = ?2, category_id = ?3, status = ?4 WHERE id = ?1");
  const remove = database.prepare("DELETE FROM pets WHERE id = ?");
  const openOrder = database.prepare("SELECT id FROM orders INDEXED BY open_orders WHERE pet_id = ? AND status = 'placed'");
  const find = (id, expected) => {
    const pet = pets.get(id);
    if (!pet)
      throw noSuchPet(id);
    requireExpected(pet, expected);
    return pet;
  };
  return {
    createPet({ name, categoryId, status }, log) {
      const row = insert.get(name, categoryId, status);
      if (!row)
        throw new Error("An insert returned no id.");
      log([{ ...petCreated({ name, categoryId, status }), id: row.id }]);
      return { id: row.id, name, categoryId, status };
    },
    updatePet({ id, changes, expected }, log) {
      const pet = find(id, expected);
      const changed = changePet(pet, changes, openOrder.get(pet.id)?.id);
      update.run(changed.id, changed.name, changed.categoryId, changed.status);
      log(petUpdated(pet, changed));
      return changed;
    },
    deletePet({ id, expected }, log) {
      const pet = find(id, expected);
      requireNoOpenOrder(pet.id, openOrder.get(pet.id)?.id);
      remove.run(pet.id);
      log(petDeleted(pet));
    }
  };
}

// src/store/sqlite/orders.ts
function orderReader(database) {
  return new PageReader(database, "orders", orderColumns);
}
function prepareOrderWrites(database) {
  const pets = petReader(database);
  const orders = orderReader(database);
  const movePet = database.prepare("UPDATE pets SET status = ?2 WHERE id = ?1");
  const insert = database.prepare(`INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (?1, 'placed', ?2, ?2) RETURNING ${orderColumns}`);
  const update = database.prepare("UPDATE orders SET status = ?2, updated_at = ?3 WHERE id = ?1");
  return {
    placeOrder({ petId, at }, log) {
      const available = pets.get(petId);
      const pet = reservePet(available, petId);
      movePet.run(pet.id, pet.status);
      const order = insert.get(pet.id, at);
      if (!order)
        throw new Error("An insert returned no order.");
      log([...petUpdated(available ?? pet, pet), { ...orderPlaced(order), id: order.id }]);
      return order;
    },
    closeOrder({ id, status, at, expected }, log) {
      const found = orders.get(id);
      if (!found)
        throw noSuchOrder(id);
      requireExpected(found, expected);
      const order = closeOrder(found, status, at);
      const pet = pets.get(order.petId);
      movePet.run(order.petId, petStatusOfOrder[status]);
      update.run(order.id, order.status, order.updatedAt);
      const moved = pet ? petUpdated(pet, { ...pet, status: petStatusOfOrder[status] }) : [];
      log([...moved, ...orderClosed(found, order)]);
      return order;
    }
  };
}
var orderColumns = "id, pet_id AS petId, status, created_at AS createdAt, updated_at AS updatedAt";

// src/store/sqlite/replay.ts
function replaySource(database) {
  const readers = {
    pets: petReader(database),
    orders: orderReader(database),
    categories: categoryReader(database),
    keys: new KeyReader(database)
  };
  return {
    extent: () => readExtent(database),
    events: () => readBySubject(database),
    current: (kind, ids) => ids.flatMap((id) => readers[kind].get(id) ?? []),
    unlogged: (kind) => database.query(`SELECT id FROM ${kind} WHERE NOT EXISTS (
             SELECT 1 FROM events INDEXED BY events_by_subject WHERE subject = '${kind}/' || ${kind}.id
           ) ORDER BY id LIMIT ${mostShown}`).safeIntegers(true).all().map(({ id }) => id),
    inventory: inventoryReader(database)
  };
}
function readExtent(database) {
  const row = database.query(`SELECT min(position) AS oldest, max(position) AS newest, count(*) AS count,
              EXISTS (SELECT 1 FROM events WHERE position = 0) AS isLate
       FROM events WHERE position > 0`).get();
  return {
    oldest: row?.oldest ?? 0,
    newest: row?.newest ?? 0,
    count: row?.count ?? 0,
    isLate: row?.isLate === 1
  };
}
function* readBySubject(database) {
  using statement = database.prepare(`SELECT position, id, type, subject, body FROM events INDEXED BY events_by_subject
     WHERE (subject, position) > (?, ?) AND position > 0 ORDER BY subject, position LIMIT ${pageSize2}`);
  for (let last;; ) {
    const events = statement.all(last?.subject ?? "", last?.position ?? 0);
    yield events;
    last = events.at(-1);
    if (events.length < pageSize2)
      return;
  }
}
var pageSize2 = 1000;

// src/store/sqlite/transfer.ts
init_int64();
init_tables();

class TransferReader {
  database;
  constructor(database) {
    this.database = database;
  }
  count({ name }) {
    return this.database.query(`SELECT count(*) AS count FROM ${name}`).get()?.count ?? 0;
  }
  read(table, after, limit) {
    const key = keyOf(table);
    const behind = after ? `WHERE ${key} > ?` : "";
    using statement = this.database.prepare(`SELECT ${columnNames(table).join(", ")} FROM ${table.name} ${behind} ORDER BY ${key} LIMIT ?`).safeIntegers(true);
    const rows = statement.values(...after?.slice(0, 1) ?? [], limit);
    return rows.map((row) => row.map((value) => typeof value === "bigint" ? toInt64(value) : value));
  }
  lastIds() {
    const rows = this.database.query("SELECT name, seq FROM sqlite_sequence").all();
    const last = (table) => rows.find(({ name }) => name === table)?.seq ?? 0;
    return Object.fromEntries(tables.filter(({ givesIds }) => givesIds).map(({ name }) => [name, last(name)]));
  }
}
function prepareTransferWrites(database) {
  const knowTable = database.prepare("INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)");
  const reserve = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1");
  return {
    writeRows({ table, rows }) {
      const names = columnNames(table);
      using statement = database.prepare(`INSERT INTO ${table.name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ${overwrite(table)}`);
      for (const row of rows)
        statement.run(...row);
    },
    reserveIds(last) {
      for (const [table, id] of Object.entries(last)) {
        knowTable.run(table);
        reserve.run(table, id);
      }
    }
  };
}

// src/store/sqlite/check.ts
async function checkSqlite(path, { replays }) {
  try {
    if (examineVersion(path).version < newestVersion) {
      throw new StoreOpenError(`${path} is of an older version. Run animal-store migrate first.`);
    }
    using database = openUnchanged(path);
    database.run("PRAGMA busy_timeout = 5000");
    database.run("BEGIN");
    const integrity = checkIntegrity(database);
    if (integrity.problem !== undefined)
      return [integrity];
    return [integrity, ...await checkRules(database, replays)];
  } catch (error) {
    const failure = toFailure(error);
    if (isDamage(failure))
      return [integrityFinding([failure.message])];
    throw explainOpenError(path, error);
  }
}
function checkIntegrity(database) {
  const rows = database.query(`PRAGMA integrity_check(${mostShown})`).all();
  return integrityFinding(rows.map((row) => row.integrity_check.replaceAll(`
`, " ")).filter((line) => line !== "ok"));
}
function integrityFinding(wrong) {
  return finding("the file is undamaged", wrong, (list) => `Restore a backup: ${list}.`);
}
async function checkRules(database, replays) {
  const missing = missingParts(database);
  if (missing.some((part) => part.startsWith("table ")))
    return [schemaFinding(missing)];
  const transfer = new TransferReader(database);
  return [
    schemaFinding(missing),
    inventoryFinding(database.query(`SELECT status, count AS noted, (SELECT count(*) FROM pets WHERE pets.status = inventory.status) AS counted
           FROM inventory`).all()),
    orderFinding(database.query(`SELECT orders.id, pet_id AS petId, pets.status AS petStatus
           FROM orders LEFT JOIN pets ON pets.id = pet_id
           WHERE orders.status = 'placed' AND pets.status IS NOT 'pending' ORDER BY orders.id LIMIT ${mostShown}`).all()),
    idFinding(idsOf(database, transfer)),
    await claimFinding({ read: (table, after, limit) => transfer.read(table, after, limit) }),
    ...replays && missing.length === 0 ? await replay(replaySource(database)) : []
  ];
}
function missingParts(database) {
  using whole = new Database2(":memory:", { strict: true });
  migrate(whole);
  const there = new Set(partsOf2(database));
  return partsOf2(whole).filter((part) => !there.has(part));
}
function partsOf2(database) {
  return database.query("SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL").all().map(({ type, name }) => `${type} ${name}`);
}
function schemaFinding(missing) {
  return finding("the schema is complete", missing, (list) => `Missing: ${list}. Restore a backup, or copy what is there into a new database with animal-store copy.`);
}
function idsOf(database, transfer) {
  const given = transfer.lastIds();
  return tablesThatGiveIds.map(({ name }) => {
    const row = database.query(`SELECT max(id) AS id FROM ${name}`).get();
    return { table: name, given: given[name] ?? 0, highest: row?.id ?? 0 };
  });
}

// src/store/sqlite/inspect.ts
import { Database as Database3 } from "bun:sqlite";
import { existsSync as existsSync3, statfsSync as statfsSync2, statSync as statSync6 } from "fs";
import { dirname as dirname6, resolve as resolve5 } from "path";
function inspectSqlite(path) {
  try {
    requireWritable(path);
    const files = [path, logOf(path), logIndexOf(path), journalOf(path)].flatMap(fileAt);
    const schema = examineFile(path) === "store" ? examineVersion(path).version : undefined;
    return { engine: `SQLite ${sqliteVersion()}`, schema, newestSchema: newestVersion, files, folder: folderOf(path) };
  } catch (error) {
    throw explainOpenError(path, error);
  }
}
function fileAt(path) {
  const found = statSync6(path, { throwIfNoEntry: false });
  return found ? [{ path, bytes: found.size, mode: found.mode & 511, changedAt: found.mtimeMs }] : [];
}
function folderOf(path) {
  let folder = dirname6(resolve5(path));
  while (!existsSync3(folder))
    folder = dirname6(folder);
  const { bavail, bsize } = statfsSync2(folder);
  return { path: folder, mode: statSync6(folder).mode & 4095, freeBytes: bavail * bsize };
}
function sqliteVersion() {
  using database = new Database3(":memory:");
  return database.query("SELECT sqlite_version() AS version").get()?.version ?? "";
}

// src/store/sqlite/sqlite-store.ts
init_claim_room();
init_conclusion();
init_events();
init_watch();

// src/store/sqlite/claims.ts
init_clock();
init_claim_room();
init_conclusion();
function prepareClaims(database, limits) {
  const find = database.prepare("SELECT fingerprint, conclusion FROM claims WHERE name = ? AND created_at > ?");
  const keep = database.prepare("INSERT OR REPLACE INTO claims (name, fingerprint, conclusion, created_at, line) VALUES (?, ?, ?, ?, ?)");
  const counter = prepareClaimCounter(database);
  const room = new ClaimRoom(limits, sharers);
  return (claim, work) => {
    try {
      const kept = find.get(claim.name, claim.at - claimLifetimeMs);
      if (kept)
        return recall(kept, claim);
      room.take(claim, counter);
    } catch (error) {
      return asRefusal(error);
    }
    const conclusion = work();
    if (isKept(conclusion))
      keep.run(claim.name, claim.fingerprint, textOf(conclusion), claim.at, lineIdOf(claim));
    return conclusion;
  };
}
var sharers = 1;
function prepareClaimWrites(database) {
  const forget = database.prepare(`DELETE FROM claims WHERE name IN (
       SELECT name FROM claims INDEXED BY claims_by_age WHERE created_at <= ? ORDER BY created_at LIMIT ? + 0
     )`);
  const redate = database.prepare(`UPDATE claims SET created_at = ?1 WHERE name IN (
       SELECT name FROM claims INDEXED BY claims_by_age WHERE created_at > ?2 ORDER BY created_at LIMIT ?3 + 0
     )`);
  return {
    forgetClaims(now) {
      const forgotten = forget.run(now - claimLifetimeMs, tidyingStep).changes;
      const redated = redate.run(now, now + farthestAheadMs, tidyingStep).changes;
      return forgotten === tidyingStep || redated === tidyingStep;
    }
  };
}
function claimCounts(database) {
  const lastOfStep = database.prepare(`SELECT max(created_at) AS at FROM (
       SELECT created_at FROM claims INDEXED BY claims_by_age WHERE created_at > ? ORDER BY created_at LIMIT ${countingStep}
     )`);
  const countStep = database.prepare(`SELECT count(*) AS count, coalesce(sum(created_at <= ?3), 0) AS expired
     FROM claims INDEXED BY claims_by_age WHERE created_at > ?1 AND created_at <= ?2`);
  const step = (after, expiredAt) => {
    const last = lastOfStep.get(after)?.at ?? undefined;
    const counted = last === undefined ? undefined : countStep.get(after, last, expiredAt);
    return { last, count: counted?.count ?? 0, expired: counted?.expired ?? 0 };
  };
  return async (expiredAt, inTurn) => {
    let [all, allExpired] = [0, 0];
    for (let after = Number.MIN_SAFE_INTEGER;after !== undefined; ) {
      const from = after;
      const { last, count, expired } = await inTurn(() => step(from, expiredAt));
      all += count;
      allExpired += expired;
      after = last;
    }
    return { kept: all - allExpired, expired: allExpired };
  };
}
var countingStep = 5000;
function prepareClaimCounter(database) {
  const count = (kept) => `SELECT count(*) AS count FROM (SELECT 1 FROM claims ${kept} LIMIT ? + 0)`;
  const oldest = (kept) => `SELECT created_at AS madeAt FROM claims ${kept} ORDER BY created_at LIMIT 1 OFFSET ? + 0`;
  const all = "INDEXED BY claims_by_age WHERE created_at > ?";
  const ofLine = "INDEXED BY claims_by_line WHERE line = ? AND created_at > ?";
  const countAll = database.prepare(count(all));
  const countLine = database.prepare(count(ofLine));
  const oldestOfAll = database.prepare(oldest(all));
  const oldestOfLine = database.prepare(oldest(ofLine));
  return {
    count: (line, after, limit) => (line === undefined ? countAll.get(after, limit) : countLine.get(line, after, limit))?.count ?? 0,
    oldest: (line, after, but) => (line === undefined ? oldestOfAll.get(after, but) : oldestOfLine.get(line, after, but))?.madeAt
  };
}

// src/store/sqlite/connect.ts
import { Database as Database4 } from "bun:sqlite";
function connectWriter(path) {
  const database = new Database4(path, { create: true, readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA fullfsync = ON");
  return database;
}
function connectReader(path) {
  const database = new Database4(path, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 100");
  database.run("PRAGMA query_only = ON");
  return database;
}

// src/store/sqlite/damage.ts
class Damage {
  #error;
  note(failure) {
    if (this.#error || !isDamage(failure))
      return;
    this.#error = toWriteError(failure);
    return String(this.#error.cause);
  }
  refuse() {
    if (this.#error)
      throw this.#error;
  }
}

// src/store/sqlite/events.ts
init_event();
init_conclusion();

// src/store/sqlite/inserts.ts
function insertsOf(database, table, columns) {
  const statements = new Map;
  const row = `(${columns.map(() => "?").join(", ")})`;
  const insert = (rows) => {
    let statement = statements.get(rows);
    if (!statement) {
      const all = Array.from({ length: rows }, () => row).join(", ");
      statement = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${all}`);
      statements.set(rows, statement);
    }
    return statement;
  };
  return (values) => {
    const count = values.length / columns.length;
    let lastId = 0;
    for (let done = 0, rows = mostRows;done < count; done += rows) {
      while (rows > count - done)
        rows /= 2;
      const some = values.slice(done * columns.length, (done + rows) * columns.length);
      lastId = Number(insert(rows).run(...some).lastInsertRowid);
    }
    return lastId;
  };
}
var mostRows = 256;

// src/store/sqlite/events.ts
function prepareAppend(database) {
  const insert = insertsOf(database, "events", ["id", "type", "subject", "at", "body"]);
  return (entries) => {
    const values = [];
    for (const { change, id, origin } of entries) {
      const eventId = newEventId();
      const body = bodyOf(partsOf(eventId, change, origin), id);
      values.push(eventId, change.type, `${change.kind}/${id}`, origin.at, body);
    }
    insert(values);
  };
}
function prepareEventWrites(database) {
  const forget = database.prepare(`WITH oldest AS (
       SELECT position, at FROM events WHERE position > 0 AND position < (SELECT max(position) FROM events)
       ORDER BY position LIMIT ${tidyingStep}
     )
     DELETE FROM events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= ?1), ${Number.MAX_SAFE_INTEGER})
     )`);
  return {
    forgetEvents: (before) => forget.run(before).changes === tidyingStep
  };
}

class EventReader {
  #all;
  #ofType;
  #ofSubject;
  #ofSubjectAndTypes;
  #idAt;
  #oldest;
  #newest;
  constructor(database) {
    const columns = "position, id, type, subject, body";
    const rest = "ORDER BY position LIMIT ? + 0";
    this.#all = database.prepare(`SELECT ${columns} FROM events WHERE position > ? ${rest}`);
    this.#ofType = database.prepare(`SELECT ${columns} FROM events INDEXED BY events_by_type WHERE type = ? AND position > ? ${rest}`);
    const ofSubject = `SELECT ${columns} FROM events INDEXED BY events_by_subject WHERE subject = ? AND position > ?`;
    this.#ofSubject = database.prepare(`${ofSubject} ${rest}`);
    this.#ofSubjectAndTypes = database.prepare(`${ofSubject} AND type IN (SELECT value FROM json_each(?)) ${rest}`);
    this.#idAt = database.prepare("SELECT id FROM events WHERE position = ? AND position > 0");
    this.#oldest = database.prepare("SELECT position, id FROM events WHERE position > 0 ORDER BY position LIMIT 1");
    this.#newest = database.prepare("SELECT position, id FROM events WHERE position > 0 ORDER BY position DESC LIMIT 1");
  }
  read(filter, after, limit) {
    return { events: this.#read(filter, after, limit), end: this.#newest.get() ?? undefined };
  }
  #read({ types, subject }, after, limit) {
    if (subject === undefined) {
      if (!types)
        return this.#all.all(after, limit);
      return mergeByPosition(types.map((type) => this.#ofType.all(type, after, limit)), limit);
    }
    if (!types)
      return this.#ofSubject.all(subject, after, limit);
    return this.#ofSubjectAndTypes.all(subject, after, JSON.stringify(types), limit);
  }
  idAt(position) {
    return this.#idAt.get(position)?.id;
  }
  ends() {
    const oldest = this.#oldest.get();
    const newest = this.#newest.get();
    return oldest && newest ? { oldest, newest } : undefined;
  }
}
function mergeByPosition(lists, limit) {
  const [only] = lists;
  if (only && lists.length === 1)
    return only;
  return lists.flat().sort((one, other) => one.position - other.position).slice(0, limit);
}

// src/store/sqlite/export.ts
async function exportPets(path, { begin, take }) {
  using database = connectReader(path);
  database.run("BEGIN");
  const pets = petReader(database);
  begin(new EventReader(database).ends()?.newest);
  for (let after = 0;; ) {
    const { items, next } = pets.list([], { limit: lot, after });
    await take(items);
    if (next === undefined)
      return;
    after = Number(next);
  }
}
var lot = 1000;

// src/store/sqlite/file/create.ts
import { chmodSync as chmodSync2, closeSync as closeSync5, constants as constants3, fchmodSync as fchmodSync2, mkdirSync, openSync as openSync5, statSync as statSync7 } from "fs";
import { dirname as dirname7 } from "path";
function createFile(path) {
  mkdirSync(dirname7(path), { recursive: true, mode: 448 });
  const file = openSync5(path, constants3.O_RDWR | constants3.O_CREAT, ownerOnly2);
  fchmodSync2(file, ownerOnly2);
  closeSync5(file);
}
var ownerOnly2 = 384;
function tighten(path) {
  for (const file of [path, logOf(path), logIndexOf(path), journalOf(path)]) {
    const mode = statSync7(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 63) !== 0)
      tryToTighten(file);
  }
}
function tryToTighten(file) {
  try {
    chmodSync2(file, ownerOnly2);
  } catch (error) {
    if (!["EPERM", "ENOENT"].includes(error.code ?? ""))
      throw error;
  }
}

// src/store/sqlite/freshness.ts
class SqliteFreshness {
  #dataVersion;
  #updates;
  #moment;
  #isCurrent = false;
  constructor(database) {
    this.#dataVersion = database.prepare("PRAGMA data_version");
    this.#updates = database.prepare("SELECT count FROM updates");
  }
  now() {
    if (this.#moment && this.#isCurrent)
      return this.#moment;
    const version = this.#dataVersion.get()?.data_version ?? 0;
    if (version !== this.#moment?.version)
      this.#moment = { version, epoch: this.#updates.get()?.count ?? 0 };
    this.#isCurrent = true;
    return this.#moment;
  }
  forget() {
    this.#isCurrent = false;
  }
}

// src/store/sqlite/read-turn.ts
class ReadTurn {
  #database;
  #begin;
  #commit;
  #onEnd;
  #isOpen = false;
  constructor(database, onEnd) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
    this.#onEnd = onEnd;
  }
  enter() {
    if (this.#isOpen)
      return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.end);
  }
  end = () => {
    if (!this.#isOpen)
      return;
    this.#isOpen = false;
    this.#onEnd();
    try {
      if (this.#database.inTransaction)
        this.#commit.run();
    } catch {
      if (this.#database.inTransaction)
        this.#database.run("ROLLBACK");
    }
  };
}

// src/store/sqlite/webhooks.ts
init_event();
init_webhook();
class WebhookReader extends PageReader {
  #secrets;
  #anyEnabled;
  #parked;
  #deliveries;
  #delivery;
  constructor(database) {
    super(database, "webhooks", webhookColumns);
    this.#secrets = database.prepare(`SELECT ${secretColumns} FROM webhooks WHERE id = ?`);
    this.#anyEnabled = database.prepare("SELECT 1 FROM webhooks WHERE status = 'enabled' LIMIT 1");
    this.#parked = database.prepare(`SELECT ${parkedColumns.select} FROM webhook_parked WHERE webhook = ? ORDER BY position`);
    const delivery = `SELECT ${deliveryColumns.select} FROM webhook_deliveries`;
    this.#deliveries = database.prepare(`${delivery} WHERE webhook = ? ORDER BY id DESC LIMIT ? + 0`);
    this.#delivery = database.prepare(`${delivery} WHERE id = ?`);
  }
  secrets(id) {
    return this.#secrets.get(id) ?? undefined;
  }
  hasEnabled() {
    return this.#anyEnabled.get() !== null;
  }
  parked(id) {
    return this.#parked.all(id);
  }
  deliveries(id, limit) {
    return this.#deliveries.all(id, limit);
  }
  delivery(id) {
    return this.#delivery.get(id) ?? undefined;
  }
}
function prepareWebhookWrites(database) {
  const webhooks = new WebhookReader(database);
  const insert = database.prepare(`INSERT INTO webhooks
       (url, types, description, status, secret, position, event_id, revision, lease_until, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'enabled', ?4, ?5, ?6, 1, 0, ?7, ?7) RETURNING ${webhookColumns}`);
  const update = database.prepare(`UPDATE webhooks SET url = ?2, types = ?3, description = ?4, status = ?5, disabled_reason = ?6, failing_since = ?7,
       updated_at = ?8, revision = revision + 1 WHERE id = ?1`);
  const remove = database.prepare("DELETE FROM webhooks WHERE id = ?");
  const removeParked = database.prepare("DELETE FROM webhook_parked WHERE webhook = ?");
  const removeDeliveries = database.prepare("DELETE FROM webhook_deliveries WHERE webhook = ?");
  const rotate = database.prepare(`UPDATE webhooks SET previous_secret = secret, secret = ?2, retires_at = ?3, updated_at = ?4, revision = revision + 1
     WHERE id = ?1 RETURNING ${webhookColumns}`);
  const move = database.prepare(`UPDATE webhooks SET position = ?2, event_id = ?3, updated_at = ?4, revision = revision + 1 WHERE id = ?1
     RETURNING ${webhookColumns}`);
  const touch = database.prepare("UPDATE webhooks SET revision = revision + 1 WHERE id = ?");
  const park = database.prepare(`INSERT INTO webhook_parked (webhook, ${parkedColumns.names}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (webhook, position) DO UPDATE SET attempts = excluded.attempts, next_at = excluded.next_at`);
  const hurry = database.prepare(`INSERT INTO webhook_parked (webhook, ${parkedColumns.names}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (webhook, position) DO UPDATE SET next_at = min(next_at, excluded.next_at)`);
  const unpark = database.prepare("DELETE FROM webhook_parked WHERE webhook = ? AND position = ?");
  const addDelivery = database.prepare(`INSERT INTO webhook_deliveries (webhook, ${deliveryColumns.names}) VALUES (?${", ?".repeat(deliveryColumns.count)})
     RETURNING ${deliveryColumns.select}`);
  const endDelivery = database.prepare(`UPDATE webhook_deliveries SET outcome = ?2, status = ?3, error = ?4, duration_ms = ?5 WHERE id = ?1
     RETURNING ${deliveryColumns.select}`);
  const forgetDeliveries = database.prepare(`DELETE FROM webhook_deliveries WHERE webhook = ?1 AND id <= (
       SELECT id FROM webhook_deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${mostDeliveries}
     )`);
  const renew = database.prepare(`UPDATE webhooks SET lease_until = ?2 WHERE lease_owner = ?1 AND status = 'enabled' AND ${notOthers("?3")}`);
  const take = database.prepare(`UPDATE webhooks SET lease_owner = ?1, lease_until = ?3 WHERE id IN (
       SELECT id FROM webhooks
       WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN ?2 AND ?2 + ${longestLeaseMs})
         AND ${notOthers("?4")}
       ORDER BY lease_until, id LIMIT ${mostNewLeases}
     )`);
  const leased = database.prepare(`SELECT ${leasedColumns} FROM webhooks WHERE lease_owner = ?1 AND status = 'enabled' AND ${notOthers("?2")} ORDER BY id`);
  const release = database.prepare("UPDATE webhooks SET lease_owner = NULL, lease_until = 0 WHERE lease_owner = ?");
  const ours = database.prepare(`SELECT ${leasedColumns} FROM webhooks WHERE id = ? AND lease_owner = ? AND revision = ? AND status = 'enabled'`);
  const progress = database.prepare("UPDATE webhooks SET position = ?2, event_id = ?3, failing_since = ?4 WHERE id = ?1");
  const save = (webhook) => {
    const { id, url, types, description, status, disabledReason, failingSince, updatedAt } = webhook;
    update.run(id, url, types, description, status, disabledReason, failingSince, updatedAt);
  };
  const add = (webhook, delivery) => {
    const added = addDelivery.get(webhook, ...deliveryValues(delivery));
    if (!added)
      throw new Error("An insert returned no delivery.");
    forgetDeliveries.run(webhook);
    return added;
  };
  return {
    createWebhook({ webhook, secret, after }) {
      const { url, types, description, createdAt } = webhook;
      const created = insert.get(url, types, description, secret.sealed, after?.position ?? 0, after?.id ?? "", createdAt);
      if (!created)
        throw new Error("An insert returned no webhook.");
      return { ...created, sealedForMaker: secret.sealedForMaker };
    },
    updateWebhook({ id, changes, at, expected }, log) {
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      const changed = changedWebhook(webhook, changes, at);
      save(changed);
      log(webhookDisabled(webhook, changed));
      return changed;
    },
    deleteWebhook({ id, expected }) {
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      for (const statement of [remove, removeParked, removeDeliveries])
        statement.run(webhook.id);
    },
    rotateWebhook({ id, rotation, secret, expected }) {
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      const rotated = rotate.get(webhook.id, secret.sealed, rotation.retiresAt, rotation.at);
      return { ...requireWebhook(rotated ?? undefined, id), sealedForMaker: secret.sealedForMaker };
    },
    replayWebhook({ id, after, at }) {
      const webhook = requireWebhook(webhooks.get(id), id);
      removeParked.run(webhook.id);
      return requireWebhook(move.get(webhook.id, after?.position ?? 0, after?.id ?? "", at) ?? undefined, id);
    },
    retryDelivery({ id, deliveryId, at }) {
      const webhook = requireWebhook(webhooks.get(id), id);
      const found = webhooks.delivery(deliveryId);
      const delivery = found?.webhook === webhook.id ? found : undefined;
      const position = positionToRetry(delivery, deliveryId);
      hurry.run(webhook.id, position, delivery?.subject ?? "", 0, at);
      touch.run(webhook.id);
      return { ...delivery, nextAt: at };
    },
    beginDelivery({ id, delivery }) {
      return add(requireWebhook(webhooks.get(id), id).id, delivery);
    },
    endDelivery({ id, delivery }) {
      const { outcome, status, error, durationMs } = delivery;
      return endDelivery.get(id, outcome, status, error, durationMs) ?? undefined;
    },
    leaseWebhooks({ owner, now, until, others }) {
      const ids = JSON.stringify(others);
      renew.run(owner, until, ids);
      take.run(owner, now, until, ids);
      return leased.all(owner, ids);
    },
    releaseWebhooks: (owner) => void release.run(owner),
    recordProgress({ lease, progress: news }, log) {
      const webhook = ours.get(lease.id, lease.owner, lease.revision);
      if (!webhook)
        return false;
      const { position, id: eventId } = news.reached ?? { position: webhook.position, id: webhook.eventId };
      progress.run(lease.id, position, eventId, news.failingSince);
      for (const parked of news.parked)
        park.run(lease.id, ...parkedValues(parked));
      for (const done of news.unparked)
        unpark.run(lease.id, done);
      for (const delivery of news.deliveries)
        add(lease.id, delivery);
      if (news.disabled) {
        const before = { ...webhook, failingSince: news.failingSince };
        const disabled = disabledWebhook(before, news.disabled.reason, news.disabled.at);
        save(disabled);
        log(webhookDisabled(before, disabled));
      }
      return true;
    }
  };
}
function notOthers(ids) {
  return `id NOT IN (SELECT value FROM json_each(${ids}))`;
}
var webhookColumns = "id, url, types, description, status, disabled_reason AS disabledReason, failing_since AS failingSince, retires_at AS retiresAt, created_at AS createdAt, updated_at AS updatedAt";
var secretColumns = "secret, previous_secret AS previousSecret";
var leasedColumns = `${webhookColumns}, ${secretColumns}, position, event_id AS eventId, revision`;
var parkedColumns = {
  names: "position, subject, attempts, next_at",
  select: "position, subject, attempts, next_at AS nextAt"
};
function parkedValues({ position, subject, attempts, nextAt }) {
  return [position, subject, attempts, nextAt];
}
var deliveryColumns = {
  names: "position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at",
  select: "id, webhook, position, event_id AS eventId, type, subject, attempt, at, outcome, status, error, duration_ms AS durationMs, next_at AS nextAt",
  count: 11
};
function deliveryValues(delivery) {
  const { position, eventId, type, subject, attempt, at, outcome, status, error, durationMs, nextAt } = delivery;
  return [position, eventId, type, subject, attempt, at, outcome, status, error, durationMs, nextAt];
}

// src/store/sqlite/writer.ts
init_deadline();
init_errors();
init_event();
init_conclusion();
init_watch();
init_write_queue();

// src/store/sqlite/additions.ts
init_event();
function additionOf({ name, categoryId, status }, { actor, request, at }) {
  return [name, categoryId, status, actor.id, actor.name, request, at];
}
function separate(write) {
  if (!("additions" in write))
    return [write];
  const all = [];
  for (let index = 0;index < write.additions.length; index += fields) {
    all.push({ additions: write.additions.slice(index, index + fields) });
  }
  return all;
}
function prepareAdditions(database) {
  const insert = insertsOf(database, "pets", ["name", "category_id", "status"]);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fields;
    const values = [];
    const entries = [];
    for (let start = 0;start < additions.length; start += fields) {
      const addition = additions.slice(start, start + fields);
      const [name, categoryId, status, actorId, actorName, request, at] = addition;
      values.push(name, categoryId, status);
      const origin = { actor: { id: actorId, name: actorName }, request, at };
      entries.push({ change: petCreated({ name, categoryId, status }), id: 0, origin });
    }
    const firstId = insert(values) - count + 1;
    for (let index = 0;index < count; index++)
      entries[index].id = firstId + index;
    append(entries);
    return { firstId, count };
  };
}
var fields = 7;

// src/store/sqlite/packing.ts
function pack(batch) {
  const packed = [];
  let additions;
  for (const write of batch) {
    if (write.name !== "createPet" || write.claim) {
      packed.push(write);
      additions = undefined;
      continue;
    }
    if (!additions) {
      additions = [];
      packed.push({ additions });
    }
    additions.push(...additionOf(write.argument, write.origin));
  }
  return packed;
}
function unpack(batch, answers) {
  const unpacked = [];
  for (const answer of answers) {
    if (!("firstId" in answer)) {
      unpacked.push(answer);
      continue;
    }
    for (let index = 0;index < answer.count; index++) {
      const { name, categoryId, status } = batch[unpacked.length].argument;
      const result = { id: answer.firstId + index, name, categoryId, status };
      unpacked.push({ result });
    }
  }
  return unpacked;
}

// src/store/sqlite/writer.ts
class Writer {
  #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  #queue;
  #asked = [];
  #damage;
  #listener;
  #watch;
  #state = "opening";
  #death;
  #check;
  constructor(damage, attribution, listener, watch) {
    this.#damage = damage;
    this.#listener = listener;
    this.#watch = watch;
    this.#queue = new WriteQueue((batch) => this.#commit(batch), attribution, new WriteMetrics(watch.metrics));
    watch.metrics.watch("gauge", "write_queue_depth", "Writes that wait for their turn.", () => this.#queue.depth);
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#die(message);
    this.#worker.addEventListener("close", () => this.#die("the thread that writes has ended"));
  }
  static async open(path, claimLimits, damage, attribution, listener, watch) {
    const writer = new Writer(damage, attribution, listener, watch);
    try {
      await writer.#ask({ open: path, claimLimits });
    } catch (error) {
      writer.#worker.terminate();
      throw error;
    }
    writer.#state = "open";
    return writer;
  }
  async write(name, argument, origin, claim) {
    this.#damage.refuse();
    const sent = claim && { name: claim.name, fingerprint: claim.fingerprint, line: claim.line, at: claim.at };
    const conclusion = await this.#queue.add({ name, argument, origin: origin ?? byOperator(), claim: sent });
    if (conclusion.isReplay)
      claim?.onReplay();
    return resultOf(conclusion);
  }
  ready() {
    const [oldest] = this.#asked;
    if (oldest && performance.now() - oldest.since > longestSilenceMs)
      throw silent();
    if (oldest && !this.#check)
      return;
    return mapAwaitable(withDeadline(longestSilenceMs, this.#sharedCheck(), silent), () => {});
  }
  async areFilesThere() {
    await this.#sharedCheck().catch(() => {});
    return this.#death === undefined;
  }
  async close() {
    await this.#queue.drain();
    this.#state = "closing";
    await this.#ask({ close: true }).catch(() => {});
    if (this.#death === undefined)
      this.#worker.terminate();
  }
  async#commit(batch) {
    const askedAt = performance.now();
    const answers = await this.#ask({ writes: pack(batch) }).finally(() => {
      const names = () => [...new Set(batch.map(({ name }) => name))].join(", ");
      noteIfSlow(this.#watch, names, performance.now() - askedAt, { writes: batch.length });
    });
    return unpack(batch, answers).map((answer) => {
      if (!("failure" in answer))
        return { result: answer };
      this.#listener.onFailure(answer.failure);
      return { error: toWriteError(answer.failure) };
    });
  }
  #sharedCheck() {
    this.#check ??= this.#ask({ check: true }).finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }
  #ask(message) {
    if (this.#death !== undefined) {
      return Promise.reject(new ServiceError("ServiceUnavailable", cannotWriteText, this.#death));
    }
    return new Promise((resolve, reject) => {
      this.#asked.push({ since: performance.now(), resolve, reject });
      this.#worker.postMessage(message);
    });
  }
  #receive(data) {
    if ("fault" in data)
      this.#die(data.fault);
    else if ("failure" in data)
      this.#asked.shift()?.reject(new ReportedFailure(data.failure));
    else {
      if (data.answers.length > 0)
        this.#listener.onCommit();
      this.#asked.shift()?.resolve(data.answers);
    }
  }
  #die(reason) {
    if (this.#death !== undefined)
      return;
    this.#death = reason;
    for (const { reject } of this.#asked.splice(0)) {
      reject(new ServiceError("ServiceUnavailable", unknownOutcomeText, reason));
    }
    if (this.#state === "open")
      this.#listener.onDeath(reason);
  }
}
var longestSilenceMs = 7000;
function byOperator() {
  return { actor: operator, request: null, at: Date.now() };
}
function silent() {
  return new ServiceError("ServiceUnavailable", "The store is not responding.", "the thread that writes does not answer");
}

// src/store/sqlite/sqlite-store.ts
async function openSqliteStore(path, {
  mustExist = false,
  onDeath,
  claimLimits = usualClaimLimits,
  eventRetentionMs = usualEventRetentionMs,
  ...options
}) {
  const watch = watchOf(options);
  const attribution = { request: undefined };
  const reader = openReader(path, mustExist);
  try {
    const freshness = new SqliteFreshness(reader);
    const turn = new ReadTurn(reader, () => freshness.forget());
    const damage = new Damage;
    const onFailure = async (failure) => {
      if (!isFaultOfFile(failure))
        return;
      const news = damage.note(failure);
      if (await writer.areFilesThere() && news !== undefined)
        watch.note("error", `the database is damaged: ${news}`, {});
    };
    const events = new EventReader(reader);
    const eventWatch = new EventWatch(() => {
      turn.enter();
      return events.ends()?.newest.position ?? 0;
    }, lookEveryMs3);
    const onCommit = () => {
      turn.end();
      eventWatch.look();
    };
    const listener = { onDeath, onCommit, onFailure };
    const writer = await Writer.open(path, claimLimits, damage, attribution, listener, watch);
    watchFiles(path, watch);
    const tidying = { eventRetentionMs };
    return storeOf(reader, turn, freshness, writer, damage, onFailure, attribution, watch, events, eventWatch, tidying);
  } catch (error) {
    reader.close();
    throw explainOpenError(path, error);
  }
}
function watchFiles(path, { metrics }) {
  metrics.watch("gauge", "sqlite_file_bytes", "Size of the database's files.", () => [
    [{ file: "database" }, sizeOf(path)],
    [{ file: "wal" }, sizeOf(logOf(path))]
  ]);
}
function storeOf(reader, turn, freshness, writer, damage, onFailure, attribution, watch, events, eventWatch, { eventRetentionMs }) {
  const pets = petReader(reader);
  const orders = orderReader(reader);
  const categories = categoryReader(reader);
  const keys = new KeyReader(reader);
  const inventory = inventoryReader(reader);
  const transfer = new TransferReader(reader);
  const webhooks = new WebhookReader(reader);
  const inTurn = (read) => {
    try {
      turn.enter();
      return read();
    } catch (error) {
      const failure = toFailure(error);
      onFailure(failure);
      throw toReadError(failure);
    }
  };
  const reading = (name, read) => {
    const startedAt = performance.now();
    const result = inTurn(read);
    const elapsedMs = performance.now() - startedAt;
    if (attribution.request)
      attribution.request.storeMs += elapsedMs;
    noteIfSlow(watch, name, elapsedMs);
    return result;
  };
  const countClaims = claimCounts(reader);
  watchClaims(watch.metrics, () => countClaims(Date.now() - claimLifetimeMs, async (count) => {
    await new Promise(setImmediate);
    return inTurn(count);
  }));
  const storeFor = (write, origin) => ({
    pets: {
      list: (filter, page) => reading("pets.list", () => pets.list(petConditions(filter), page)),
      get: (id) => reading("pets.get", () => pets.get(id)),
      create: (pet) => write("createPet", pet),
      update: (id, changes, expected) => write("updatePet", { id, changes, expected }),
      delete: (id, expected) => write("deletePet", { id, expected })
    },
    orders: {
      list: (filter, page) => reading("orders.list", () => orders.list(orderConditions(filter), page)),
      get: (id) => reading("orders.get", () => orders.get(id)),
      place: (petId, at) => write("placeOrder", { petId, at }),
      close: (id, status, at, expected) => write("closeOrder", { id, status, at, expected })
    },
    categories: {
      list: (page) => reading("categories.list", () => categories.list([], page)),
      get: (id) => reading("categories.get", () => categories.get(id)),
      put: (category, expected) => write("putCategory", { category, expected }),
      delete: (id, expected) => write("deleteCategory", { id, expected })
    },
    keys: {
      list: (page) => reading("keys.list", () => keys.list([], page)),
      get: (id) => reading("keys.get", () => keys.get(id)),
      find: (hash) => reading("keys.find", () => keys.find(hash)),
      create: (key, secret, maker) => write("createKey", { key, secret, maker }),
      createFirst: (key, secret) => write("createFirstKey", { key, secret }),
      rotate: (id, rotation, secret, expected) => write("rotateKey", { id, rotation, secret, expected }),
      revoke: (id, at, keepLastAdmin, expected) => write("revokeKey", { id, at, keepLastAdmin, expected }),
      recordUse: (uses) => write("recordKeyUse", uses)
    },
    webhooks: {
      list: (page) => reading("webhooks.list", () => webhooks.list([], page)),
      get: (id) => reading("webhooks.get", () => webhooks.get(id)),
      create: (webhook, secret, after) => write("createWebhook", { webhook, secret, after }),
      update: (id, changes, at, expected) => write("updateWebhook", { id, changes, at, expected }),
      delete: (id, expected) => write("deleteWebhook", { id, expected }),
      rotate: (id, rotation, secret, expected) => write("rotateWebhook", { id, rotation, secret, expected }),
      replay: (id, after, at) => write("replayWebhook", { id, after, at }),
      retry: (id, deliveryId, at) => write("retryDelivery", { id, deliveryId, at }),
      deliveries: (id, limit) => reading("webhooks.deliveries", () => webhooks.deliveries(id, limit)),
      delivery: (id) => reading("webhooks.delivery", () => webhooks.delivery(id)),
      beginDelivery: (id, delivery) => write("beginDelivery", { id, delivery }),
      endDelivery: (id, delivery) => write("endDelivery", { id, delivery }),
      secrets: (id) => reading("webhooks.secrets", () => webhooks.secrets(id)),
      async lease(owner, now, until, others) {
        if (!reading("webhooks.hasEnabled", () => webhooks.hasEnabled()))
          return [];
        return await write("leaseWebhooks", { owner, now, until, others });
      },
      release: (owner) => write("releaseWebhooks", owner),
      parked: (id) => reading("webhooks.parked", () => webhooks.parked(id)),
      record: (lease, progress) => write("recordProgress", { lease, progress })
    },
    transfer: {
      count: (table) => reading("transfer.count", () => transfer.count(table)),
      read: (table, after, limit) => reading("transfer.read", () => transfer.read(table, after, limit)),
      write: (table, rows) => write("writeRows", { table, rows }),
      lastIds: () => reading("transfer.lastIds", () => transfer.lastIds()),
      reserveIds: (last) => write("reserveIds", last)
    },
    clock: Date.now,
    attribution,
    inventory: () => reading("inventory", inventory),
    freshness: { now: () => inTurn(() => freshness.now()) },
    events: {
      read: (filter, after, limit) => reading("events.read", () => events.read(filter, after, limit)),
      idAt: (position) => reading("events.idAt", () => events.idAt(position)),
      ends: () => reading("events.ends", () => events.ends()),
      watch: (onMore) => eventWatch.add(onMore)
    },
    export: (visitor) => exportPets(reader.filename, visitor),
    by: (whose) => storeFor((name, argument) => writer.write(name, argument, whose), whose),
    once: (claim) => storeFor(forOneWrite((name, argument) => writer.write(name, argument, origin, claim)), origin),
    async tidy(now) {
      while (await writer.write("forgetClaims", now))
        ;
      while (await writer.write("forgetEvents", now - eventRetentionMs))
        ;
    },
    ready(kind) {
      if (kind === "reads")
        return void inTurn(() => reader.query("SELECT 1 FROM pets LIMIT 1").get());
      damage.refuse();
      return writer.ready();
    },
    async close() {
      eventWatch.close();
      turn.end();
      reader.close(true);
      await writer.close();
    }
  });
  return storeFor((name, argument) => writer.write(name, argument));
}
var lookEveryMs3 = 1000;
function planSqliteMigration(path) {
  try {
    requireWritable(path);
    const { version } = examineVersion(path);
    const pending = pendingMigrations(version).map((name) => ({ name, isOnline: false }));
    return { pending, isNewer: version > newestVersion, grants: [] };
  } catch (error) {
    throw explainOpenError(path, error);
  }
}
function openReader(path, mustExist) {
  const end = performance.now() + longestLockMs;
  for (;; ) {
    try {
      requireWritable(path);
      if (examineFile(path) === "nothing") {
        if (mustExist)
          throw noStore(path);
        createFile(path);
      }
      tighten(path);
      prepareFile(path);
      return connectReader(path);
    } catch (error) {
      if (!isPassing(toFailure(error)) || performance.now() > end)
        throw explainOpenError(path, error);
    }
    Bun.sleepSync(20);
  }
}
var longestLockMs = 5000;
function prepareFile(path) {
  const database = connectWriter(path);
  try {
    if (schemaVersion(database).version < newestVersion)
      migrate(database);
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close(true);
  }
}

// src/store/open-store.ts
function openStore(address, options) {
  return open(address, { ...options, mustExist: false });
}
function openExistingStore(address, options) {
  return open(address, { ...options, mustExist: true });
}
async function planMigration(address) {
  if (address.kind === "sqlite")
    return planSqliteMigration(address.path);
  await Promise.resolve().then(() => init_prepare());
  return await planPostgresMigration(address);
}
async function inspectStore(address) {
  if (address.kind === "sqlite")
    return inspectSqlite(address.path);
  await Promise.resolve().then(() => init_inspect());
  return await inspectPostgres(address);
}
async function checkStore(address, options) {
  if (address.kind === "sqlite")
    return await checkSqlite(address.path, options);
  await Promise.resolve().then(() => init_check2());
  return await checkPostgres(address, options);
}
async function open(address, options) {
  if (address.kind === "sqlite")
    return await openSqliteStore(address.path, options);
  await Promise.resolve().then(() => init_postgres_store());
  return await openPostgresStore(address, options);
}

// src/cli/check.ts
var settings2 = {
  database: databaseSetting,
  replays: switchSetting("replay", "Also make the store from its events, and compare that with what is there.")
};
var checkCommand = {
  name: "check",
  usage: "check [settings]",
  summary: "Check the database for damage and inconsistencies, even while the service is running.",
  settings: settings2,
  async run(args) {
    const { database, replays } = readSettings(settings2, args);
    const findings = await checkStore(database, { replays });
    for (const { rule, problem, skipped } of findings) {
      if (problem !== undefined)
        console.log(`WRONG    ${rule}: ${problem}`);
      else
        console.log(skipped === undefined ? `ok       ${rule}` : `skipped  ${rule}: ${skipped}`);
    }
    return findings.some(({ problem }) => problem !== undefined) ? exitCodes.failure : exitCodes.success;
  }
};

// src/cli/copy.ts
init_json();
import { createHash } from "crypto";
import { existsSync as existsSync4, realpathSync as realpathSync3 } from "fs";
init_store();
init_tables();

// src/cli/open-for-command.ts
init_deadline();
async function openForCommand(open, address, options = {}) {
  const store = await open(address, {
    ...options,
    poolSize: 1,
    onDeath(reason) {
      complain(`The database can no longer be written to: ${reason}.`);
      process.exit(exitCodes.failure);
    }
  });
  return {
    store,
    async[Symbol.asyncDispose]() {
      const late = () => new Error("The database did not close in time.");
      await withDeadline(longestCloseMs, store.close(), late).catch(({ message }) => complain(message));
    }
  };
}
var longestCloseMs = 1e4;
function complain(problem) {
  console.error(`animal-store: ${problem}`);
}

// src/cli/copy.ts
var settings3 = {
  from: databaseFlag("from", "The database to copy from. Stop the service that writes to it first."),
  to: databaseFlag("to", "The database to copy to: a new one, or one left behind by an interrupted copy.")
};
var copyCommand = {
  name: "copy",
  usage: "copy --from URL --to URL",
  summary: "Copy everything from one database to another, keeping all ids.",
  settings: settings3,
  async run(args) {
    const { from, to } = readSettings(settings3, args);
    if (!from || !to)
      throw new SettingsError(["--from and --to are required: the databases to copy from and to."]);
    if (isSame3(from, to))
      throw new SettingsError(["--from and --to name the same database."]);
    await using source = await openForCommand(openExistingStore, from, { limitMilliseconds });
    await using target = await openForCommand(openStore, to, { limitMilliseconds });
    await requireKnown(from, "from");
    await requireKnown(to, "to");
    if (await holdsOthers(target.store, source.store)) {
      console.error("The target database has data that the source does not have. Nothing was changed; choose a new one.");
      return exitCodes.failure;
    }
    await copy(source.store, target.store);
    return await verify(source.store, target.store);
  }
};
async function requireKnown(address, flag) {
  if (!(await planMigration(address)).isNewer)
    return;
  throw new StoreOpenError(`The schema of the database at --${flag} is newer than this program. Copy it with the newer version.`);
}
var limitMilliseconds = 600000;
async function copy(source, target) {
  const bar = new ProgressBar("Copying ", await countAll(source));
  let done = 0;
  for (const table of tables) {
    for await (const rows of pagesOf(source, table)) {
      await target.transfer.write(table, rows);
      done += rows.length;
      bar.show(done);
    }
  }
  await target.transfer.reserveIds(await source.transfer.lastIds());
}
async function verify(source, target) {
  const total = await countAll(source);
  const bar = new ProgressBar("Checking", 2 * total);
  const [expected, copied] = [await summaryOf(source, bar, 0), await summaryOf(target, bar, total)];
  if (expected === copied) {
    console.log(`Copied: ${copied}`);
    return exitCodes.success;
  }
  console.error(`The copy differs: ${copied}, not ${expected}. Make sure that nothing writes to either database, then run it again.`);
  return exitCodes.failure;
}
async function holdsOthers(target, source) {
  const { items } = await target.pets.list({}, { limit: 1 });
  for (const pet of items) {
    if (toJson(await source.pets.get(pet.id)) !== toJson(pet))
      return true;
  }
  const [given, taken] = [await source.transfer.lastIds(), await target.transfer.lastIds()];
  if (Object.entries(taken).some(([table, id]) => id > (given[table] ?? 0)))
    return true;
  for (const table of tables) {
    if (table.name !== "pets" && await isAnyForeign(table, target, source))
      return true;
  }
  return false;
}
async function isAnyForeign(table, target, source) {
  const own = new Set;
  for await (const rows of pagesOf(source, table))
    for (const row of rows)
      own.add(identityOf(table, row));
  for await (const rows of pagesOf(target, table)) {
    if (rows.some((row) => !own.has(identityOf(table, row))))
      return true;
  }
  return false;
}
function identityOf({ columns, identity }, row) {
  return toJson(row.filter((_, index) => identity.includes(columns[index]?.[0] ?? "")).map(printable));
}
function isSame3(one, other) {
  return toJson(canonical2(one)) === toJson(canonical2(other));
}
function canonical2(address) {
  if (address.kind !== "sqlite")
    return address;
  return { ...address, path: existsSync4(address.path) ? realpathSync3(address.path) : address.path };
}
async function countAll({ transfer }) {
  let total = 0;
  for (const table of tables)
    total += await transfer.count(table);
  return total;
}
async function summaryOf(store, bar, before) {
  const hash = createHash("sha256");
  const counts = [];
  let done = before;
  for (const table of tables) {
    let count = 0;
    for await (const rows of pagesOf(store, table)) {
      for (const row of rows)
        hash.update(`${toJson(row.map(printable))}
`);
      count += rows.length;
      done += rows.length;
      bar.show(done);
    }
    counts.push(`${table.title} ${count}`);
  }
  return `${counts.join(", ")}; checksum ${hash.digest("hex").slice(0, 16)}`;
}
function printable(value) {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
async function* pagesOf({ transfer }, table) {
  for (let last;; ) {
    const rows = await transfer.read(table, last, pageSize4);
    if (rows.length > 0)
      yield rows;
    if (rows.length < pageSize4)
      return;
    last = rows.at(-1);
  }
}
var pageSize4 = 2000;

// src/cli/doctor.ts
init_store();

// src/cli/diagnosis.ts
init_clock();
import { spawnSync } from "child_process";
import { existsSync as existsSync5, readFileSync as readFileSync2, statSync as statSync8 } from "fs";
init_store();

// src/cli/certificate.ts
import { createPrivateKey, X509Certificate } from "crypto";
import { readFileSync } from "fs";
var certificateSetting = setting(nonEmpty, {
  flag: "tls-cert",
  environment: "TLS_CERT",
  placeholder: "FILE",
  help: "The TLS certificate in PEM, followed by those of its issuers. With it the service speaks HTTPS, and nothing else.",
  expects: "the path of a file"
});
var privateKeySetting = setting(nonEmpty, {
  flag: "tls-key",
  environment: "TLS_KEY",
  placeholder: "FILE",
  help: "The private key of the certificate in PEM, without a passphrase.",
  expects: "the path of a file"
});
function certificateFiles(certificate, key) {
  if (certificate === undefined && key === undefined)
    return;
  if (certificate !== undefined && key !== undefined)
    return { certificate, key };
  const missing = key === undefined ? "--tls-key" : "--tls-cert";
  throw new SettingsError([`--tls-cert and --tls-key go together; ${missing} is missing.`]);
}
function readCertificate(files) {
  const problems = [];
  const attempt = (work, problem) => {
    try {
      return work();
    } catch (error) {
      problems.push(problem(error.message));
      return;
    }
  };
  const read = (flag, path) => attempt(() => readFileSync(path, "utf8"), (reason) => `--${flag} ${path} cannot be read: ${reason}.`);
  const cert = read("tls-cert", files.certificate);
  const key = read("tls-key", files.key);
  const parsedCert = cert === undefined ? undefined : attempt(() => new X509Certificate(cert), () => `--tls-cert ${files.certificate} is not a certificate in PEM.`);
  const parsedKey = key === undefined ? undefined : attempt(() => createPrivateKey(key), () => `--tls-key ${files.key} is not a private key in PEM without a passphrase.`);
  if (parsedCert && parsedKey && !parsedCert.checkPrivateKey(parsedKey)) {
    problems.push(`--tls-key ${files.key} does not belong to the certificate in ${files.certificate}.`);
  }
  if (cert === undefined || key === undefined || !parsedCert || problems.length > 0)
    throw new SettingsError(problems);
  return { cert, key, expiresAt: new Date(parsedCert.validTo) };
}

// src/cli/pages.ts
async function importPages() {
  try {
    return (await import("../../dist/pages.ts")).pages;
  } catch {
    return;
  }
}

// src/http/request/client-address.ts
import { BlockList, isIP } from "net";

// src/http/request/header-fields.ts
function elementsOf(header) {
  const elements = [];
  for (const element of splitOutsideQuotes(header ?? "", ",")) {
    if (element.trim() !== "")
      elements.push(splitOutsideQuotes(element, ";").map(pairOf));
  }
  return elements;
}
function splitOutsideQuotes(text, separator) {
  if (!text.includes('"'))
    return text.split(separator);
  const parts = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0;index < text.length; index++) {
    const character = text[index];
    if (character === '"')
      isQuoted = !isQuoted;
    else if (isQuoted && character === "\\")
      index++;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
function weightOf(name, elements) {
  const element = elements.find(([first]) => first?.name === name);
  const weight = element?.find((pair) => pair.name === "q")?.value;
  if (!element)
    return 0;
  return weight === undefined ? 1 : Number(weight) || 0;
}
function pairOf(part) {
  const equals = part.indexOf("=");
  if (equals < 0)
    return { name: part.trim().toLowerCase(), value: undefined };
  return { name: part.slice(0, equals).trim().toLowerCase(), value: unquote(part.slice(equals + 1).trim()) };
}
function unquote(text) {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"'))
    return text;
  let value = "";
  for (let index = 1;index < text.length - 1; index++) {
    if (text[index] === "\\")
      index++;
    value += text[index];
  }
  return value;
}

// src/http/request/client-address.ts
class ClientAddress {
  proxies;
  #trusted = new BlockList;
  constructor(proxies) {
    this.proxies = proxies;
    for (const proxy of proxies) {
      const [address = "", length] = proxy.split("/");
      const family = familyOf(address);
      if (length === undefined)
        this.#trusted.addAddress(address, family);
      else
        this.#trusted.addSubnet(address, Number(length), family);
    }
  }
  of({ headers }, peer) {
    const address = plain(peer);
    if (!this.#isTrusted(address))
      return address;
    const chains = [forwardedFor(headers.get("forwarded")), addressesIn(headers.get("x-forwarded-for"))].filter((chain) => chain.length > 0);
    const [first, second] = chains.map((chain) => chain.findLast((one) => !this.#isTrusted(one)) ?? chain[0]);
    if (first === undefined || second !== undefined && second !== first)
      return address;
    return isIP(first) ? first : address;
  }
  #isTrusted(address) {
    return isIP(address) !== 0 && this.#trusted.check(address, familyOf(address));
  }
}
function isNetwork(text) {
  const [address = "", length, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && bits > 0 && (length === undefined || /^[0-9]{1,3}$/.test(length) && Number(length) <= bits);
}
function forwardedFor(header) {
  return elementsOf(header).flatMap((pairs) => pairs.filter(({ name }) => name === "for").map(({ value = "" }) => plain(value)));
}
function addressesIn(header) {
  return header === null ? [] : header.split(",").map((part) => plain(part.trim()));
}
function plain(node) {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
function familyOf(address) {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
// src/domain/name.ts
var namePatterns = {
  allowed: "^[^\\x00-\\x1f\\x7f-\\x9f]+$",
  refused: [
    `[\\x00-\\x1f\\x7f-\\x9f]|^(?:[${rangesOf(invisible())}]|[^\\x00-\uDB3F\uDFFF])*$`,
    "[\\x00-\\x1f\\x7f-\\x9f]|^[\\x00-\uDB43\uDFFF]*$"
  ]
};
function isName(text, longest) {
  return text.isWellFormed() && [...text].length <= longest && !refused.every((pattern) => pattern.test(text));
}
var refused = namePatterns.refused.map((pattern) => new RegExp(pattern, "u"));
function invisible() {
  const spaces = [[32], [160], [5760], [12288]];
  const fillers = [[4447, 4448], [12644], [65440], [10240]];
  const punctuation = [
    [8192, 8207],
    [8232, 8239],
    [8287, 8303]
  ];
  const selectors = [
    [6155, 6159],
    [65024, 65039]
  ];
  const marks = [[173], [847], [1564], [6068, 6069], [65279], [65520, 65528]];
  const shorthand = [113824, 113825, 113826, 113827];
  const music = [119155, 119156, 119157, 119158, 119159, 119160, 119161, 119162];
  const singles = [...shorthand, ...music].map((point) => [point]);
  return [...spaces, ...fillers, ...punctuation, ...selectors, ...marks, ...singles];
}
function rangesOf(ranges) {
  return ranges.map((range) => range.map((end = 0) => String.fromCodePoint(end)).join("-")).join("");
}

// src/operations/schema.ts
var expects = Symbol("expects");
var whenAbsent = Symbol("whenAbsent");
var Nothing = { type: "null" };
var NoFields = {
  type: "object",
  description: "Nothing needs to be sent.",
  properties: {}
};
function closed(schema) {
  return { ...schema, additionalProperties: false };
}
function isClosed(schema) {
  return schema["additionalProperties"] === false;
}

// src/operations/fields.ts
function int64Field(description) {
  return {
    type: "integer",
    format: "int64",
    description,
    [expects]: "an integer from -9223372036854775808 to 9223372036854775807"
  };
}
function idField(description) {
  return { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description };
}
function optionalIdField(description) {
  return { ...idField(description), type: ["integer", "null"] };
}
function nameField(description, longest = 255) {
  return {
    type: "string",
    minLength: 1,
    maxLength: longest,
    pattern: namePatterns.allowed,
    not: { allOf: [{ pattern: namePatterns.refused[0] }, { pattern: namePatterns.refused[1] }] },
    description,
    [expects]: `a string of 1 to ${longest} characters, at least one of them visible and none of them a control character`
  };
}
function timeField(description) {
  return { type: "string", format: "date-time", description };
}
function optionalTimeField(description) {
  return { type: ["string", "null"], format: "date-time", description };
}
function beta(schema) {
  return { ...schema, "x-stability-level": "beta" };
}
var defaultLimit = 20;
var largestLimit = 100;
var limitField = {
  type: "integer",
  minimum: 1,
  maximum: largestLimit,
  default: defaultLimit,
  description: "Maximum number of items returned.",
  [expects]: `an integer from 1 to ${largestLimit}`
};
var cursorField = {
  type: "string",
  description: "Where the page starts. Opaque: follow the `next` URL in the `Link` header of the previous page. With other filters than those of that page, it gets 400.",
  [expects]: "one that this list returned, used with the same filters; omit it to start over"
};
var bodyLimits = { kibibytes: 64, seconds: 10 };

// src/operations/operation.ts
var basePath = "/v1";
var tags = {
  animals: "The animals of the store.",
  store: "Orders for animals, and how many animals there are.",
  categories: "Names for the categories of animals.",
  events: "What has happened in the store.",
  keys: "The API keys of the store.",
  webhooks: "Where the store sends its events to."
};
var plainJson = ["application/json"];

class Created {
  result;
  constructor(result) {
    this.result = result;
  }
}
function found(thing, missing) {
  return mapAwaitable(thing, (there) => {
    if (there === undefined)
      throw missing();
    return there;
  });
}
function queryFields({ query = {}, paged }) {
  return paged ? { ...query, cursor: cursorField } : query;
}
function possibleSuccesses({ success }) {
  const { status, description, created } = success;
  return [{ status, description }, ...created ? [{ status: createdStatus, description: created }] : []];
}
function hasContent({ success }) {
  return success.schema !== Nothing;
}
var createdStatus = 201;
function possibleErrors(operation) {
  const codes = [
    "BadRequest",
    "Unauthorized",
    "PreconditionFailed",
    "TooManyRequests",
    "InternalServerError",
    "ServiceUnavailable"
  ];
  if (operation.scope !== "read")
    codes.push("Forbidden");
  if (operation.params)
    codes.push("NotFound");
  if (operation.method !== "GET")
    codes.push("InsufficientStorage");
  if (operation.body)
    codes.push("RequestTimeout", "PayloadTooLarge", "UnsupportedMediaType");
  if (takesIdempotencyKey(operation))
    codes.push("Conflict", "UnprocessableContent");
  if (operation.deprecated)
    codes.push("Gone");
  return [...new Set([...codes, ...operation.errors])];
}
function takesIdempotencyKey({ method }) {
  return method === "POST";
}
function isRevalidated({ method, isExport }) {
  return method === "GET" && !isExport;
}
var notModified = {
  status: 304,
  meaning: "The representation that `If-None-Match` names is still current."
};

// src/cli/serve-settings.ts
init_claim_room();

// src/webhooks/secret-box.ts
import { createCipheriv, createDecipheriv, randomBytes as randomBytes4, scrypt } from "crypto";
import { promisify } from "util";
function parseWebhookKey(text) {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === keyBytes && bytes.toString("base64") === text)
    return { bytes };
  return [...text].length >= shortestPassphrase ? { passphrase: text } : undefined;
}

class SecretBox {
  #key;
  #ready;
  constructor(key) {
    this.#key = key;
  }
  async seal(secret) {
    const nonce = randomBytes4(nonceBytes);
    const cipher = createCipheriv(algorithm, await this.#bytes(), nonce).setAAD(Buffer.from(version2));
    const hidden = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return `${version2}.${Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url")}`;
  }
  async open(sealed) {
    const [, hidden] = /^v1\.([\w-]{38,})$/.exec(sealed) ?? [];
    if (hidden === undefined)
      return;
    const bytes = Buffer.from(hidden, "base64url");
    const decipher = createDecipheriv(algorithm, await this.#bytes(), bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(version2)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
    } catch {
      return;
    }
  }
  #bytes() {
    const key = this.#key;
    this.#ready ??= "bytes" in key ? Promise.resolve(key.bytes) : scryptInBackground(Buffer.from(key.passphrase), Buffer.from(salt), keyBytes, stretching);
    return this.#ready;
  }
}
var version2 = "v1";
var algorithm = "aes-256-gcm";
var keyBytes = 32;
var nonceBytes = 12;
var tagBytes = 16;
var shortestPassphrase = 16;
var salt = "animal-store webhooks";
var stretching = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
var scryptInBackground = promisify(scrypt);

// src/cli/listening.ts
import { lookup as lookup2 } from "dns/promises";
var portSetting = setting(integer(0, 65535), {
  flag: "port",
  environment: "PORT",
  placeholder: "NUMBER",
  help: "The port to listen on; 0 for any free port.",
  expects: "an integer from 0 to 65535",
  default: "8080"
});
var hostSetting = setting(nonEmpty, {
  flag: "host",
  environment: "HOST",
  placeholder: "NAME",
  help: "The host name or address to listen on; 0.0.0.0 for all.",
  expects: "a host name or an address",
  default: "127.0.0.1"
});
async function listenFailure(error, host) {
  const { code = "", message } = error;
  const isKnown = await lookup2(host).catch(() => {
    return;
  });
  return isKnown ? listenFailures[code] ?? message : "there is no such host";
}
var listenFailures = {
  EADDRINUSE: "it is already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have that address"
};

// src/tracing/otlp-exporter.ts
init_deadline();

class OtlpExporter {
  #options;
  #waiting = [];
  #dropped = 0;
  #timer;
  #sending;
  #underWay = 0;
  #delayMs = usualDelayMs;
  constructor(options) {
    this.#options = options;
  }
  export(span) {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= largestBatch2 && !this.#isResting)
      this.#sendSoon();
    else
      this.#sendLater();
  }
  async close() {
    clearTimeout(this.#timer);
    const end = performance.now() + longestCloseMs2;
    while ((this.#sending || this.#waiting.length > 0) && performance.now() < end) {
      this.#sendSoon();
      const sent = this.#sending ?? Promise.resolve();
      await withDeadline(end - performance.now(), sent, () => new Error("late")).catch(() => {});
    }
    const lost = this.#underWay + this.#waiting.length + this.#takeDropped();
    if (lost > 0)
      this.#options.onTrouble("the service stopped before they were sent", lost);
  }
  #sendSoon() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0)
        this.#sendLater();
    });
  }
  #sendLater() {
    this.#timer ??= setTimeout(() => this.#sendSoon(), this.#delayMs);
  }
  get #isResting() {
    return this.#delayMs > usualDelayMs;
  }
  async#send() {
    const batch = this.#waiting.splice(0, largestBatch2);
    this.#underWay = batch.length;
    const { url, headers, resource, onTrouble } = this.#options;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: requestBody(batch, resource),
        signal: AbortSignal.timeout(longestSendMs),
        redirect: "error"
      });
      await response.arrayBuffer();
      if (!response.ok)
        throw new Error(`it answered ${response.status}`);
      this.#delayMs = usualDelayMs;
      if (this.#dropped > 0)
        onTrouble("too many spans were waiting", this.#takeDropped());
    } catch (error) {
      this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs2);
      onTrouble(error instanceof Error ? error.message : String(error), batch.length + this.#takeDropped());
    } finally {
      this.#underWay = 0;
    }
  }
  #takeDropped() {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
var largestBatch2 = 512;
var mostWaiting = 2048;
var usualDelayMs = 1000;
var longestDelayMs2 = 30000;
var longestSendMs = 1e4;
var longestCloseMs2 = 3000;
function requestBody(spans, resource) {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "animal-store" }, spans: spans.map(spanOf) }]
      }
    ]
  });
}
function spanOf({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }) {
  return {
    traceId,
    spanId,
    parentSpanId: parentId,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: failed, message: error }
  };
}
var kinds = { internal: 1, server: 2 };
var failed = 2;
function nanoseconds(milliseconds) {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1000000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}
function attributesOf(attributes) {
  return Object.entries(attributes).filter(([, value]) => value !== undefined).map(([key, value]) => ({ key, value: typedValue(value) }));
}
function typedValue(value) {
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: String(value) };
}

// src/tracing/trace-context.ts
function parseTraceparent(header) {
  if (header === null)
    return;
  const [, version, traceId = "", parentId = "", flags = "", rest = ""] = pattern.exec(header.trim()) ?? [];
  if (version === undefined || version === "ff" || version === "00" && rest !== "")
    return;
  if (isZero.test(traceId) || isZero.test(parentId))
    return;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}
function randomTraceId() {
  return randomHex(16);
}
function randomSpanId() {
  return randomHex(8);
}
var pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
var isZero = /^0+$/;
var sampledFlag = 1;
function randomHex(bytes) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  random[0] ||= 1;
  return random.toHex();
}

// src/tracing/tracer.ts
class Tracer {
  #exporter;
  #sampling;
  constructor(exporter, sampling) {
    this.#exporter = exporter;
    this.#sampling = sampling;
  }
  spanOf(traceparent, isCallerKnown, startedAt) {
    const caller = parseTraceparent(traceparent);
    if (!this.#isSampled(caller, isCallerKnown))
      return;
    const originMs = Date.now() - performance.now();
    return new Span(this.#exporter, caller?.traceId ?? randomTraceId(), caller?.parentId, startedAt, originMs);
  }
  #isSampled(caller, isCallerKnown) {
    const { share, followsParent } = this.#sampling;
    if (!caller || !isCallerKnown)
      return Math.random() < share;
    return followsParent ? caller.isSampled : shareOf(caller) < share;
  }
}
function shareOf({ traceId }) {
  return Number.parseInt(traceId.slice(-8), 16) / 2 ** 32;
}

class Span {
  traceId;
  parentId;
  spanId = randomSpanId();
  #exporter;
  #startedAt;
  #originMs;
  constructor(exporter, traceId, parentId, startedAt, originMs) {
    this.traceId = traceId;
    this.parentId = parentId;
    this.#exporter = exporter;
    this.#startedAt = startedAt;
    this.#originMs = originMs;
  }
  child(startedAt) {
    return new Span(this.#exporter, this.traceId, this.spanId, startedAt, this.#originMs);
  }
  end(name, kind, attributes = {}, error = undefined, endedAt = performance.now()) {
    this.#exporter.export({
      traceId: this.traceId,
      spanId: this.spanId,
      parentId: this.parentId,
      name,
      kind,
      startMs: this.#originMs + this.#startedAt,
      endMs: this.#originMs + endedAt,
      attributes,
      error
    });
  }
}

// src/cli/tracing.ts
var tracingSettings = {
  tracesEndpoint: setting(parseUrl, {
    environment: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    isIgnoredIfWrong: true,
    placeholder: "URL",
    help: "Where traces are sent, as OTLP over HTTP in JSON. Nothing is traced if neither address is given.",
    expects: "an http or https address"
  }),
  otlpEndpoint: setting(parseUrl, {
    environment: "OTEL_EXPORTER_OTLP_ENDPOINT",
    isIgnoredIfWrong: true,
    placeholder: "URL",
    help: "The address of a collector, such as http://localhost:4318; traces go to /v1/traces there.",
    expects: "an http or https address"
  }),
  sendsTraces: setting(inAnyCase(parseExporters), {
    environment: "OTEL_TRACES_EXPORTER",
    isIgnoredIfWrong: true,
    placeholder: "NAME",
    help: "none to trace nothing.",
    expects: "otlp or none",
    default: "otlp"
  }),
  otlpProtocol: setting(inAnyCase(oneOf(["http/json", "http/protobuf"])), {
    environment: "OTEL_EXPORTER_OTLP_PROTOCOL",
    isIgnoredIfWrong: true,
    placeholder: "NAME",
    help: "Traces are sent as http/json, which collectors that take http/protobuf take as well.",
    expects: "http/json or http/protobuf; gRPC is not spoken",
    default: "http/json"
  }),
  otlpHeaders: setting(parseHeaders, {
    environment: "OTEL_EXPORTER_OTLP_HEADERS",
    isIgnoredIfWrong: true,
    placeholder: "LIST",
    help: "Headers for the collector, as name=value,name=value.",
    expects: "a list such as api-key=secret,tenant=shop",
    default: "",
    secret: true
  }),
  serviceName: setting(nonEmpty, {
    environment: "OTEL_SERVICE_NAME",
    isIgnoredIfWrong: true,
    placeholder: "NAME",
    help: "What the service is called in traces, if not animal-store.",
    expects: "a name"
  }),
  resourceAttributes: setting(parsePairs, {
    environment: "OTEL_RESOURCE_ATTRIBUTES",
    isIgnoredIfWrong: true,
    placeholder: "LIST",
    help: "What else is told of the service in traces, as name=value,name=value.",
    expects: "a list such as deployment.environment.name=production",
    default: ""
  }),
  sampler: setting(inAnyCase(oneOf(Object.keys(samplers()))), {
    environment: "OTEL_TRACES_SAMPLER",
    isIgnoredIfWrong: true,
    placeholder: "NAME",
    help: "Which traces are kept.",
    expects: `one of ${Object.keys(samplers()).join(", ")}`,
    default: "parentbased_always_on"
  }),
  samplerShare: setting(parseShare, {
    environment: "OTEL_TRACES_SAMPLER_ARG",
    isIgnoredIfWrong: true,
    placeholder: "NUMBER",
    help: "The share that a sampler by ratio keeps, such as 0.01.",
    expects: "a number from 0 to 1",
    default: "1"
  }),
  isTracingOff: setting(inAnyCase(parseBoolean), {
    environment: "OTEL_SDK_DISABLED",
    isIgnoredIfWrong: true,
    placeholder: "BOOLEAN",
    help: "true to trace nothing.",
    expects: "true or false",
    default: "false"
  })
};
function openTracing(settings, version, log) {
  const { tracesEndpoint, otlpEndpoint, otlpHeaders, sendsTraces, isTracingOff } = settings;
  const url = tracesEndpoint ?? (otlpEndpoint && `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || isTracingOff || !sendsTraces)
    return;
  const resource = {
    "service.name": "animal-store",
    "service.version": version,
    ...settings.resourceAttributes,
    ...settings.serviceName !== undefined && { "service.name": settings.serviceName }
  };
  const exporter = new OtlpExporter({
    url,
    headers: otlpHeaders,
    resource,
    onTrouble(reason, lost) {
      log.write("warn", "traces were lost", { reason, lost });
    }
  });
  const sampling = samplers(settings.samplerShare)[settings.sampler];
  return { tracer: new Tracer(exporter, sampling), close: () => exporter.close() };
}
function samplers(share = 1) {
  const by = (ofAll, followsParent) => ({ share: ofAll, followsParent });
  return {
    always_on: by(1, false),
    always_off: by(0, false),
    traceidratio: by(share, false),
    parentbased_always_on: by(1, true),
    parentbased_always_off: by(0, true),
    parentbased_traceidratio: by(share, true)
  };
}
function inAnyCase(parse) {
  return (text) => parse(text.toLowerCase());
}
function parseUrl(text) {
  return parseHttpUrl(text) ? text : undefined;
}
function parsePairs(text) {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  if (!entries.every((entry) => entry !== null))
    return;
  try {
    return Object.fromEntries(entries.map(([, name = "", value = ""]) => [name, decodeURIComponent(value.trim())]));
  } catch {
    return;
  }
}
function parseHeaders(text) {
  const pairs = parsePairs(text);
  try {
    new Headers(pairs);
    return pairs;
  } catch {
    return;
  }
}
function parseShare(text) {
  const share = Number(text);
  return text.trim() !== "" && share >= 0 && share <= 1 ? share : undefined;
}
function parseBoolean(text) {
  return text === "true" ? true : text === "false" ? false : undefined;
}
function parseExporters(text) {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("otlp"))
    return true;
  return names.includes("none") ? false : undefined;
}

// src/cli/serve-settings.ts
var serveSettings = {
  port: portSetting,
  host: hostSetting,
  tlsCert: certificateSetting,
  tlsKey: privateKeySetting,
  database: databaseSetting,
  replicas: replicasSetting,
  poolSize: poolSizeSetting,
  apiKey: setting((text) => [...text].length >= 16 && /^\S[^\p{Cc}]*\S$/u.test(text) ? text : undefined, {
    environment: "ANIMAL_STORE_API_KEY",
    placeholder: "KEY",
    help: "An admin key that is accepted in addition to those in the store.",
    expects: "16 characters or more, without spaces at either end",
    secret: true
  }),
  drainDelay: setting(parseSeconds, {
    flag: "drain-delay",
    environment: "DRAIN_DELAY",
    placeholder: "SECONDS",
    help: "How long to keep serving, with /readyz at 503, before stopping.",
    expects: "a number of seconds from 0 to 600",
    default: "0"
  }),
  quota: setting(parseQuota, {
    flag: "rate-limit",
    environment: "RATE_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests a key may make per second; 1000/60 for 1000 in 60 seconds. Unlimited by default.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/60"
  }),
  mostClaims: setting(integer(1, 1e8), {
    flag: "idempotency-limit",
    environment: "IDEMPOTENCY_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests with an Idempotency-Key an API key may make in 24 hours. All keys together may make ten times as many.",
    expects: "an integer from 1 to 100000000",
    default: String(usualClaimLimits.ofLine)
  }),
  eventRetentionMs: setting(parseRetention, {
    flag: "event-retention",
    environment: "EVENT_RETENTION",
    placeholder: "TIME",
    help: "How long events are kept, such as 90d or 12h.",
    expects: "a duration from 1m to 99999d, such as 90d or 12h",
    default: "30d"
  }),
  anonymousQuota: setting(parseQuota, {
    flag: "anonymous-limit",
    environment: "ANONYMOUS_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests without a key one IP address may make per second; 1000/10 for 1000 in 10 seconds.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/10",
    default: "1000/10"
  }),
  mostConnections: setting(integer(10, 1e6), {
    flag: "max-connections",
    environment: "MAX_CONNECTIONS",
    placeholder: "NUMBER",
    help: "The maximum number of open connections. Beyond it, idle ones are closed and requests get 503.",
    expects: "an integer from 10 to 1000000",
    default: "4096"
  }),
  trustedProxies: setting((text) => listOf(text, (part) => isNetwork(part) ? part : undefined), {
    flag: "trusted-proxy",
    environment: "TRUSTED_PROXIES",
    placeholder: "ADDRESS",
    help: "The address or network of a proxy that is trusted to name its clients' addresses. Repeat the flag for more.",
    expects: "one or more addresses or networks such as 10.0.0.0/8, separated by spaces",
    isRepeatable: true
  }),
  corsOrigins: setting((text) => listOf(text, parseOrigin), {
    flag: "cors-origin",
    environment: "CORS_ORIGINS",
    placeholder: "ORIGIN",
    help: "An origin whose pages may call the API from a browser; * for all. Repeat the flag for more.",
    expects: "one or more origins such as https://shop.example, in lower case and without a path, or * for all",
    isRepeatable: true
  }),
  publicUrl: setting(parseUrl2, {
    flag: "public-url",
    environment: "PUBLIC_URL",
    placeholder: "URL",
    help: `The public URL, for the OpenAPI document and the links in responses; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`
  }),
  stagingUrl: setting(parseUrl2, {
    flag: "staging-url",
    environment: "STAGING_URL",
    placeholder: "URL",
    help: `The URL of the staging environment, for the OpenAPI document; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`
  }),
  webhookKey: setting(parseWebhookKey, {
    environment: "ANIMAL_STORE_WEBHOOK_KEY",
    placeholder: "KEY",
    help: "The key that the secrets of webhooks are encrypted with. Without it, there are no webhooks.",
    expects: "32 bytes in base64, or a passphrase of 16 characters or more",
    secret: true
  }),
  webhookNetworks: setting((text) => listOf(text.replaceAll(",", " "), (part) => isNetwork(part) ? part : undefined), {
    flag: "webhook-allow",
    environment: "WEBHOOK_ALLOW",
    placeholder: "NETWORK",
    help: "A network that webhooks may lead to although it is not public, also without TLS. Repeat the flag for more.",
    expects: "one or more addresses or networks such as 10.0.0.0/8, separated by commas or spaces",
    isRepeatable: true
  }),
  logLevel: setting(oneOf(logLevels), {
    flag: "log-level",
    environment: "LOG_LEVEL",
    placeholder: "LEVEL",
    help: `The lowest level that is logged: ${logLevels.join(", ")}. Each request is logged at info, each successful health check at debug.`,
    expects: `one of ${logLevels.join(", ")}`,
    default: "info"
  }),
  slowRequest: setting(integer(1, 600000), {
    flag: "slow-request",
    environment: "SLOW_REQUEST",
    placeholder: "MILLISECONDS",
    help: "A request that takes longer is logged at the level warn, with where the time went.",
    expects: "an integer from 1 to 600000",
    default: "1000"
  }),
  slowStatement: setting(integer(1, 600000), {
    flag: "slow-statement",
    environment: "SLOW_STATEMENT",
    placeholder: "MILLISECONDS",
    help: "A statement or a commit of the database that takes longer is logged at the level warn, without its values.",
    expects: "an integer from 1 to 600000",
    default: "500"
  }),
  serverTiming: setting(oneOf(["on", "off"]), {
    flag: "server-timing",
    environment: "SERVER_TIMING",
    placeholder: "SWITCH",
    help: "Whether every response says in Server-Timing where its time went: on or off.",
    expects: "one of on, off",
    default: "off"
  }),
  metricsPort: setting(integer(0, 65535), {
    flag: "metrics-port",
    environment: "METRICS_PORT",
    placeholder: "NUMBER",
    help: "A port for /metrics alone, without a key; 0 for any free port. By default, /metrics is on the port of the API and needs a key.",
    expects: "an integer from 0 to 65535"
  }),
  metricsHost: setting(nonEmpty, {
    flag: "metrics-host",
    environment: "METRICS_HOST",
    placeholder: "NAME",
    help: "The host name or address for --metrics-port. Default: that of --host",
    expects: "a host name or an address"
  }),
  ...tracingSettings
};
function looksGuessable(key) {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(key)).length;
  return kinds < 2 || new Set(key).size < 10;
}
function parseSeconds(text) {
  return /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(text) && Number(text) <= 600 ? Number(text) : undefined;
}
function parseQuota(text) {
  const [, requests, seconds = "1"] = /^([1-9][0-9]{0,8})(?:\/([1-9][0-9]{0,4}))?$/.exec(text) ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), seconds: Number(seconds) };
}
function parseOrigin(text) {
  const isOrigin = parseHttpUrl(text)?.origin === text && !text.includes("*");
  return text === "*" || isOrigin ? text : undefined;
}
function listOf(text, parse) {
  const parts = text.trim().split(/\s+/).map(parse);
  return parts.includes(undefined) ? undefined : parts.map(String);
}
function parseUrl2(text) {
  const url = parseHttpUrl(text);
  if (!url?.pathname.endsWith(basePath))
    return;
  return url.username || url.password || url.search || url.hash ? undefined : text;
}
function parseRetention(text) {
  const milliseconds = parseDuration(text);
  return milliseconds !== undefined && milliseconds >= shortestRetentionMs ? milliseconds : undefined;
}
var shortestRetentionMs = 60000;

// src/cli/diagnosis.ts
async function diagnose(given, facts, ignored) {
  return [
    ...ignored.map((complaint) => wrong("settings", complaint.replace(/\.$/, ""), "It is ignored.")),
    ...facts instanceof StoreOpenError ? [unusableStore(facts)] : storeDiagnoses(facts),
    openFileDiagnosis(given.mostConnections),
    await pageDiagnosis(),
    ...certificateDiagnoses(given),
    ...apiKeyDiagnoses(given.apiKey)
  ];
}
function unusableStore({ message }) {
  const [, found = message, advice = "Then run doctor again."] = /^(.*?)\. (.*)$/s.exec(message) ?? [];
  return wrong("store", found.replace(/\.$/, ""), advice);
}
function storeDiagnoses(facts) {
  return [
    schemaDiagnosis(facts),
    ...facts.folder ? [diskDiagnosis(facts), modeDiagnosis(facts)] : [],
    clockDiagnosis(facts)
  ];
}
function schemaDiagnosis({ schema, newestSchema }) {
  if (schema === undefined)
    return well("store", "there is none yet", "serve creates it.");
  if (schema === newestSchema)
    return well("store", "it can be opened, and its schema is up to date");
  if (schema > newestSchema)
    return well("store", "its schema is newer than this program, which works with it");
  const advice = "serve brings it up to date at its start, or migrate before; make a backup first.";
  return well("store", `its schema is ${newestSchema - schema} behind`, advice);
}
function diskDiagnosis({ folder, files }) {
  const { path = "", freeBytes = 0 } = folder ?? {};
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const found = `${megabytes(freeBytes)} free in ${path}, the store has ${megabytes(size)}`;
  return freeBytes >= leastFreeBytes ? well("disk", found) : wrong("disk", found, "Make room, or writes will be refused.");
}
var leastFreeBytes = 1e8;
function modeDiagnosis({ folder, files }) {
  const open = files.filter(({ mode }) => (mode & 63) !== 0);
  if (open.length > 0) {
    const paths = open.map(({ path }) => path).join(" ");
    return wrong("file modes", `others than the owner may use ${paths}`, `Run chmod 600 ${paths}`);
  }
  const { path = "", mode = 0 } = folder ?? {};
  if ((mode & 18) !== 0 && (mode & 512) === 0) {
    return wrong("file modes", `others than the owner may replace files in ${path}`, `Run chmod go-w ${path}`);
  }
  return well("file modes", "nobody but the owner may use the files of the store");
}
function clockDiagnosis({ aheadMs, files }) {
  const now = new Date().toISOString();
  if (aheadMs !== undefined) {
    const seconds = Math.round(aheadMs / 1000);
    const found = `it is ${now}, ${Math.abs(seconds)} seconds ${seconds < 0 ? "behind" : "ahead of"} the server's`;
    if (Math.abs(aheadMs) > mostApartMs)
      return wrong("clock", found, "Have both set by the same time server.");
    return well("clock", found);
  }
  const newest = Math.max(0, ...files.map(({ changedAt }) => changedAt));
  if (newest <= Date.now() + farthestAheadMs)
    return well("clock", `it is ${now}`);
  const found = `it is ${now}, but the store was last changed at ${new Date(newest).toISOString()}`;
  return wrong("clock", found, "Set the clock, for example by a time server.");
}
var mostApartMs = 5000;
function openFileDiagnosis(mostConnections) {
  const limit = openFileLimit();
  const needed = mostConnections + ownFiles;
  const found = `${limit === Number.POSITIVE_INFINITY ? "any number" : limit} may be open, --max-connections is ${mostConnections}`;
  if (limit >= needed)
    return well("open files", found);
  return wrong("open files", found, `Raise the limit (ulimit -n ${needed}), or lower --max-connections.`);
}
var ownFiles = 100;
function openFileLimit() {
  const limits = "/proc/self/limits";
  const [, text = ""] = existsSync5(limits) ? /^Max open files\s+(\S+)/m.exec(readFileSync2(limits, "utf8")) ?? [] : [undefined, spawnSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).stdout.trim()];
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}
async function pageDiagnosis() {
  return await importPages() ? well("console", "its pages are built") : wrong("console", "its pages are not built", "Run npm run build; without them, programs are still served.");
}
function certificateDiagnoses({ tlsCert, tlsKey }) {
  try {
    const files = certificateFiles(tlsCert, tlsKey);
    if (!files)
      return [well("TLS", "plain HTTP is spoken", "Let a proxy speak HTTPS, or set --tls-cert and --tls-key.")];
    const { expiresAt } = readCertificate(files);
    const days = Math.floor((expiresAt.getTime() - Date.now()) / millisecondsPerDay);
    const found = `the certificate expires at ${expiresAt.toISOString()}`;
    const isOpen = (statSync8(files.key).mode & 63) !== 0;
    return [
      days >= fewestDays ? well("TLS", found) : wrong("TLS", found, "Renew it, then send SIGHUP to the service."),
      ...isOpen ? [wrong("TLS key", `others may read ${files.key}`, `Run chmod 600 ${files.key}`)] : []
    ];
  } catch (error) {
    if (!(error instanceof SettingsError))
      throw error;
    return error.problems.map((problem) => wrong("TLS", problem.replace(/\.$/, ""), "The service would not start."));
  }
}
var fewestDays = 14;
var millisecondsPerDay = 24 * 60 * 60 * 1000;
function apiKeyDiagnoses(apiKey) {
  if (apiKey === undefined || !looksGuessable(apiKey))
    return [];
  const advice = "Set a random one, for example with openssl rand -hex 24.";
  return [wrong("ANIMAL_STORE_API_KEY", "it looks easy to guess", advice)];
}
function well(about, found, advice) {
  return { about, isWell: true, found, ...advice === undefined ? {} : { advice } };
}
function wrong(about, found, advice) {
  return { about, isWell: false, found, advice };
}
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
// package.json
var version3 = "1.0.0";

// src/cli/version.ts
function fullVersion() {
  const build = null;
  return build ? `${version3} (commit ${build.commit}, ${build.date})` : version3;
}

// src/cli/doctor.ts
var settings4 = {
  ...serveSettings,
  json: switchSetting("json", "Print everything as JSON.")
};
var doctorCommand = {
  name: "doctor",
  usage: "doctor [settings of serve] [--json]",
  summary: "Look whether the service would run well with these settings, and say what to do if not.",
  settings: settings4,
  async run(args) {
    const given = readSettings(settings4, args);
    const facts = await inspectStore(withReplicas(given.database, given.replicas)).catch((error) => {
      if (error instanceof StoreOpenError)
        return error;
      throw error;
    });
    const report = {
      versions: versionsOf(facts),
      settings: reportSettings(settings4, args),
      diagnoses: await diagnose(given, facts, ignoredSettings(settings4, args))
    };
    console.log(given.json ? JSON.stringify(report, null, 2) : textOf2(report));
    return report.diagnoses.every(({ isWell }) => isWell) ? exitCodes.success : exitCodes.failure;
  }
};
function versionsOf(facts) {
  const own = { "animal-store": fullVersion(), Bun: process.versions.bun ?? "", platform: platform() };
  if (facts instanceof StoreOpenError)
    return own;
  const { engine, schema, newestSchema } = facts;
  const known = schema === undefined ? "none yet" : String(schema);
  return { ...own, database: engine, schema: `${known}; this program knows ${newestSchema}` };
}
function platform() {
  return `${process.platform} ${process.arch}`;
}
function textOf2({ versions, settings: reports, diagnoses }) {
  const width = Math.max(...reports.map(({ name }) => name.length)) + 2;
  return [
    "Versions",
    table(Object.entries(versions)),
    "",
    "Settings",
    ...reports.map(({ name, value, source }) => `  ${name.padEnd(width)}${value === null ? "not set" : `${value} (${source})`}`),
    "",
    "Findings",
    ...diagnoses.map(({ about, isWell, found, advice }) => {
      const line = `  ${isWell ? "ok   " : "WRONG"}  ${about}: ${found}.`;
      return advice === undefined ? line : `${line} ${advice}`;
    })
  ].join(`
`);
}

// src/cli/health.ts
import http from "http";
import https from "https";
import { text } from "stream/consumers";
var settings5 = {
  url: setting(parseOrigin2, {
    flag: "url",
    placeholder: "URL",
    help: "The URL of the service, without a path. By default, it is made from --host and --port.",
    expects: "an http or https URL without a path, such as http://127.0.0.1:8080"
  }),
  host: { ...hostSetting, help: "The host that the service listens on." },
  port: { ...portSetting, help: "The port that the service listens on." },
  tlsCert: {
    ...certificateSetting,
    help: "The TLS certificate of the service, if it has one: it is then asked by HTTPS."
  }
};
var healthCommand = {
  name: "health",
  usage: "health [settings]",
  summary: "Check whether a running service can answer reads and writes: exit code 0 if it can, 1 if not.",
  settings: settings5,
  async run(args) {
    const { url, host, port, tlsCert } = readSettings(settings5, args);
    const address = new URL("/readyz", url ?? ownAddress(host, port, tlsCert !== undefined));
    try {
      const { isReady, told } = await ask(address, url !== undefined);
      if (!isReady)
        return complain2(address, told);
      console.log("The service is ready.");
      return exitCodes.success;
    } catch (error) {
      return complain2(address, error.message);
    }
  }
};
function ask(address, rejectUnauthorized) {
  return new Promise((resolve, reject) => {
    const get = address.protocol === "https:" ? https.get : http.get;
    const options = { signal: AbortSignal.timeout(longestAnswerMs), rejectUnauthorized };
    const request = get(address, options, async (response) => {
      try {
        const { statusCode = 0 } = response;
        const answer = `it answers ${statusCode} ${(await text(response)).trim()}`;
        resolve({ isReady: Math.floor(statusCode / 100) === 2, told: answer });
      } catch (error) {
        reject(error);
      }
    });
    request.on("error", reject);
  });
}
var longestAnswerMs = 9000;
function ownAddress(host, port, isTls) {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${isTls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
function complain2(address, reason) {
  console.error(`animal-store: The service at ${address.origin} is not ready: ${reason}`);
  return exitCodes.failure;
}
function parseOrigin2(text) {
  const url = parseHttpUrl(text);
  return url && [url.origin, `${url.origin}/`].includes(text) ? url.origin : undefined;
}

// src/cli/keys.ts
init_deadline();
init_errors();
init_key();
var settings6 = {
  database: databaseSetting,
  name: setting((text) => isName(text, longestKeyName) ? text : undefined, {
    flag: "name",
    placeholder: "TEXT",
    help: "create: who or what the key is for.",
    expects: `1 to ${longestKeyName} characters, at least one of them visible and none of them a control character`
  }),
  scope: setting(oneOf(scopes), {
    flag: "scope",
    placeholder: "SCOPE",
    help: `create: one of ${scopes.join(", ")}; each includes the ones before it.`,
    expects: `one of ${scopes.join(", ")}`,
    default: "read"
  }),
  expires: setting(parseExpiry, {
    flag: "expires",
    placeholder: "WHEN",
    help: "create, rotate: when the key expires: 90d, 12h, 30m, or a date (00:00 UTC). By default never, or after the same lifetime as the old key.",
    expects: "a duration such as 90d, 12h or 30m, or a future date such as 2031-01-31"
  }),
  overlap: setting(parseDuration, {
    flag: "overlap",
    placeholder: "TIME",
    help: "rotate: how long the old key keeps working, such as 24h; 0 to end it immediately.",
    expects: "a duration such as 24h, 7d or 0",
    default: "24h"
  })
};
var keysCommand = {
  name: "keys",
  usage: "keys create|list|rotate ID|revoke ID [settings]",
  summary: "Create, list, rotate and revoke API keys, even while the service is running.",
  settings: settings6,
  async run(args) {
    const { settings: given, positionals } = readArguments(settings6, args);
    const [action = "", ...rest] = positionals;
    switch (action) {
      case "create": {
        const name = nameOf(given, rest);
        return await withStore(given, (store) => create2(store, name, given));
      }
      case "list":
        refuseMore(action, rest);
        return await withStore(given, list);
      case "rotate": {
        const id = idOf(action, rest);
        return await withStore(given, (store) => rotate(store, id, given));
      }
      case "revoke": {
        const id = idOf(action, rest);
        return await withStore(given, (store) => revoke(store, id));
      }
      default:
        throw new SettingsError([
          `keys must be followed by create, list, rotate or revoke, not ${JSON.stringify(action)}.`
        ]);
    }
  }
};
async function create2(store, name, { scope, expires }) {
  const key = generateKey();
  const now = store.clock();
  const made = await store.keys.create({ name, scope, createdAt: now, expiresAt: expires?.(now) ?? null }, { hash: hashKey(key) });
  return show(key, `Created key ${made.id}: ${describe2(made)}. It is shown only once:`);
}
async function list(store) {
  const now = store.clock();
  const rows = [];
  for await (const key of everyKey(store)) {
    rows.push([
      String(key.id),
      key.name,
      key.scope,
      keyState(key, now),
      String(key.line),
      time(key.createdAt),
      time(key.lastUsedAt),
      time(key.expiresAt)
    ]);
  }
  console.log(columns2([["ID", "NAME", "SCOPE", "STATE", "LINE", "CREATED (UTC)", "LAST USED (UTC)", "EXPIRES (UTC)"], ...rows]));
  return exitCodes.success;
}
async function* everyKey({ keys }) {
  for (let page = await keys.list({ limit: 100 });; page = await keys.list({ limit: 100, after: page.next })) {
    yield* page.items;
    if (page.next === undefined)
      return;
  }
}
async function rotate(store, id, { expires, overlap }) {
  const now = store.clock();
  const key = generateKey();
  const rotation = { at: now, retiresAt: now + overlap, expiresAt: expires?.(now), keepLastAdmin: false };
  const made = await store.keys.rotate(id, rotation, { hash: hashKey(key) });
  const old = await store.keys.get(id);
  const end = overlap === 0 ? "no longer works" : `works until ${time(old?.expiresAt ?? null)} UTC`;
  return show(key, `Key ${made.id} replaces key ${id}, which ${end}: ${describe2(made)}. It is shown only once:`);
}
async function revoke(store, id) {
  const revoked = await store.keys.revoke(id, store.clock(), false);
  console.error(`Key ${id} (${revoked.name}) no longer works; a running service stops accepting it within a second.`);
  return exitCodes.success;
}
function show(key, text) {
  console.error(text);
  console.log(key);
  return exitCodes.success;
}
function nameOf({ name }, rest) {
  refuseMore("create", rest);
  if (name === undefined)
    throw new SettingsError(["--name is required: who or what the key is for."]);
  return name;
}
function idOf(action, [text = "", ...more]) {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw new SettingsError([`keys ${action} must be followed by the id of a key, as keys list shows it.`]);
  }
  refuseMore(`${action} ${text}`, more);
  return Number(text);
}
function refuseMore(action, rest) {
  if (rest.length > 0)
    throw new SettingsError([`keys ${action} does not take ${JSON.stringify(rest.join(" "))}.`]);
}
async function withStore({ database }, action) {
  await using opened = await openForCommand(openExistingStore, database);
  return await withDeadline(longestActionMs, action(opened.store), () => {
    const message = "The store did not respond in time. It is not known whether the request was carried out.";
    return new ServiceError("ServiceUnavailable", message, `no answer within ${longestActionMs} ms`);
  });
}
var longestActionMs = 15000;
function describe2({ name, scope, expiresAt }) {
  return `${name}, scope ${scope}, ${expiresAt === null ? "never expires" : `expires ${time(expiresAt)} UTC`}`;
}
function time(at) {
  return at === null ? "-" : new Date(at).toISOString().replace("T", " ").slice(0, 16);
}
function columns2(rows) {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ").trimEnd()).join(`
`);
}

// src/cli/migrate.ts
var settings7 = {
  database: databaseSetting,
  dryRun: switchSetting("dry-run", "Only show what would be done.")
};
var migrateCommand = {
  name: "migrate",
  usage: "migrate [settings]",
  summary: "Bring the database schema up to date, as serve does on startup.",
  settings: settings7,
  async run(args) {
    const { database, dryRun } = readSettings(settings7, args);
    const { pending, isNewer, hindrance, grants } = await planMigration(database);
    if (!dryRun) {
      await using _ = await openForCommand(database.kind === "sqlite" ? openExistingStore : openStore, database);
    }
    const verb = dryRun ? "Pending" : "Done";
    const lines = [
      ...pending.map(({ name, isOnline }) => `${verb}: ${name} (${isOnline ? "online" : "not online"})`),
      ...hindrance === undefined ? [] : [hindrance],
      ...grants.map((statement) => `Missing grant: ${statement}`)
    ];
    const nothing = isNewer ? "The schema is newer than this program, but compatible with it." : "The schema is up to date.";
    console.log(lines.length > 0 ? lines.join(`
`) : nothing);
    return exitCodes.success;
  }
};

// src/operations/errors.ts
var errorKinds = {
  BadRequest: {
    status: 400,
    meaning: "The body or a parameter is missing or has an invalid value.",
    example: "status must be one of available, pending, sold.",
    remedy: "The message names everything that is wrong at once, and what to send instead. Change the request; sent again as it is, it fails again."
  },
  Unauthorized: {
    status: 401,
    meaning: "The API key is missing or invalid.",
    example: "The API key is missing. Send it as Authorization: Bearer <API_KEY>.",
    remedy: "Send a key as `Authorization: Bearer <API_KEY>`. If you did, it is mistyped, has expired or was revoked: ask the operator of the store for another."
  },
  Forbidden: {
    status: 403,
    meaning: "The API key lacks the scope that the operation needs, or would give another key more than it has.",
    example: "This needs a key with the scope write; the scope of this one is read.",
    remedy: "Use a key with the scope that `WWW-Authenticate` names, or ask the operator of the store for one. A key cannot create another with more rights than its own."
  },
  NotFound: {
    status: 404,
    meaning: "The requested resource could not be found.",
    example: "No animal has the id 12.",
    remedy: "Check the path, its version and the identifier in it. Deleted resources do not come back, and their identifiers are never reused."
  },
  MethodNotAllowed: {
    status: 405,
    meaning: "This path does not allow the method; `Allow` lists the methods that it does.",
    example: "PUT is not allowed here. Use one of GET, HEAD, POST.",
    remedy: "Use one of the methods in `Allow`."
  },
  RequestTimeout: {
    status: 408,
    meaning: "The body did not arrive in time.",
    example: `The body did not arrive within ${bodyLimits.seconds} seconds.`,
    remedy: "Send the request again, with its body in one go."
  },
  Conflict: {
    status: 409,
    meaning: "The request conflicts with the current state; the message says why.",
    example: "Animal 12 is available. Its next status can be pending, not sold.",
    remedy: "Read the current state and decide again. Retry the same request only if the response has `Retry-After`: a request with the same `Idempotency-Key` is still in progress."
  },
  Gone: {
    status: 410,
    meaning: "It was removed; the message names what to use instead.",
    example: "getPet was removed at the end of 2030-12-05 (UTC). Use GET /v1/pets?id={petId} instead.",
    remedy: "Use the replacement that the message and `Link` name. A deprecated operation announces its removal long before, in `Deprecation` and `Sunset`. A cursor of events that are no longer kept cannot be used any more: read the current state, and start over."
  },
  PreconditionFailed: {
    status: 412,
    meaning: "The resource does not match `If-Match` or `If-None-Match`: somebody else has changed it. Nothing was changed.",
    example: "The resource does not match If-Match or If-None-Match. Read it again, then decide.",
    remedy: "Read the resource again, with its new `ETag`, and decide whether your change still makes sense."
  },
  PayloadTooLarge: {
    status: 413,
    meaning: `The body is larger than ${bodyLimits.kibibytes} KiB.`,
    example: `The body is too large. Send at most ${bodyLimits.kibibytes * 1024} bytes.`,
    remedy: "Send a smaller body."
  },
  UnsupportedMediaType: {
    status: 415,
    meaning: "The media type of the body is not supported; `Accept` lists those that are.",
    example: "Send the body as JSON in UTF-8, with Content-Type: application/json.",
    remedy: "Send the body as one of the types in `Accept`, in UTF-8 and without `Content-Encoding`."
  },
  UnprocessableContent: {
    status: 422,
    meaning: "The `Idempotency-Key` was used for another request, or for a new API key that was shown to another one.",
    example: "This Idempotency-Key was used for another request. Send another one, or the same request.",
    remedy: "Give every request its own `Idempotency-Key`, and reuse it only to retry that request."
  },
  TooManyRequests: {
    status: 429,
    meaning: "Too many requests by this key, too many of them with an `Idempotency-Key`, or too many from this address without a key or with a wrong one. `Retry-After` says when to continue.",
    example: "This key may make 100 requests per second. Wait before the next one.",
    remedy: "Wait for the number of seconds in `Retry-After`. `RateLimit` shows how many requests you have left."
  },
  InternalServerError: {
    status: 500,
    meaning: "Something went wrong in the service.",
    example: "Something went wrong in the service.",
    remedy: "This is a fault of the service. Tell the operator of the store, with the `X-Request-Id` of the response: the log has the cause under that id."
  },
  ServiceUnavailable: {
    status: 503,
    meaning: "The service or its database is unavailable; `Retry-After` says when to try again.",
    example: "Too many writes are waiting. Nothing was saved; try again.",
    remedy: "Retry after the number of seconds in `Retry-After`, with the same `Idempotency-Key` if there is one: a write may have been made all the same."
  },
  InsufficientStorage: {
    status: 507,
    meaning: "The store is out of disk space or ids. Nothing was saved.",
    example: "The store's disk is full. Nothing was saved.",
    remedy: "Tell the operator of the store. Reads still work."
  }
};
var errorCodes = Object.keys(errorKinds);
function titleOf(code) {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}
var code = {
  type: "string",
  description: `Machine-readable error code: ${errorCodes.join(", ")}. More may be added; fall back to the status for codes that you do not know.`
};
var status = { type: "integer", description: "The HTTP status code." };
var ErrorBody = {
  $id: "Error",
  type: "object",
  description: "What every error response carries.",
  required: ["code", "message", "status"],
  properties: {
    code,
    message: { type: "string", description: "Human-readable description." },
    status
  }
};
var ProblemBody = {
  $id: "Problem",
  type: "object",
  description: "RFC 9457: the error body of clients that accept `application/problem+json`.",
  required: ["type", "title", "status", "detail", "code"],
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description: "The page that explains the code, relative to the host."
    },
    title: { type: "string", description: "The name of the HTTP status." },
    status,
    detail: { type: "string", description: "Human-readable description: the message of the Error body." },
    code,
    errors: {
      type: "array",
      description: "Every wrong part of the request.",
      maxItems: 100,
      items: {
        type: "object",
        required: ["pointer", "message"],
        properties: {
          pointer: {
            type: "string",
            description: "The part of the request: `#/name` for a field of the body (RFC 6901), `?limit` for a query parameter, `Idempotency-Key` for the header."
          },
          message: { type: "string", description: "What that part must be." }
        }
      }
    }
  }
};

// src/operations/categories/schemas.ts
var name = nameField("The category's name, kept exactly as it was sent. Several categories may have the same name.");
var NewCategory = {
  $id: "NewCategory",
  type: "object",
  description: "The name to give to a category.",
  required: ["name"],
  properties: { name }
};
var Category = {
  $id: "Category",
  type: "object",
  description: "A category that has a name.",
  required: ["id", "name"],
  properties: { id: int64Field("The `categoryId` of its animals."), name }
};
var Categories = {
  $id: "Categories",
  type: "array",
  description: "A page of categories, ascending by `id`.",
  maxItems: largestLimit,
  items: Category
};
var exampleCategory = { id: 7, name: "Dogs" };
var categoryIdParam = {
  categoryId: int64Field("Identifier of the category: any 64-bit integer.")
};

// src/operations/events/envelope.ts
function envelopeOf({ type, subject, description }, data, changes, example) {
  const schema = {
    $id: schemaName(type),
    type: "object",
    description,
    required: ["id", "type", "timestamp", "subject", "actor", "request", "data", "previous"],
    properties: {
      id: EventId,
      type: { type: "string", const: type, description: "What has happened." },
      timestamp,
      subject: {
        type: "string",
        pattern: `^${subject}/-?[0-9]{1,19}$`,
        description: "What it happened to, as a path below the base path where there is one."
      },
      actor: Actor,
      request,
      data,
      previous: previousOf(changes)
    }
  };
  const whole = {
    id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
    type,
    timestamp: "2026-11-15T10:00:00.000Z",
    subject: `${subject}/${example.data.id}`,
    actor: { id: 2, name: "till 1" },
    request: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
    data: example.data,
    previous: example.previous ?? null
  };
  return { schema, example: whole };
}
var EventId = {
  $id: "EventId",
  type: "string",
  pattern: "^evt_[0-9a-f]{32}$",
  description: "Identifies the event. Random."
};
var timestamp = timeField("When it happened.");
var request = {
  type: ["string", "null"],
  description: "The `X-Request-Id` of the request that did it; null if it was no request."
};
var Actor = {
  $id: "Actor",
  type: "object",
  description: "The API key that did it. One that is not stored has no `id`: `environment` is the key that the operator has configured, `operator` whoever uses the command line.",
  required: ["id", "name"],
  properties: {
    id: optionalIdField("Identifier of the key; null if it is not stored."),
    name: { type: "string", description: "Name of the key at that time." }
  }
};
function previousOf(changes) {
  if (!changes)
    return { type: "null", description: "Nothing has changed: it is new, or gone." };
  return {
    type: ["object", "null"],
    description: "The fields that have changed, with what they were; null if it is new.",
    minProperties: 1,
    propertyNames: { enum: changes }
  };
}
function schemaName(type) {
  return `${type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Event`;
}

// src/operations/events/event-kind.ts
function eventKind({ data, changes, example, ...kind }) {
  const { schema, example: whole } = envelopeOf(kind, data, changes, example);
  return { ...kind, schema, example: whole };
}

// src/operations/events/types/category-named.ts
var categoryNamed2 = eventKind({
  type: "category.named",
  subject: "categories",
  summary: "A category was named",
  description: "A category got a name, or another one.",
  scope: "read",
  data: Category,
  changes: ["name"],
  example: { data: exampleCategory, previous: { name: "Puppies" } }
});

// src/operations/events/types/category-unnamed.ts
var categoryUnnamed2 = eventKind({
  type: "category.unnamed",
  subject: "categories",
  summary: "A category lost its name",
  description: "The name of a category was deleted. `data` is what it was; its animals stay.",
  scope: "read",
  data: Category,
  example: { data: exampleCategory }
});

// src/operations/keys/schemas.ts
init_key();
var Scope = {
  $id: "Scope",
  type: "string",
  enum: scopes,
  description: "What a key may be used for; each scope includes those before it.",
  [expects]: `one of ${scopes.join(", ")}`
};
var KeyState = {
  $id: "KeyState",
  type: "string",
  enum: keyStates,
  description: "`active` and `retiring` keys work; a `retiring` one has a successor and will expire."
};
var name2 = nameField("Who or what the key is for.", longestKeyName);
var expiresAt = {
  type: ["string", "null"],
  format: "date-time",
  pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z$",
  description: "When the key stops working, in UTC; null for never. It cannot outlive the key that creates it.",
  [expects]: "a time in UTC such as 2031-01-31T12:00:00Z, or null"
};
var NewKey = closed({
  $id: "NewKey",
  type: "object",
  description: "A key to create.",
  required: ["name", "scope"],
  properties: { name: name2, scope: Scope, expiresAt }
});
var defaultOverlapSeconds = 86400;
var KeyRotation = closed({
  $id: "KeyRotation",
  type: "object",
  description: "How to rotate a key.",
  properties: {
    overlapSeconds: {
      type: "integer",
      minimum: 0,
      maximum: 2592000,
      description: `How long the old key keeps working. Default: ${defaultOverlapSeconds} seconds, one day.`,
      [expects]: "an integer from 0 to 2592000",
      [whenAbsent]: defaultOverlapSeconds
    },
    expiresAt: {
      ...expiresAt,
      description: "When the new key stops working, in UTC; null for never. By default, it has the same lifetime as the old one, but never outlives the key that creates it."
    }
  }
});
var fields2 = {
  id: idField("Identifier of the key, as shown by `animal-store keys` and in the log."),
  name: name2,
  scope: Scope,
  state: KeyState,
  createdAt: timeField("When the key was created."),
  expiresAt: optionalTimeField("When the key stops working; null for never."),
  rotatedAt: optionalTimeField("When the key was given a successor; null if it has none."),
  revokedAt: optionalTimeField("When the key was revoked; null if it was not."),
  lastUsedAt: optionalTimeField("When the key was last used, to the minute; null if it was not.")
};
var required = [
  "id",
  "name",
  "scope",
  "state",
  "createdAt",
  "expiresAt",
  "rotatedAt",
  "revokedAt",
  "lastUsedAt"
];
var Key = {
  $id: "Key",
  type: "object",
  description: "An API key, without the key itself.",
  required,
  properties: fields2
};
var CurrentKey = {
  $id: "CurrentKey",
  type: "object",
  description: "The API key of the request, without the key itself. A key that the operator has configured is not stored: it is called `environment`, and has no `id` and no times.",
  required,
  properties: {
    ...fields2,
    id: optionalIdField("Identifier of the key, as shown by `animal-store keys` and in the log; null if it is not stored."),
    createdAt: optionalTimeField("When the key was created; null if it is not stored.")
  }
};
var CreatedKey = {
  $id: "CreatedKey",
  type: "object",
  description: "A new API key, with the key itself, which is shown only once.",
  required: [...required, "key"],
  properties: { ...fields2, key: { type: "string", description: "The key. It cannot be shown again." } }
};
var Keys = {
  $id: "Keys",
  type: "array",
  description: "A page of keys, ascending by `id`.",
  maxItems: largestLimit,
  items: Key
};
function expiryOf(text) {
  return text === null ? null : Date.parse(text);
}
var environmentKey = {
  id: null,
  name: "environment",
  scope: "admin",
  state: "active",
  createdAt: null,
  expiresAt: null,
  rotatedAt: null,
  revokedAt: null,
  lastUsedAt: null
};
var exampleKey = {
  id: 2,
  name: "till 1",
  scope: "write",
  state: "active",
  createdAt: "2026-11-15T10:00:00.000Z",
  expiresAt: null,
  rotatedAt: null,
  revokedAt: null,
  lastUsedAt: null
};
var exampleCreatedKey = { ...exampleKey, key: "ask_..." };
var keyIdParam = { keyId: int64Field("Identifier of the key.") };

// src/operations/events/types/key-created.ts
var keyCreated2 = eventKind({
  type: "key.created",
  subject: "keys",
  summary: "A key was created",
  description: "An API key was created, or succeeds another one.",
  scope: "admin",
  data: Key,
  example: { data: exampleKey }
});

// src/operations/events/types/key-revoked.ts
var keyRevoked2 = eventKind({
  type: "key.revoked",
  subject: "keys",
  summary: "A key was revoked",
  description: "An API key was revoked.",
  scope: "admin",
  data: Key,
  changes: ["state", "revokedAt"],
  example: {
    data: { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T10:00:00.000Z" },
    previous: { state: "active", revokedAt: null }
  }
});

// src/operations/events/types/key-rotated.ts
var keyRotated2 = eventKind({
  type: "key.rotated",
  subject: "keys",
  summary: "A key was rotated",
  description: "An API key was given a successor, whose own event comes right after.",
  scope: "admin",
  data: Key,
  changes: ["state", "expiresAt", "rotatedAt"],
  example: {
    data: {
      ...exampleKey,
      state: "retiring",
      expiresAt: "2026-11-16T10:00:00.000Z",
      rotatedAt: "2026-11-15T10:00:00.000Z"
    },
    previous: { state: "active", expiresAt: null, rotatedAt: null }
  }
});

// src/operations/orders/schemas.ts
init_order();
var OrderStatus = {
  $id: "OrderStatus",
  type: "string",
  enum: orderStatuses,
  description: "`placed` means open; `completed` and `cancelled` are final.",
  [expects]: `one of ${orderStatuses.join(", ")}`
};
var NewOrder = {
  $id: "NewOrder",
  type: "object",
  description: "An order to place.",
  required: ["petId"],
  properties: { petId: int64Field("Identifier of the animal to order. It must be `available`.") }
};
var Order = {
  $id: "Order",
  type: "object",
  description: "An order for one animal.",
  required: ["id", "petId", "status", "createdAt", "updatedAt"],
  properties: {
    id: idField("Unique identifier assigned by the service. Ascends from 1 and is never reused."),
    petId: idField("Identifier of the animal. Once the order is completed or cancelled, the animal may have been deleted."),
    status: OrderStatus,
    createdAt: timeField("When the order was placed."),
    updatedAt: timeField("When the order last changed.")
  }
};
var Orders = {
  $id: "Orders",
  type: "array",
  description: "A page of orders, ascending by `id`.",
  maxItems: largestLimit,
  items: Order
};
var exampleOrder = {
  id: 1,
  petId: 1,
  status: "placed",
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z"
};
var orderIdParam = { orderId: int64Field("Identifier of the order.") };

// src/operations/events/types/order-cancelled.ts
var orderCancelled = eventKind({
  type: "order.cancelled",
  subject: "orders",
  summary: "An order was cancelled",
  description: "An order was cancelled. The event of its animal, which became `available`, comes right before.",
  scope: "read",
  data: Order,
  changes: ["status", "updatedAt"],
  example: {
    data: { ...exampleOrder, status: "cancelled", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt }
  }
});

// src/operations/events/types/order-completed.ts
var orderCompleted = eventKind({
  type: "order.completed",
  subject: "orders",
  summary: "An order was completed",
  description: "An order was completed. The event of its animal, which became `sold`, comes right before.",
  scope: "read",
  data: Order,
  changes: ["status", "updatedAt"],
  example: {
    data: { ...exampleOrder, status: "completed", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt }
  }
});

// src/operations/events/types/order-placed.ts
var orderPlaced2 = eventKind({
  type: "order.placed",
  subject: "orders",
  summary: "An order was placed",
  description: "An order was placed. The event of its animal, which became `pending`, comes right before.",
  scope: "read",
  data: Order,
  example: { data: exampleOrder }
});

// src/operations/pets/schemas.ts
init_pet();
var PetStatus = {
  $id: "PetStatus",
  type: "string",
  enum: petStatuses,
  description: "Whether an animal can be bought.",
  [expects]: `one of ${petStatuses.join(", ")}`
};
var fields3 = {
  name: nameField("The animal's name, kept exactly as it was sent."),
  categoryId: int64Field("Identifier of the category the animal belongs to. The category need not exist.")
};
var NewPet = {
  $id: "NewPet",
  type: "object",
  description: "An animal to add.",
  required: ["name", "categoryId"],
  properties: {
    ...fields3,
    status: {
      ...PetStatus,
      description: `Availability status. Default: \`${defaultPetStatus}\`.`,
      [whenAbsent]: defaultPetStatus
    }
  }
};
var PetPatch = {
  $id: "PetPatch",
  type: "object",
  description: "The fields of an animal to change (RFC 7396). Omitted fields stay as they are.",
  properties: { ...fields3, status: PetStatus }
};
var Pet = {
  $id: "Pet",
  type: "object",
  description: "An animal of the store.",
  required: ["id", "name", "categoryId", "status"],
  properties: {
    id: idField("Unique identifier assigned by the service on creation. Ascends from 1 and is never reused."),
    ...fields3,
    status: PetStatus
  }
};
var Pets = {
  $id: "Pets",
  type: "array",
  description: "A page of animals, ascending by `id`.",
  maxItems: largestLimit,
  items: Pet
};
var examplePet = { id: 1, name: "Rex", categoryId: 7, status: "available" };

// src/operations/events/types/pet-created.ts
var petCreated2 = eventKind({
  type: "pet.created",
  subject: "pets",
  summary: "An animal was added",
  description: "An animal was added to the store.",
  scope: "read",
  data: Pet,
  example: { data: examplePet }
});

// src/operations/events/types/pet-deleted.ts
var petDeleted2 = eventKind({
  type: "pet.deleted",
  subject: "pets",
  summary: "An animal was deleted",
  description: "An animal was deleted. `data` is what it was.",
  scope: "read",
  data: Pet,
  example: { data: examplePet }
});

// src/operations/events/types/pet-updated.ts
var petUpdated2 = eventKind({
  type: "pet.updated",
  subject: "pets",
  summary: "An animal was changed",
  description: "An animal was changed, by a request to it or by an order for it.",
  scope: "read",
  data: Pet,
  changes: ["name", "categoryId", "status"],
  example: { data: { ...examplePet, status: "pending" }, previous: { status: "available" } }
});

// src/operations/webhooks/schemas.ts
init_event();
init_webhook();
var url = {
  type: "string",
  minLength: 9,
  maxLength: 2048,
  pattern: "^https?://[!-~]+$",
  description: "Where events are sent to, by `POST`. It must be `https` and lead to public addresses, unless the operator allows others.",
  [expects]: "a URL of at most 2048 ASCII characters such as https://shop.example/hooks"
};
var types = {
  type: "array",
  maxItems: 100,
  uniqueItems: true,
  items: { type: "string", enum: eventTypes },
  description: "The types of events that are sent. Empty for all, including those to come.",
  [expects]: `an array of some of ${eventTypes.join(", ")}, each at most once`
};
var description = {
  type: ["string", "null"],
  minLength: 1,
  maxLength: 255,
  pattern: namePatterns.allowed,
  description: "What it is for.",
  [expects]: "null, or a string of 1 to 255 characters, none of them a control character"
};
var WebhookStatus = {
  $id: "WebhookStatus",
  type: "string",
  enum: webhookStatuses,
  description: "Whether events are sent. While it is `disabled`, events wait, for as long as the log keeps them.",
  [expects]: `one of ${webhookStatuses.join(", ")}`
};
var NewWebhook = closed({
  $id: "NewWebhook",
  type: "object",
  description: "A webhook to create.",
  required: ["url"],
  properties: {
    url,
    types: { ...types, [whenAbsent]: [] },
    description: { ...description, [whenAbsent]: null }
  }
});
var WebhookPatch = closed({
  $id: "WebhookPatch",
  type: "object",
  description: "The fields of a webhook to change (RFC 7396). Omitted fields stay as they are.",
  properties: { url, types, description, status: WebhookStatus }
});
var defaultOverlapSeconds2 = 86400;
var WebhookRotation = closed({
  $id: "WebhookRotation",
  type: "object",
  description: "How to rotate the secret of a webhook.",
  properties: {
    overlapSeconds: {
      type: "integer",
      minimum: 0,
      maximum: 2592000,
      description: `How long events are signed with the old secret as well. Default: ${defaultOverlapSeconds2} seconds, one day.`,
      [expects]: "an integer from 0 to 2592000",
      [whenAbsent]: defaultOverlapSeconds2
    }
  }
});
var fields4 = {
  id: idField("Identifier of the webhook."),
  url,
  types: { type: "array", maxItems: 100, items: { type: "string" }, description: types.description },
  description,
  status: WebhookStatus,
  disabledReason: {
    type: ["string", "null"],
    enum: [...disabledReasons, null],
    description: "Why it is disabled: `request`, somebody asked for it; `gone`, the receiver answered 410; `failures`, every attempt failed for 5 days; `retention`, events that it had not received were removed from the log; `history`, the log is no longer the one that it had followed. Null if it is enabled."
  },
  failingSince: optionalTimeField("Since when every attempt has failed; null after a success."),
  oldSecretExpiresAt: optionalTimeField("Until when events are signed with the secret before this one as well; null if there was none."),
  createdAt: timeField("When it was created."),
  updatedAt: timeField("When it was last changed.")
};
var required2 = [
  "id",
  "url",
  "types",
  "description",
  "status",
  "disabledReason",
  "failingSince",
  "oldSecretExpiresAt",
  "createdAt",
  "updatedAt"
];
var Webhook = {
  $id: "Webhook",
  type: "object",
  description: "Where events are sent to, without its secret.",
  required: required2,
  properties: fields4
};
var CreatedWebhook = {
  $id: "CreatedWebhook",
  type: "object",
  description: "A webhook with a new secret, which is shown only once.",
  required: [...required2, "secret"],
  properties: {
    ...fields4,
    secret: {
      type: "string",
      description: "What events are signed with: `whsec_` and 32 bytes in base64. It cannot be shown again."
    }
  }
};
var Webhooks = {
  $id: "Webhooks",
  type: "array",
  description: "A page of webhooks, ascending by `id`.",
  maxItems: largestLimit,
  items: Webhook
};
var WebhookDelivery = {
  $id: "WebhookDelivery",
  type: "object",
  description: "An attempt to deliver an event.",
  required: [
    "id",
    "eventId",
    "type",
    "subject",
    "attempt",
    "at",
    "outcome",
    "responseStatus",
    "error",
    "durationMs",
    "nextAttemptAt"
  ],
  properties: {
    id: idField("Identifier of the delivery."),
    eventId: { type: "string", description: "Identifier of the event, which the receiver gets as `webhook-id`." },
    type: { type: "string", description: "Type of the event; `webhook.test` for a test." },
    subject: { type: "string", description: "What the event is about." },
    attempt: { type: "integer", minimum: 1, description: "Which attempt it was, from 1 on." },
    at: timeField("When it began."),
    outcome: {
      type: "string",
      enum: deliveryOutcomes,
      description: "What came of it: only a status from 200 to 299 is `delivered`. `pending` while that is not known."
    },
    responseStatus: {
      type: ["integer", "null"],
      description: "The HTTP status code of the response; null if there was none."
    },
    error: { type: ["string", "null"], description: "Why it failed; null if it did not." },
    durationMs: {
      type: ["integer", "null"],
      minimum: 0,
      description: "How many milliseconds it took; null while it is not over."
    },
    nextAttemptAt: optionalTimeField("When the event is tried again; null if it is not.")
  }
};
var WebhookDeliveries = {
  $id: "WebhookDeliveries",
  type: "array",
  description: "The latest attempts, the last first.",
  maxItems: largestLimit,
  items: WebhookDelivery
};
var WebhookReplay = closed({
  $id: "WebhookReplay",
  type: "object",
  description: "From where to send events again.",
  required: ["from"],
  properties: {
    from: {
      type: "string",
      pattern: "^[!-~]{1,100}$",
      description: "`beginning`: everything that the log still has. `end`: nothing of what has happened so far. Otherwise a cursor of the list of events: everything after it.",
      [expects]: "beginning, end, or a cursor of the list of events"
    }
  }
});
var exampleWebhook = {
  id: 1,
  url: "https://hooks.shop.example/animals",
  types: ["pet.created", "pet.updated", "pet.deleted"],
  description: "keeps the window up to date",
  status: "enabled",
  disabledReason: null,
  failingSince: null,
  oldSecretExpiresAt: null,
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z"
};
var exampleCreatedWebhook = { ...exampleWebhook, secret: "whsec_..." };
var exampleDelivery = {
  id: 1,
  eventId: "evt_1f0c5a3be2d94a0e8f3d6b7c81a2e4f5",
  type: "pet.created",
  subject: "pets/12",
  attempt: 1,
  at: "2026-11-15T10:00:00.000Z",
  outcome: "delivered",
  responseStatus: 204,
  error: null,
  durationMs: 31,
  nextAttemptAt: null
};
var webhookIdParam = { webhookId: int64Field("Identifier of the webhook.") };

// src/operations/events/types/webhook-disabled.ts
var webhookDisabled2 = eventKind({
  type: "webhook.disabled",
  subject: "webhooks",
  summary: "A webhook was disabled",
  description: "A webhook was disabled: by a request, or because it could not go on, as its `disabledReason` says.",
  scope: "admin",
  data: Webhook,
  changes: ["status", "disabledReason"],
  example: {
    data: { ...exampleWebhook, status: "disabled", disabledReason: "failures" },
    previous: { status: "enabled", disabledReason: null }
  }
});

// src/operations/events/event-kinds.ts
var eventKinds = [
  petCreated2,
  petUpdated2,
  petDeleted2,
  orderPlaced2,
  orderCompleted,
  orderCancelled,
  categoryNamed2,
  categoryUnnamed2,
  keyCreated2,
  keyRotated2,
  keyRevoked2,
  webhookDisabled2
];
var restrictedTypes = new Set(eventKinds.filter(({ scope }) => scope === "admin").map(({ type }) => type));

// src/operations/definition.ts
function operation(definition) {
  const operation = definition;
  const faults = faultsOf(operation);
  if (faults.length > 0)
    throw new Error(`${operation.id} cannot work: ${faults.join("; ")}.`);
  return operation;
}
function faultsOf(operation) {
  return [...listFaults(operation), ...writeFaults(operation), ...inputFaults(operation)];
}
function* listFaults({
  method,
  paged,
  isFeed,
  isExport,
  isCached,
  namedBy,
  query = {},
  success
}) {
  if (paged && method !== "GET")
    yield "only a GET can be a list";
  if (paged && success.schema.type !== "array")
    yield "a list must have a schema of an array";
  if (paged && !("limit" in query))
    yield "a list must take a limit";
  if (isFeed && (method !== "GET" || paged || !("cursor" in query)))
    yield "a feed is a GET with a cursor of its own";
  if (isExport && (method !== "GET" || paged))
    yield "an export is a GET of everything";
  if (isCached && !paged)
    yield "only the pages of a list can be kept";
  if (namedBy !== undefined && !(paged && (namedBy in query)))
    yield "namedBy must be a parameter of a list";
}
function* writeFaults({ method, current, replaces, success, body }) {
  if (method === "GET" && (current || body))
    yield "a GET has neither a body nor anything that it changes";
  if (replaces && (method !== "PUT" || !current))
    yield "only a PUT, and one that reads what is there, replaces";
  if (replaces === true !== (success.created !== undefined))
    yield "what is said with 201 belongs to an operation that replaces";
}
function* inputFaults({ path, params = {}, query = {}, body, isStrict = false }) {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort();
  if (named.join() !== Object.keys(params).sort().join())
    yield "its path and its params must name the same parameters";
  if (body && isClosed(body.schema) !== isStrict)
    yield "its body must be closed if it is strict, and only then";
  for (const fields of [params, query, body?.schema.properties ?? {}])
    yield* wordFaults(fields);
}
function* wordFaults(fields) {
  for (const [name, schema] of Object.entries(fields)) {
    if (!schema[expects])
      yield `${name} does not say what it expects`;
  }
}

// src/operations/categories/delete-category.ts
var deleteCategory = operation({
  id: "deleteCategory",
  method: "DELETE",
  path: "/categories/:categoryId",
  tag: "categories",
  summary: "Delete a category's name",
  description: "Deletes only the name: the animals of the category stay, and keep its identifier.",
  scope: "write",
  stability: "beta",
  params: categoryIdParam,
  success: { status: 204, description: "The category no longer has a name.", schema: Nothing, examples: {} },
  errors: [],
  current: { read: ({ params: { categoryId } }, { store }) => store.categories.get(categoryId) },
  handle: ({ params: { categoryId }, expected }, { store }) => store.categories.delete(categoryId, expected)
});

// src/operations/categories/get-category.ts
init_category();
var getCategory = operation({
  id: "getCategory",
  method: "GET",
  path: "/categories/:categoryId",
  tag: "categories",
  summary: "Get a category",
  description: "Returns a single category. A category without a name gets 404, even if there are animals in it.",
  scope: "read",
  stability: "beta",
  params: categoryIdParam,
  success: {
    status: 200,
    description: "The category.",
    schema: Category,
    examples: { category: { summary: "A category", value: exampleCategory } }
  },
  errors: ["NotFound"],
  handle: ({ params: { categoryId } }, { store }) => found(store.categories.get(categoryId), () => noSuchCategory(categoryId))
});

// src/operations/categories/list-categories.ts
var listCategories = operation({
  id: "listCategories",
  method: "GET",
  path: "/categories",
  tag: "categories",
  summary: "List categories",
  description: "Returns a paginated list of the categories that have a name, ascending by `id`, with the same paging as the list of animals.",
  scope: "read",
  stability: "beta",
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of categories.",
    schema: Categories,
    examples: {
      page: { summary: "One category", value: [exampleCategory] },
      none: { summary: "No category has a name", value: [] }
    }
  },
  errors: [],
  handle: ({ query: { limit }, after }, { store }) => store.categories.list({ limit, after })
});

// src/operations/categories/put-category.ts
var putCategory = operation({
  id: "putCategory",
  method: "PUT",
  path: "/categories/:categoryId",
  tag: "categories",
  summary: "Name a category",
  description: "Sets or replaces the name of a category. With `If-None-Match: *`, only if it has none; with `If-Match`, only if nobody else has changed it since.",
  scope: "write",
  stability: "beta",
  params: categoryIdParam,
  body: { schema: NewCategory, examples: { name: { summary: "A name", value: { name: "Dogs" } } } },
  replaces: true,
  success: {
    status: 200,
    description: "The name of the category was replaced.",
    created: "The category now has a name.",
    schema: Category,
    examples: { named: { summary: "The category with its name", value: exampleCategory } }
  },
  errors: [],
  current: { read: ({ params: { categoryId } }, { store }) => store.categories.get(categoryId) },
  async handle({ params: { categoryId: id }, body: { name }, expected }, { store }) {
    const category = { id, name };
    const isNew = await store.categories.put(category, expected);
    return isNew ? new Created(category) : category;
  }
});

// src/operations/events/list-events.ts
init_errors();
init_event();

// src/domain/event-cursor.ts
import { hash as hash2 } from "crypto";
var beforeFirst2 = { position: 0, mark: markOf2("") };
function cursorAfter(position, eventId) {
  return { position, mark: markOf2(eventId) };
}
function isAfter({ mark }, eventId) {
  return mark === markOf2(eventId);
}
function encodeEventCursor({ position, mark }) {
  const head = `${version4}${position.toString(radix)}.${mark}`;
  return `${head}${checkOf(head)}`;
}
function decodeEventCursor(text) {
  const [, head = "", digits = "", mark = "", check] = /^(1([0-9a-z]{1,11})\.([A-Za-z0-9_-]{10}))([A-Za-z0-9_-]{4})$/.exec(text) ?? [];
  if (check === undefined || check !== checkOf(head))
    return;
  const position = Number.parseInt(digits, radix);
  return Number.isSafeInteger(position) ? { position, mark } : undefined;
}
var version4 = "1";
var radix = 36;
function markOf2(eventId) {
  return hash2("sha256", `animal-store event
${eventId}`, "base64url").slice(0, 10);
}
function checkOf(head) {
  return hash2("sha256", `animal-store event cursor
${head}`, "base64url").slice(0, 4);
}

// src/operations/events/list-events.ts
init_key();

// src/operations/events/read-events.ts
init_errors();
class EventBatch {
  events;
  next;
  hasMore;
  constructor(events, next, hasMore) {
    this.events = events;
    this.next = next;
    this.hasMore = hasMore;
  }
}
function newestCursor(log) {
  return mapAwaitable(log.ends(), (ends) => ends ? cursorAfter(ends.newest.position, ends.newest.id) : beforeFirst2);
}
function readEvents2(log, filter, cursor, limit, seesAll) {
  const start = cursor ?? beforeFirst2;
  return mapAwaitable(cursor && requireUnchanged(log, cursor), () => collect(log, filter, start, limit, seesAll, []));
}
function collect(log, filter, start, limit, seesAll, found) {
  return mapAwaitable(log.read(filter, start.position, limit), ({ events, end }) => {
    const last = events.at(-1);
    const isFull = events.length === limit;
    const seen = seesAll ? events : events.filter(({ type }) => !restrictedTypes.has(type));
    const all = [...found, ...seen].slice(0, limit);
    const lastTaken = all.length === limit ? all.at(-1) : last;
    const reached = lastTaken ? cursorAfter(lastTaken.position, lastTaken.id) : start;
    if (isFull && all.length < limit)
      return collect(log, filter, reached, limit, seesAll, all);
    const isAtEnd = !isFull && all.length < limit;
    const next = isAtEnd && end && end.position > reached.position ? cursorAfter(end.position, end.id) : reached;
    return new EventBatch(all, next, !isAtEnd);
  });
}
function requireUnchanged(log, cursor) {
  if (cursor.position === 0) {
    return mapAwaitable(log.ends(), (ends) => {
      if (ends && ends.oldest.position > 1)
        throw removed();
    });
  }
  return mapAwaitable(log.idAt(cursor.position), (id) => {
    if (id !== undefined && isAfter(cursor, id))
      return;
    return mapAwaitable(log.ends(), (ends) => refuse(cursor, ends));
  });
}
function refuse({ position }, ends) {
  throw ends && position < ends.oldest.position ? removed() : changedHistory();
}
function removed() {
  return new ServiceError("Gone", "Events after this cursor have been removed, because they were older than the service keeps them. Read the current state, then start over without a cursor.");
}
function changedHistory() {
  return new ServiceError("Conflict", "The history of this store is not the one that the cursor is of: an earlier state was restored. Read the current state, then start over without a cursor.");
}

// src/operations/events/schemas.ts
init_event();
var EventType = {
  $id: "EventType",
  type: "string",
  enum: eventTypes,
  description: "What has happened."
};
var Event = {
  $id: "Event",
  type: "object",
  description: "Something that has happened. The bytes of an event never change.",
  oneOf: eventKinds.map(({ schema }) => schema)
};
var Events = {
  $id: "Events",
  type: "array",
  description: "A page of events, in the order in which they happened.",
  maxItems: largestLimit,
  items: Event
};
var CloudEvent = {
  $id: "CloudEvent",
  type: "object",
  description: "The same event as a CloudEvent 1.0.",
  required: ["specversion", "id", "source", "type", "time", "subject", "datacontenttype", "data"],
  properties: {
    specversion: { type: "string", const: "1.0" },
    id: { type: "string", description: "Identifies the event." },
    source: { type: "string", format: "uri-reference", description: "The base path of the API." },
    type: EventType,
    time: { type: "string", format: "date-time", description: "When it happened." },
    subject: { type: "string", description: "What it happened to." },
    datacontenttype: { type: "string", const: "application/json" },
    actorid: { type: "integer", format: "int64", description: "Identifier of the key that did it, if it is stored." },
    actorname: { type: "string", description: "Name of the key that did it." },
    requestid: { type: "string", description: "The `X-Request-Id` of the request that did it, if it was one." },
    data: {
      type: "object",
      description: "What it happened to, and what has changed.",
      required: ["current", "previous"],
      properties: {
        current: { type: "object", description: "`data` of the event." },
        previous: { type: ["object", "null"], description: "`previous` of the event." }
      }
    }
  }
};
var CloudEvents = {
  $id: "CloudEvents",
  type: "array",
  description: "A page of events in the batch format of CloudEvents.",
  maxItems: largestLimit,
  items: CloudEvent
};
var [petCreated3] = eventKinds;
var exampleCloudEvent = {
  specversion: "1.0",
  id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
  source: "/v1",
  type: "pet.created",
  time: "2026-11-15T10:00:00.000Z",
  subject: "pets/1",
  datacontenttype: "application/json",
  actorid: 2,
  actorname: "till 1",
  requestid: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
  data: { current: { id: 1, name: "Rex", categoryId: 7, status: "available" }, previous: null }
};
var exampleStream = `id: 11.J0bhlWDPQ9Mpw0
event: pet.created
data: ${JSON.stringify(petCreated3?.example)}

`;
var typePattern = eventTypes.map((type) => type.replace(".", "\\.")).join("|");
var typesField = {
  type: "string",
  pattern: `^(${typePattern})(,(${typePattern})){0,${eventTypes.length - 1}}$`,
  description: "Returns only events of this type, or of these, separated by commas.",
  examples: ["pet.created,pet.updated"],
  [expects]: `one or more of ${eventTypes.join(", ")}, separated by commas`
};
var subjectField = {
  type: "string",
  pattern: `^(${subjectKinds.join("|")})/-?[0-9]{1,19}$`,
  description: "Returns only events of this: `pets/12` gives the history of animal 12.",
  examples: ["pets/12"],
  [expects]: `one of ${subjectKinds.join(", ")}, a slash, and an id, such as pets/12`
};
var latest = "latest";
var eventCursorField = {
  type: "string",
  description: `Where to go on. Opaque: follow the \`next\` URL in the \`Link\` header, or take the \`id\` of a message of the stream. \`${latest}\` starts after the newest event. Without it, the oldest event that is kept comes first. A cursor can be used with any filter.`,
  [expects]: `one that this operation returned, or ${latest}; omit it to start with the oldest event`
};

// src/operations/events/list-events.ts
var listEvents = operation({
  id: "listEvents",
  method: "GET",
  path: "/events",
  tag: "events",
  summary: "List events, or follow them",
  description: "Returns what has happened to animals, orders, categories, keys and webhooks, in the order in which it happened. Each event says which key did it, in which request, what the result is and what was before. `Link` always has a `next`: follow it to go on, at once or days later, and you miss nothing. " + "With `Prefer: wait=20`, a request for which there is nothing yet waits up to that many seconds, at most 30. With `Accept: text/event-stream`, the response is a stream of server-sent events that does not end: the `id` of a message is the cursor after it, and `Last-Event-ID` resumes.\n\n" + "Events are kept for 30 days, unless the operator has chosen otherwise; a cursor from before gets 410. After an earlier state of the store was restored, a cursor of what is lost gets 409. Events of keys and webhooks are shown to keys with the scope `admin` alone.",
  scope: "read",
  stability: "beta",
  query: { type: typesField, subject: subjectField, limit: limitField, cursor: eventCursorField },
  isFeed: true,
  success: {
    status: 200,
    description: "A page of events, or a stream of them.",
    schema: Events,
    examples: {
      page: { summary: "Two events", value: eventKinds.slice(0, 2).map(({ example }) => example) },
      none: { summary: "Nothing has happened since", value: [] }
    },
    otherTypes: {
      "application/cloudevents-batch+json": {
        schema: CloudEvents,
        examples: { page: { summary: "An event", value: [exampleCloudEvent] } }
      },
      "text/event-stream": {
        schema: { type: "string", description: "Server-sent events: `data` is an event, `id` the cursor after it." },
        examples: { stream: { summary: "The start of a stream", value: exampleStream } }
      }
    }
  },
  errors: ["Forbidden", "Conflict", "Gone"],
  handle({ query: { type, subject, limit, cursor } }, { store, caller }) {
    const seesAll = includesScope(caller.scope, "admin");
    const filter = { types: type === undefined ? undefined : typesIn(type), subject };
    if (!seesAll)
      requireVisible(filter);
    return mapAwaitable(startOf(store.events, cursor), (start) => readEvents2(store.events, filter, start, limit, seesAll));
  }
});
function typesIn(text) {
  return [...new Set(text.split(","))];
}
function startOf(log, cursor) {
  if (cursor === undefined)
    return;
  if (cursor === latest)
    return newestCursor(log);
  const start = decodeEventCursor(cursor);
  if (start)
    return start;
  throw new ServiceError("BadRequest", `cursor must be one that this operation returned, or ${latest}; omit it to start with the oldest event.`);
}
function requireVisible({ types, subject }) {
  const kind = subjectKinds.find((one) => subject?.startsWith(`${one}/`));
  const isRestricted = types?.some((type) => restrictedTypes.has(type)) || kind && isRestrictedKind(kind);
  if (isRestricted)
    throw new ServiceError("Forbidden", "Events of keys and webhooks need a key with the scope admin.");
}
function isRestrictedKind(kind) {
  return eventKinds.some(({ subject, scope }) => subject === kind && scope === "admin");
}

// src/operations/inventory/schemas.ts
init_pet();
var count = { type: "integer", minimum: 0 };
var Inventory = {
  $id: "Inventory",
  type: "object",
  description: "The number of animals with each status.",
  required: petStatuses,
  properties: {
    available: { ...count, description: "Animals that can be ordered." },
    pending: { ...count, description: "Animals that are reserved." },
    sold: { ...count, description: "Animals that are sold." }
  }
};

// src/operations/inventory/get-inventory.ts
var getInventory = operation({
  id: "getInventory",
  method: "GET",
  path: "/store/inventory",
  tag: "store",
  summary: "Count the animals",
  description: "Returns the number of animals with each status, all at one point in time. It takes the same time however many there are.",
  scope: "read",
  stability: "experimental",
  success: {
    status: 200,
    description: "The counts.",
    schema: Inventory,
    examples: { counts: { summary: "A small store", value: { available: 12, pending: 2, sold: 30 } } }
  },
  errors: [],
  handle: (_, { store }) => store.inventory()
});

// src/operations/keys/get-key.ts
init_key();
var getKey = operation({
  id: "getKey",
  method: "GET",
  path: "/keys/:keyId",
  tag: "keys",
  summary: "Get a key",
  description: "Returns a single key, without the key itself.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: keyIdParam,
  success: {
    status: 200,
    description: "The key's description.",
    schema: Key,
    examples: { key: { summary: "A key", value: exampleKey } }
  },
  errors: ["NotFound"],
  handle: async ({ params: { keyId } }, { store, clock }) => {
    const key = await found(store.keys.get(keyId), () => noSuchKey(keyId));
    return presentKey(key, clock());
  }
});

// src/operations/keys/show-once.ts
init_key();
async function showOnce({ vault, onBehalf }, make) {
  const text = generateKey();
  const own = await vault.seal(text);
  const { sealed, ...made } = await onBehalf(() => make({ hash: hashKey(text), sealed: own }));
  const key = sealed === own ? text : await vault.open(sealed ?? "");
  if (key === undefined)
    throw shownToAnother(made.id);
  return { ...presentKey(made, made.createdAt), key };
}

// src/operations/keys/create-key.ts
var createKey = operation({
  id: "createKey",
  method: "POST",
  path: "/keys",
  tag: "keys",
  summary: "Create a key",
  description: "Creates a key and shows it once. A key cannot create one with a larger scope than its own, or one that outlives it (403).",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  body: {
    schema: NewKey,
    examples: {
      forever: { summary: "A key that does not expire", value: { name: "till 1", scope: "write" } },
      forATime: {
        summary: "A key that expires",
        value: { name: "auditor", scope: "read", expiresAt: "2031-01-31T12:00:00Z" }
      }
    }
  },
  success: {
    status: 201,
    description: "Key created; the body contains it.",
    schema: CreatedKey,
    examples: { made: { summary: "The new key", value: exampleCreatedKey } },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true
  },
  errors: ["Forbidden"],
  async handle({ body: { name, scope, expiresAt = null } }, context) {
    const { store, clock, caller } = context;
    const key = { name, scope, createdAt: clock(), expiresAt: expiryOf(expiresAt) };
    return await showOnce(context, (secret) => store.keys.create(key, secret, caller));
  }
});

// src/operations/keys/get-current-key.ts
init_key();
var getCurrentKey = operation({
  id: "getCurrentKey",
  method: "GET",
  path: "/keys/current",
  tag: "keys",
  summary: "Get the current key",
  description: "Returns the key that the request is sent with, without the key itself: its name, its scope, and when it expires.",
  scope: "read",
  stability: "beta",
  isStrict: true,
  success: {
    status: 200,
    description: "The key's description.",
    schema: CurrentKey,
    examples: {
      stored: { summary: "A stored key", value: exampleKey },
      configured: { summary: "The key that the operator has configured", value: environmentKey }
    }
  },
  errors: ["NotFound"],
  handle: async (_, { store, clock, caller: { key: id } }) => {
    if (id === "environment")
      return environmentKey;
    const key = await found(store.keys.get(id), () => noSuchKey(id));
    return presentKey(key, clock());
  }
});

// src/operations/keys/list-keys.ts
init_key();
var listKeys = operation({
  id: "listKeys",
  method: "GET",
  path: "/keys",
  tag: "keys",
  summary: "List keys",
  description: "Returns a paginated list of all keys, including those that no longer work, ascending by `id`, with the same paging as the list of animals.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of keys.",
    schema: Keys,
    examples: { page: { summary: "One key", value: [exampleKey] } }
  },
  errors: [],
  async handle({ query: { limit }, after }, { store, clock }) {
    const { items, next } = await store.keys.list({ limit, after });
    return { items: items.map((key) => presentKey(key, clock())), next };
  }
});

// src/operations/keys/revoke-key.ts
init_key();
var revokeKey = operation({
  id: "revokeKey",
  method: "POST",
  path: "/keys/:keyId/revoke",
  tag: "keys",
  summary: "Revoke a key",
  description: "Revokes a key permanently; it stops working everywhere within a second. Revoking it again changes nothing. A key with the scope `admin` is kept, and gets 409, unless another active one lasts as long.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: keyIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "The key is revoked.",
    schema: Key,
    examples: {
      revoked: {
        summary: "The revoked key",
        value: { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T11:00:00.000Z" }
      }
    }
  },
  errors: ["Conflict"],
  current: {
    read: ({ params: { keyId } }, { store }) => store.keys.get(keyId),
    show: (key, { clock }) => presentKey(key, clock())
  },
  async handle({ params: { keyId }, expected }, { store, clock }) {
    const now = clock();
    return presentKey(await store.keys.revoke(keyId, now, true, expected), now);
  }
});

// src/operations/keys/rotate-key.ts
init_key();
var rotateKey = operation({
  id: "rotateKey",
  method: "POST",
  path: "/keys/:keyId/rotate",
  tag: "keys",
  summary: "Rotate a key",
  description: "Creates a successor with the same name and scope and shows it once. The old key is then `retiring`, and keeps working for the overlap. A key that has a successor, has expired or was revoked gets 409. So does one with the scope `admin`, unless its successor or another active one lasts as long as it would have.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: keyIdParam,
  body: {
    schema: KeyRotation,
    isOptional: true,
    examples: {
      plain: { summary: "With an overlap of a day", value: {} },
      atOnce: { summary: "The old key stops immediately", value: { overlapSeconds: 0 } }
    }
  },
  success: {
    status: 201,
    description: "Successor created; the body contains it.",
    schema: CreatedKey,
    examples: { made: { summary: "The successor", value: { ...exampleCreatedKey, id: 3 } } },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true
  },
  errors: ["Forbidden", "Conflict"],
  current: {
    read: ({ params: { keyId } }, { store }) => store.keys.get(keyId),
    show: (key, { clock }) => presentKey(key, clock())
  },
  async handle({ params: { keyId }, body, expected }, context) {
    const { store, clock, caller } = context;
    const now = clock();
    const rotation = {
      at: now,
      retiresAt: now + body.overlapSeconds * 1000,
      expiresAt: body.expiresAt === undefined ? undefined : expiryOf(body.expiresAt),
      maker: caller,
      keepLastAdmin: true
    };
    return await showOnce(context, (secret) => store.keys.rotate(keyId, rotation, secret, expected));
  }
});

// src/operations/orders/cancel-order.ts
init_order();
var cancelOrder = operation({
  id: "cancelOrder",
  method: "POST",
  path: "/store/orders/:orderId/cancel",
  tag: "store",
  summary: "Cancel an order",
  description: "Ends an open order without a sale; its animal becomes `available` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  scope: "write",
  stability: "beta",
  params: orderIdParam,
  body: { schema: NoFields, isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "Order cancelled; the animal is `available`.",
    schema: Order,
    examples: { cancelled: { summary: "The cancelled order", value: { ...exampleOrder, status: "cancelled" } } }
  },
  errors: ["Conflict"],
  current: { read: ({ params: { orderId } }, { store }) => store.orders.get(orderId), show: presentOrder },
  handle: async ({ params: { orderId }, expected }, { store, clock }) => presentOrder(await store.orders.close(orderId, "cancelled", clock(), expected))
});

// src/operations/orders/complete-order.ts
init_order();
var completeOrder = operation({
  id: "completeOrder",
  method: "POST",
  path: "/store/orders/:orderId/complete",
  tag: "store",
  summary: "Complete an order",
  description: "Ends an open order with the sale of its animal, which becomes `sold` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  scope: "write",
  stability: "beta",
  params: orderIdParam,
  body: { schema: NoFields, isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "Order completed; the animal is `sold`.",
    schema: Order,
    examples: { completed: { summary: "The completed order", value: { ...exampleOrder, status: "completed" } } }
  },
  errors: ["Conflict"],
  current: { read: ({ params: { orderId } }, { store }) => store.orders.get(orderId), show: presentOrder },
  handle: async ({ params: { orderId }, expected }, { store, clock }) => presentOrder(await store.orders.close(orderId, "completed", clock(), expected))
});

// src/operations/orders/get-order.ts
init_order();
var getOrder = operation({
  id: "getOrder",
  method: "GET",
  path: "/store/orders/:orderId",
  tag: "store",
  summary: "Get an order",
  description: "Returns a single order.",
  scope: "read",
  stability: "beta",
  params: orderIdParam,
  success: {
    status: 200,
    description: "The order.",
    schema: Order,
    examples: { order: { summary: "An order", value: exampleOrder } }
  },
  errors: ["NotFound"],
  handle: async ({ params: { orderId } }, { store }) => {
    const order = await found(store.orders.get(orderId), () => noSuchOrder(orderId));
    return presentOrder(order);
  }
});

// src/operations/orders/list-orders.ts
init_order();
var listOrders = operation({
  id: "listOrders",
  method: "GET",
  path: "/store/orders",
  tag: "store",
  summary: "List orders",
  description: "Returns a paginated list of orders, ascending by `id`, with the same paging as the list of animals.",
  scope: "read",
  stability: "beta",
  query: {
    limit: limitField,
    status: { ...OrderStatus, description: "Returns only orders with this status." },
    petId: int64Field("Returns only orders for this animal.")
  },
  paged: true,
  success: {
    status: 200,
    description: "A page of orders.",
    schema: Orders,
    examples: {
      page: { summary: "One order", value: [exampleOrder] },
      none: { summary: "No order matches", value: [] }
    }
  },
  errors: [],
  async handle({ query: { limit, ...filter }, after }, { store }) {
    const { items, next } = await store.orders.list(filter, { limit, after });
    return { items: items.map(presentOrder), next };
  }
});

// src/operations/orders/place-order.ts
init_order();
var placeOrder = operation({
  id: "placeOrder",
  method: "POST",
  path: "/store/orders",
  tag: "store",
  summary: "Place an order",
  description: "Orders an animal that is `available`, which becomes `pending` at the same time. Of many concurrent orders for one animal, exactly one is placed and the others get 409, as does an order for an animal that is not available or does not exist.",
  scope: "write",
  stability: "beta",
  body: { schema: NewOrder, examples: { order: { summary: "An animal by its id", value: { petId: 1 } } } },
  success: {
    status: 201,
    description: "Order placed; the animal is `pending`.",
    schema: Order,
    examples: { placed: { summary: "The new order", value: exampleOrder } },
    location: { at: getOrder, params: ({ id }) => ({ orderId: id }) }
  },
  errors: ["Conflict"],
  handle: async ({ body: { petId } }, { store, clock }) => presentOrder(await store.orders.place(petId, clock()))
});

// src/operations/pets/get-pet.ts
init_pet();
var getPet = operation({
  id: "getPet",
  method: "GET",
  path: "/pets/:petId",
  tag: "animals",
  summary: "Get an animal",
  description: "Returns a single animal. Deprecated: use `GET /pets?id={petId}` instead. It works until the end of 5 December 2030 (UTC); from then on it returns 410.",
  scope: "read",
  stability: "stable",
  deprecated: { since: "2026-11-14", sunset: "2030-12-05", successor: "/pets?id={petId}" },
  params: { petId: int64Field("Identifier of the animal to retrieve.") },
  success: {
    status: 200,
    description: "The animal.",
    schema: Pet,
    examples: { animal: { summary: "An animal", value: examplePet } }
  },
  errors: ["NotFound"],
  handle: ({ params: { petId } }, { store }) => found(store.pets.get(petId), () => noSuchPet(petId))
});

// src/operations/pets/create-pet.ts
var createPet = operation({
  id: "createPet",
  method: "POST",
  path: "/pets",
  tag: "animals",
  summary: "Add an animal",
  description: "Adds an animal. The response is sent once the animal is safely on disk: after a 201, it survives a crash and a power cut.",
  scope: "write",
  stability: "stable",
  body: {
    schema: NewPet,
    examples: {
      short: { summary: "Required fields only", value: { name: "Rex", categoryId: 7 } },
      whole: { summary: "With a status", value: { name: "Mia", categoryId: 7, status: "pending" } }
    }
  },
  success: {
    status: 201,
    description: "Animal added; the body contains the assigned `id`.",
    schema: Pet,
    examples: { created: { summary: "The animal with its id", value: examplePet } },
    location: { at: getPet, params: ({ id }) => ({ petId: id }) }
  },
  errors: [],
  handle: ({ body: { name, categoryId, status } }, { store }) => store.pets.create({ name, categoryId, status })
});

// src/operations/pets/delete-pet.ts
var deletePet = operation({
  id: "deletePet",
  method: "DELETE",
  path: "/pets/:petId",
  tag: "animals",
  summary: "Delete an animal",
  description: "Deletes an animal permanently; its id is never reused. An animal with an open order is kept, and gets 409. Completed and cancelled orders stay.",
  scope: "write",
  stability: "beta",
  params: { petId: int64Field("Identifier of the animal to delete.") },
  success: { status: 204, description: "The animal was deleted.", schema: Nothing, examples: {} },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, expected }, { store }) => store.pets.delete(petId, expected)
});

// src/operations/export.ts
class Export {
  run;
  constructor(run) {
    this.run = run;
  }
}

// src/operations/pets/export-pets.ts
var exportPets3 = operation({
  id: "exportPets",
  method: "GET",
  path: "/export",
  tag: "animals",
  summary: "Export all animals",
  description: "Returns all animals as of one moment, ascending by `id`: a JSON object on each line (NDJSON). `Event-Cursor` is the place of that moment in the log of events: follow `GET /events` from there, and you have a replica without a gap. An event from before that moment may come once more; its `data` is the whole animal, so that applying it again does no harm. If the connection ends without the end of the body, something is missing: start over.",
  scope: "read",
  stability: "beta",
  success: {
    status: 200,
    description: "All animals, one on each line.",
    schema: { type: "string", description: "NDJSON: an animal on each line, as `Pet` describes it." },
    mediaType: "application/x-ndjson",
    examples: {
      two: {
        summary: "Two animals",
        value: `${JSON.stringify(examplePet)}
{"id":2,"name":"Mia","categoryId":7,"status":"pending"}
`
      }
    }
  },
  errors: [],
  isExport: true,
  handle: (_, { store }) => new Export((visitor) => store.export(visitor))
});

// src/operations/pets/list-pets.ts
var listPets = operation({
  id: "listPets",
  method: "GET",
  path: "/pets",
  tag: "animals",
  summary: "List animals",
  description: "Returns a paginated list of animals, ascending by `id`. The body is a bare array; the `Link` header contains the URL of the next page, and has no `next` on the last page. " + "An animal that exists and matches the filters while you read all pages is on exactly one of them, whatever is added, changed or deleted meanwhile.",
  scope: "read",
  stability: "stable",
  query: {
    limit: limitField,
    status: { ...PetStatus, description: "Returns only animals with this status." },
    id: beta(int64Field("Returns only the animal with this identifier: an array of one or none. Without other filters, the response carries the animal's own `ETag`, for `If-Match`.")),
    categoryId: beta(int64Field("Returns only animals of this category."))
  },
  paged: true,
  isCached: true,
  namedBy: "id",
  success: {
    status: 200,
    description: "A page of animals.",
    schema: Pets,
    examples: {
      page: { summary: "Two animals", value: [examplePet, { id: 2, name: "Mia", categoryId: 7, status: "pending" }] },
      none: { summary: "No animal matches", value: [] }
    }
  },
  errors: [],
  handle: ({ query: { limit, id, categoryId, status }, after }, { store }) => store.pets.list({ id, categoryId, status }, { limit, after })
});

// src/operations/pets/update-pet.ts
init_pet();
var transitions = Object.entries(petTransitions).map(([from, to]) => `\`${from}\` to \`${to.join("` or `")}\``);
var updatePet = operation({
  id: "updatePet",
  method: "PATCH",
  path: "/pets/:petId",
  tag: "animals",
  summary: "Change an animal",
  description: `Changes the fields in the body and leaves the others as they are. The status can change from ${transitions.join(", ")}; anything else gets 409. ` + "While the animal has an open order, only the order can change its status. With `If-Match`, nothing is changed if somebody else has changed the animal since.",
  scope: "write",
  stability: "beta",
  params: { petId: int64Field("Identifier of the animal to change.") },
  body: {
    schema: PetPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      reserve: { summary: "Reserve it", value: { status: "pending" } },
      rename: { summary: "Another name and category", value: { name: "Rexy", categoryId: 8 } }
    }
  },
  success: {
    status: 200,
    description: "The animal as it is now.",
    schema: Pet,
    examples: { changed: { summary: "The changed animal", value: { ...examplePet, status: "pending" } } }
  },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, body: { name, categoryId, status }, expected }, { store }) => store.pets.update(petId, { name, categoryId, status }, expected)
});

// src/operations/webhooks/get-webhook.ts
init_webhook();
var getWebhook = operation({
  id: "getWebhook",
  method: "GET",
  path: "/webhooks/:webhookId",
  tag: "webhooks",
  summary: "Get a webhook",
  description: "Returns a single webhook, without its secret.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  success: {
    status: 200,
    description: "The webhook.",
    schema: Webhook,
    examples: { webhook: { summary: "A webhook", value: exampleWebhook } }
  },
  errors: ["NotFound"],
  handle: async ({ params: { webhookId } }, { store }) => presentWebhook(await found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId)))
});

// src/operations/webhooks/show-secret.ts
init_webhook();
async function showSecret({ vault, webhooks, onBehalf }, make) {
  const text = generateWebhookSecret();
  const sealed = await webhooks.seal(text);
  const own = await vault.seal(text);
  const { sealedForMaker, ...made } = await onBehalf(() => make({ sealed, sealedForMaker: own }));
  const secret = sealedForMaker === own ? text : await vault.open(sealedForMaker ?? "");
  if (secret === undefined)
    throw secretShownToAnother(made.id);
  webhooks.changed();
  return { ...presentWebhook(made), secret };
}

// src/operations/webhooks/create-webhook.ts
var createWebhook = operation({
  id: "createWebhook",
  method: "POST",
  path: "/webhooks",
  tag: "webhooks",
  summary: "Create a webhook",
  description: "Creates a webhook, to which every event from now on is sent, and shows the secret that events are signed with once. Without a key for secrets, which the operator sets, it gets 409.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  body: {
    schema: NewWebhook,
    examples: {
      some: {
        summary: "For what happens to animals",
        value: {
          url: "https://hooks.shop.example/animals",
          types: ["pet.created", "pet.updated", "pet.deleted"],
          description: "keeps the window up to date"
        }
      },
      all: { summary: "For everything", value: { url: "https://hooks.shop.example/all" } }
    }
  },
  success: {
    status: 201,
    description: "Webhook created; the body contains its secret.",
    schema: CreatedWebhook,
    examples: { made: { summary: "The new webhook", value: exampleCreatedWebhook } },
    location: { at: getWebhook, params: ({ id }) => ({ webhookId: id }) },
    isSecret: true
  },
  errors: ["Conflict"],
  async handle({ body: { url, types, description } }, context) {
    const { store, clock, webhooks } = context;
    webhooks.requireUrl(url);
    const ends = await store.events.ends();
    const webhook = { url, types: types.join(), description, createdAt: clock() };
    return await showSecret(context, (secret) => store.webhooks.create(webhook, secret, ends?.newest));
  }
});

// src/operations/webhooks/delete-webhook.ts
init_webhook();
var deleteWebhook = operation({
  id: "deleteWebhook",
  method: "DELETE",
  path: "/webhooks/:webhookId",
  tag: "webhooks",
  summary: "Delete a webhook",
  description: "Deletes a webhook permanently, with what it has yet to get and its deliveries. Its id is never reused.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  success: { status: 204, description: "The webhook was deleted.", schema: Nothing, examples: {} },
  errors: [],
  current: {
    read: ({ params: { webhookId } }, { store }) => store.webhooks.get(webhookId),
    show: (webhook) => presentWebhook(webhook)
  },
  async handle({ params: { webhookId }, expected }, { store, webhooks }) {
    await store.webhooks.delete(webhookId, expected);
    webhooks.changed();
  }
});

// src/operations/webhooks/list-webhook-deliveries.ts
init_webhook();
var listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  method: "GET",
  path: "/webhooks/:webhookId/deliveries",
  tag: "webhooks",
  summary: "List the latest deliveries",
  description: "Returns the latest attempts to deliver events to a webhook, the last first. The last 100 are kept.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  query: { limit: limitField },
  success: {
    status: 200,
    description: "The latest attempts.",
    schema: WebhookDeliveries,
    examples: {
      attempts: {
        summary: "One that failed at first",
        value: [
          { ...exampleDelivery, id: 2, attempt: 2, at: "2026-11-15T10:00:05.000Z" },
          {
            ...exampleDelivery,
            outcome: "failed",
            responseStatus: 500,
            error: "The receiver answered with 500.",
            nextAttemptAt: "2026-11-15T10:00:05.000Z"
          }
        ]
      }
    }
  },
  errors: ["NotFound"],
  async handle({ params: { webhookId }, query: { limit } }, { store }) {
    await found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    return (await store.webhooks.deliveries(webhookId, limit)).map(presentDelivery);
  }
});

// src/operations/webhooks/list-webhooks.ts
init_webhook();
var listWebhooks = operation({
  id: "listWebhooks",
  method: "GET",
  path: "/webhooks",
  tag: "webhooks",
  summary: "List webhooks",
  description: "Returns a paginated list of all webhooks, ascending by `id`, with the same paging as the list of animals.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of webhooks.",
    schema: Webhooks,
    examples: { page: { summary: "One webhook", value: [exampleWebhook] } }
  },
  errors: [],
  async handle({ query: { limit }, after }, { store }) {
    const { items, next } = await store.webhooks.list({ limit, after });
    return { items: items.map(presentWebhook), next };
  }
});

// src/operations/webhooks/replay-webhook.ts
init_errors();
init_webhook();
var replayWebhook = operation({
  id: "replayWebhook",
  method: "POST",
  path: "/webhooks/:webhookId/replay",
  tag: "webhooks",
  summary: "Replay events",
  description: "Sends the events from somewhere in the log on again, with the same ids and the same bytes, whether they were delivered or not. What was waiting to be retried is forgotten. A cursor whose events are no longer kept gets 410, and one of another history 409.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  body: {
    schema: WebhookReplay,
    examples: {
      all: { summary: "Everything that the log still has", value: { from: "beginning" } },
      some: { summary: "Everything after a cursor", value: { from: "1c.8mAo3fJq0eXk2P" } },
      none: { summary: "Skip what has not been delivered", value: { from: "end" } }
    }
  },
  success: {
    status: 200,
    description: "The events are about to be sent.",
    schema: Webhook,
    examples: { webhook: { summary: "The webhook", value: exampleWebhook } }
  },
  errors: ["Conflict", "Gone"],
  async handle({ params: { webhookId }, body: { from } }, { store, clock, webhooks, onBehalf }) {
    await found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    const after = await markFor(from, store.events);
    const webhook = await onBehalf(() => store.webhooks.replay(webhookId, after, clock()));
    webhooks.changed();
    return presentWebhook(webhook);
  }
});
async function markFor(from, log) {
  if (from === "beginning" || from === "end") {
    const ends = await log.ends();
    return from === "end" ? ends?.newest : ends && { position: ends.oldest.position - 1, id: "" };
  }
  const cursor = decodeEventCursor(from);
  if (!cursor) {
    throw new ServiceError("BadRequest", "from must be beginning, end, or a cursor of the list of events.");
  }
  await requireUnchanged(log, cursor);
  return { position: cursor.position, id: await log.idAt(cursor.position) ?? "" };
}

// src/operations/webhooks/retry-webhook-delivery.ts
init_webhook();
var retryWebhookDelivery = operation({
  id: "retryWebhookDelivery",
  method: "POST",
  path: "/webhooks/:webhookId/deliveries/:deliveryId/retry",
  tag: "webhooks",
  summary: "Retry a delivery",
  description: "Has the event of a recent delivery sent again at once: one that waits for its next attempt, or one that was delivered already. What comes of it is another delivery in the list. A test cannot be retried, and gets 409.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: { ...webhookIdParam, deliveryId: int64Field("Identifier of the delivery.") },
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "The event is about to be sent again.",
    schema: WebhookDelivery,
    examples: {
      retried: {
        summary: "The delivery, with its next attempt",
        value: { ...exampleDelivery, nextAttemptAt: "2026-11-15T11:00:00.000Z" }
      }
    }
  },
  errors: ["NotFound", "Conflict"],
  async handle({ params: { webhookId, deliveryId } }, { store, clock, webhooks }) {
    const delivery = await store.webhooks.retry(webhookId, deliveryId, clock());
    webhooks.changed();
    return presentDelivery(delivery);
  }
});

// src/operations/webhooks/rotate-webhook-secret.ts
init_webhook();
var rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/webhooks/:webhookId/rotate",
  tag: "webhooks",
  summary: "Rotate the secret of a webhook",
  description: "Gives a webhook a new secret and shows it once. For the overlap, events are signed with both, so that the receiver can take its time. A secret that was still in its overlap is no longer used.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  body: {
    schema: WebhookRotation,
    isOptional: true,
    examples: {
      plain: { summary: "With an overlap of a day", value: {} },
      atOnce: { summary: "The old secret is no longer used", value: { overlapSeconds: 0 } }
    }
  },
  success: {
    status: 200,
    description: "Secret rotated; the body contains the new one.",
    schema: CreatedWebhook,
    examples: {
      rotated: {
        summary: "The webhook with its new secret",
        value: { ...exampleCreatedWebhook, oldSecretExpiresAt: "2026-11-16T10:00:00.000Z" }
      }
    },
    isSecret: true
  },
  errors: ["Conflict"],
  current: {
    read: ({ params: { webhookId } }, { store }) => store.webhooks.get(webhookId),
    show: (webhook) => presentWebhook(webhook)
  },
  async handle({ params: { webhookId }, body, expected }, context) {
    const { store, clock } = context;
    await found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    const at = clock();
    const rotation = { at, retiresAt: at + body.overlapSeconds * 1000 };
    return await showSecret(context, (secret) => store.webhooks.rotate(webhookId, rotation, secret, expected));
  }
});

// src/operations/webhooks/test-webhook.ts
init_event();
init_webhook();
var testWebhook = operation({
  id: "testWebhook",
  method: "POST",
  path: "/webhooks/:webhookId/test",
  tag: "webhooks",
  summary: "Send a test event",
  description: `Sends an event of the type \`${testEventType}\` at once, also to a disabled webhook, and returns what came of it. It is tried once, for at most 10 seconds.`,
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "What came of it, success or not.",
    schema: WebhookDelivery,
    examples: {
      delivered: {
        summary: "The receiver has taken it",
        value: { ...exampleDelivery, type: testEventType, subject: "webhooks/1" }
      }
    }
  },
  errors: ["Conflict"],
  async handle({ params: { webhookId } }, { store, webhooks, onBehalf }) {
    const webhook = await found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    return presentDelivery(await webhooks.test(webhook, newEventId(), (delivery) => onBehalf(() => store.webhooks.beginDelivery(webhookId, delivery))));
  }
});

// src/operations/webhooks/update-webhook.ts
init_webhook();
var updateWebhook = operation({
  id: "updateWebhook",
  method: "PATCH",
  path: "/webhooks/:webhookId",
  tag: "webhooks",
  summary: "Change a webhook",
  description: "Changes the fields in the body and leaves the others as they are. A webhook that is enabled again goes on where it stopped, so that nothing is lost for as long as the log keeps it.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  body: {
    schema: WebhookPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      disable: { summary: "Send nothing for now", value: { status: "disabled" } },
      move: { summary: "Send everything elsewhere", value: { url: "https://hooks.shop.example/all", types: [] } }
    }
  },
  success: {
    status: 200,
    description: "The webhook as it is now.",
    schema: Webhook,
    examples: {
      changed: {
        summary: "The changed webhook",
        value: { ...exampleWebhook, status: "disabled", disabledReason: "request" }
      }
    }
  },
  errors: [],
  current: {
    read: ({ params: { webhookId } }, { store }) => store.webhooks.get(webhookId),
    show: (webhook) => presentWebhook(webhook)
  },
  async handle({ params: { webhookId }, body, expected }, { store, clock, webhooks }) {
    const { url, types, description, status } = body;
    if (url !== undefined)
      webhooks.requireUrl(url);
    const changes = { url, types: types?.join(), description, status };
    const changed = await store.webhooks.update(webhookId, changes, clock(), expected);
    webhooks.changed();
    return presentWebhook(changed);
  }
});

// src/operations/index.ts
var operations = [
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
  exportPets3,
  listOrders,
  placeOrder,
  getOrder,
  completeOrder,
  cancelOrder,
  getInventory,
  listCategories,
  getCategory,
  putCategory,
  deleteCategory,
  listEvents,
  listKeys,
  createKey,
  getCurrentKey,
  getKey,
  rotateKey,
  revokeKey,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  replayWebhook
];
var schemas = [
  PetStatus,
  NewPet,
  PetPatch,
  Pet,
  Pets,
  OrderStatus,
  NewOrder,
  Order,
  Orders,
  Inventory,
  NewCategory,
  Category,
  Categories,
  EventType,
  EventId,
  Actor,
  ...eventKinds.map(({ schema }) => schema),
  Event,
  Events,
  CloudEvent,
  CloudEvents,
  Scope,
  KeyState,
  NewKey,
  KeyRotation,
  Key,
  CurrentKey,
  CreatedKey,
  Keys,
  WebhookStatus,
  NewWebhook,
  WebhookPatch,
  WebhookRotation,
  WebhookReplay,
  Webhook,
  CreatedWebhook,
  Webhooks,
  WebhookDelivery,
  WebhookDeliveries,
  ErrorBody,
  ProblemBody
];

// src/openapi/headers.ts
function successHeaders(operation) {
  const { method, success, paged, isFeed, isExport, deprecated } = operation;
  return {
    ...everywhere,
    [method === "GET" ? "Cache-Control.read" : "Cache-Control"]: "always",
    ...isExport && { "Event-Cursor": "always", "Link.monitor": "always" },
    ...hasContent(operation) && !success.isSecret && !isExport && { ETag: isFeed ? "sometimes" : "always" },
    ...paged && { Link: "always" },
    ...isFeed && { "Link.feed": "sometimes", "X-Accel-Buffering": "sometimes" },
    ...success.location && { Location: "always" },
    ...ofQuota,
    ...deprecated && ofDeprecation("always"),
    "Preference-Applied": "sometimes",
    ...takesIdempotencyKey(operation) && { "Idempotent-Replayed": "sometimes" },
    ...ofOrigin,
    ...isFeed && { Vary: undefined, "Vary.feed": "always" }
  };
}
function errorHeaders(operation, code) {
  return {
    ...everywhere,
    "Cache-Control": "always",
    ...ofError(operation, code),
    ...code !== "Unauthorized" && ofQuota,
    ...operation.deprecated && !early.has(code) && ofDeprecation(earlyOrLate.has(code) ? "sometimes" : "always"),
    ...operation.deprecated && ["NotFound", "Gone"].includes(code) && { "Link.successor": "sometimes" },
    ...isAfterPreferences(operation, code) && { "Preference-Applied": "sometimes" },
    ...isReplayed(operation, code) && { "Idempotent-Replayed": "sometimes" },
    ...ofOrigin
  };
}

class HeaderComponents {
  #used = new Map;
  refer(sent) {
    const entries = Object.entries(sent);
    return Object.fromEntries(entries.filter(([, presence]) => presence).map(([key, presence]) => {
      const component = presence === "always" ? key : `${key}.optional`;
      this.#used.set(component, { ...headers[key], ...presence === "always" && { required: true } });
      return [key.replace(/\..*/, ""), { $ref: `#/components/headers/${component}` }];
    }));
  }
  get definitions() {
    return Object.fromEntries([...this.#used].sort(([one], [other]) => one < other ? -1 : 1));
  }
}
var headerParameters = {
  IfNoneMatch: requestHeader("If-None-Match", "The `ETag` of a representation that you have: 304 if it is still current."),
  IfMatch: requestHeader("If-Match", "The `ETag` of the version that you have read: 412 if it is no longer current."),
  IfAbsent: requestHeader("If-None-Match", "`*`: 412 if it already exists."),
  IdempotencyKey: {
    ...requestHeader("Idempotency-Key", "A unique value that you choose for this request. Sent again with it within 24 hours, the request is not carried out again: it gets the first response, byte for byte. With another body it gets 422, and while the first is in progress 409. The number kept for each API key is limited; beyond it, new ones get 429.", { minLength: 1, maxLength: 257, pattern: '^("[!#-~]{1,255}"|[!#-~]{1,255})$' }),
    "x-stability-level": "beta"
  },
  PreferOfFeed: requestHeader("Prefer", "`wait=20` (RFC 7240): if there is no event yet, wait for one for so many seconds, at most 30. `handling=strict`: unknown query parameters get 400 instead of being ignored."),
  LastEventId: requestHeader("Last-Event-ID", "The `id` of the last message of a stream: it goes on after it. Sent by clients of server-sent events by themselves."),
  Prefer: requestHeader("Prefer", "`handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored."),
  XRequestId: requestHeader("X-Request-Id", "An id for the request: up to 128 letters, digits and `._:+/=-`. It is sent back.")
};
function requestHeaders(operation) {
  const names = [];
  if (isRevalidated(operation))
    names.push("IfNoneMatch");
  if (isRevalidated(operation) || operation.current)
    names.push("IfMatch");
  if (operation.replaces)
    names.push("IfAbsent");
  if (takesIdempotencyKey(operation))
    names.push("IdempotencyKey");
  if (operation.isFeed)
    names.push("PreferOfFeed", "LastEventId");
  else
    names.push("Prefer");
  names.push("XRequestId");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
var headers = {
  "X-Request-Id": header("Identifies the request in the service's log. One that you send is kept.", {
    example: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11"
  }),
  "X-Content-Type-Options": header("Keeps a browser from guessing another media type.", { const: "nosniff" }),
  "Content-Security-Policy": header("Keeps a browser from treating a response as a page.", {
    const: "default-src 'none'; frame-ancestors 'none'"
  }),
  "Cache-Control": header("The response must not be cached.", { const: "no-store" }),
  "Cache-Control.read": header("You may cache the response, and must revalidate it with its `ETag` before you use it again.", {
    const: "private, no-cache"
  }),
  ETag: header("Identifies this representation, for `If-None-Match`. It does not depend on the caller's key.", {
    pattern: '^"[0-9a-z]+"$',
    example: '"1x9q3v5t7b2kd"'
  }),
  Link: header("URLs of the `next` page, if there is one, and of the `first` (RFC 8288), relative to the host.", {
    example: '</v1/pets?limit=20&cursor=4aThOBS91wkn1k>; rel="next", </v1/pets?limit=20>; rel="first"'
  }),
  "Link.successor": header("The URL that replaces this one (RFC 5829), relative to the host.", {
    example: '</v1/pets?id=1>; rel="successor-version"'
  }),
  "Link.feed": header("The URL of what comes `next`, now or later (RFC 8288), relative to the host. Streams have none.", {
    example: '</v1/events?cursor=1c.4aThOBS91wkn1k>; rel="next"'
  }),
  "Link.monitor": header("The URL of the events since then (RFC 5989), relative to the host.", {
    example: '</v1/events?cursor=1c.4aThOBS91wkn1k>; rel="monitor"'
  }),
  "Event-Cursor": header("A `cursor` for `GET /events`: the events since then.", { example: "1c.4aThOBS91wkn1k" }),
  "X-Accel-Buffering": header("Keeps a proxy from holding back a stream.", { const: "no" }),
  Location: header("The URL of the new resource, relative to the host.", { example: "/v1/pets/1" }),
  "Idempotent-Replayed": header("Present when this is the response to an earlier request with the same `Idempotency-Key`.", { const: "true" }),
  "RateLimit-Policy": header("How many requests a key may make in how many seconds, if there is a rate limit.", {
    pattern: '^"default";q=[0-9]+;w=[0-9]+$',
    example: '"default";q=100;w=1'
  }),
  RateLimit: header("How many requests the key has left, and in how many seconds its quota is full again, if there is a rate limit.", { pattern: '^"default";r=[0-9]+;t=[0-9]+$', example: '"default";r=99;t=1' }),
  Deprecation: header("Since when the operation is deprecated (RFC 9745).", {
    pattern: "^@[0-9]+$",
    example: "@1794614400"
  }),
  Sunset: header("When the operation will be removed (RFC 8594).", { example: "Thu, 05 Dec 2030 23:59:59 GMT" }),
  "Vary.feed": header("What the response depends on.", { enum: ["Accept", "Accept, Origin"] }),
  "Preference-Applied": header("Present when `Prefer` was followed (RFC 7240), and in what.", {
    pattern: "^(handling=strict|(handling=strict, )?wait=[0-9]+)$",
    example: "handling=strict"
  }),
  "WWW-Authenticate": header("How to authenticate, and what was wrong with the key that was sent (RFC 6750).", {
    example: 'Bearer realm="animal-store", error="invalid_token"'
  }),
  "Retry-After": header("How many seconds to wait before trying again.", { type: "integer", minimum: 1 }),
  Accept: header("The media types that the body may have.", { example: "application/json" }),
  "Accept-Patch": header("The media types that a patch may have (RFC 5789).", {
    example: "application/merge-patch+json, application/json"
  }),
  "Accept-Encoding": header("Present when the body was sent with a content encoding: none is supported.", {
    const: "identity"
  }),
  Vary: header("Present where the operator allows pages of some origins to call the service.", { const: "Origin" }),
  "Access-Control-Allow-Origin": header("Present when the operator allows the page's origin to call the service: the origin, or `*` for all.", { example: "https://shop.example" }),
  "Access-Control-Expose-Headers": header("With `Access-Control-Allow-Origin`: the headers that the page may read.", {
    example: "ETag, Link, Location, X-Request-Id"
  })
};
var everywhere = {
  "X-Request-Id": "always",
  "X-Content-Type-Options": "always",
  "Content-Security-Policy": "always"
};
var ofQuota = { "RateLimit-Policy": "sometimes", RateLimit: "sometimes" };
var ofOrigin = {
  Vary: "sometimes",
  "Access-Control-Allow-Origin": "sometimes",
  "Access-Control-Expose-Headers": "sometimes"
};
function ofDeprecation(presence) {
  return { Deprecation: presence, Sunset: presence, "Link.successor": presence };
}
function ofError({ method, errors }, code) {
  switch (code) {
    case "Unauthorized":
      return { "WWW-Authenticate": "always" };
    case "Forbidden":
      return { "WWW-Authenticate": errors.includes(code) ? "sometimes" : "always" };
    case "Conflict":
      if (method !== "POST")
        return {};
      return { "Retry-After": errors.includes(code) ? "sometimes" : "always" };
    case "UnsupportedMediaType":
      return {
        Accept: "always",
        ...method === "PATCH" && { "Accept-Patch": "always" },
        "Accept-Encoding": "sometimes"
      };
    case "TooManyRequests":
    case "ServiceUnavailable":
      return { "Retry-After": "always" };
    default:
      return {};
  }
}
var early = new Set(["Unauthorized", "TooManyRequests"]);
var earlyOrLate = new Set(["BadRequest", "InternalServerError", "ServiceUnavailable"]);
function isAfterPreferences(operation, code) {
  if (code === "Forbidden")
    return operation.errors.includes(code);
  if (code === "TooManyRequests")
    return takesIdempotencyKey(operation);
  return !early.has(code) && code !== "Gone";
}
function isReplayed(operation, code) {
  if (!takesIdempotencyKey(operation))
    return false;
  if (code === "UnprocessableContent")
    return operation.success.isSecret === true;
  if (code === "PreconditionFailed")
    return operation.current !== undefined;
  return code === "NotFound" || code === "Conflict" && operation.errors.includes(code);
}
function header(description, schema) {
  return { description, schema: { type: "string", ...schema } };
}
function requestHeader(name, description, rest = {}) {
  return { name, in: "header", required: false, description, schema: { type: "string", ...rest } };
}

// src/openapi/introduction.ts
init_json();
init_pet();
var transitions2 = Object.entries(petTransitions).map(([from, to]) => `\`${from}\` to \`${to.join("` or `")}\``).join(", ");
var introduction = `
A store keeps its catalogue of animals here. Each animal has a name, belongs to a category and has a status. Animals are
ordered, and orders are completed or cancelled; categories can have names.

**Authentication.** Every operation needs an API key as a bearer token. A missing or invalid key gets 401
before anything else is checked; a key that lacks the operation's scope gets 403.

**Identifiers.** \`id\` is assigned by the service, ascends from 1, is never reused and never exceeds
2^53 - 1. \`categoryId\` is any 64-bit integer and comes back digit for digit: a client whose language reads JSON
numbers as doubles must parse it exactly. \`1.0\` and \`1e2\` are integers.

**Status.** An animal that is added without a status is \`available\`. Its status can change from ${transitions2}; anything
else gets 409. While an animal has an open order, only the order can change its status.

**Names** have 1 to 255 characters, at least one of them visible, and no control characters: whitespace, zero-width
and other invisible characters alone are not a name. Names are stored exactly as sent.

**Paging.** Lists ascend by \`id\`. The body is a bare array. \`Link\` (RFC 8288) contains the URL of the \`next\` page,
absent on the last one, and of the \`first\`; both keep the limit and the filters. Cursors are opaque; they stay valid when
the animal they point at is changed or deleted. A cursor that was modified, or is used with other filters, gets 400.

**Parameters** that are out of range, repeated, empty or malformed get 400; they are never adjusted. Unknown body
fields and query parameters are ignored; with \`Prefer: handling=strict\`, and always in the operations on keys, they get
400, because a mistyped \`expiresAt\` would create a key that never expires.

**Errors** carry \`code\`, \`message\` and \`status\`. The message names everything that is wrong at once. A client that
sends \`Accept: application/problem+json\` gets RFC 9457 instead, with a list of the wrong parts.
[Every code is explained](/docs/errors), with what to do about it. An unknown path gets 404. A path
allows the methods that are listed for it and, where it allows \`GET\`, also \`HEAD\`; any other gets 405, the
code \`MethodNotAllowed\`, and \`Allow\`, which lists the allowed ones.

**Headers** of responses that are marked as required are on every such response; the others are present when their
description says so.

**CORS.** Pages of other origins may call the service where the operator allows it. Their preflight requests, \`OPTIONS\`
on any path, then get 204 without a key; every response carries \`Access-Control-Allow-Origin\` and
\`Access-Control-Expose-Headers\`, and \`Vary: Origin\` unless all origins are allowed. Otherwise, \`OPTIONS\` is a method
that no path allows.

**Conditional requests.** Every \`GET\` also works as \`HEAD\`, carries a strong \`ETag\`, and returns 304 for an
\`If-None-Match\` that matches it. Every operation honours \`If-Match\`: if it does not match the current version, the
response is 412 and nothing is changed.

**Idempotency.** Every \`POST\` accepts an \`Idempotency-Key\`. Sent again with it within 24 hours, by the same API key or
its successor, the request is not carried out again: it gets the first response, byte for byte, with
\`Idempotent-Replayed: true\`. The number kept for each API key is limited; beyond it, new ones get 429.

**Limits.** A body has at most ${bodyLimits.kibibytes} KiB and is nested at most ${deepest} deep. It must arrive within ${bodyLimits.seconds} seconds.
Where the operator has set a rate limit for each key, \`RateLimit-Policy\` and \`RateLimit\` show it, and requests beyond it
get 429. So does an IP address that has sent many wrong keys.

**Stability.** \`x-stability-level\` marks operations and parameters: what is \`stable\` does not break within version 1,
\`beta\` may change after 90 days' notice, \`experimental\` at any time. New fields, parameters, headers and error codes may
be added at any time: ignore those that you do not know. A deprecated operation carries \`x-sunset\`, the last day on which it works; its responses carry \`Deprecation\`,
\`Sunset\` and a \`Link\` to its successor. After that day it returns 410 and is no longer in this document.
`.trim();

// src/openapi/responses.ts
class SharedResponses {
  headers;
  #names = new Map;
  #definitions = [];
  constructor(operations, components, headers) {
    this.headers = headers;
    const reads = operations.filter(isRevalidated);
    this.#describe("NotModified", reads, successHeaders, { description: notModified.meaning });
    for (const code of errorCodes) {
      const failing = operations.filter((operation) => possibleErrors(operation).includes(code));
      this.#describe(code, failing, (operation) => errorHeaders(operation, code), bodiesOf(code, components));
    }
  }
  refer(answer, operation) {
    return { $ref: `#/components/responses/${this.#names.get(`${answer} of ${operation.id}`)}` };
  }
  get definitions() {
    return Object.fromEntries(this.#definitions);
  }
  #describe(answer, operations, headersOf, rest) {
    const kinds = Map.groupBy(operations, (operation) => JSON.stringify(headersOf(operation)));
    const byCount = [...kinds.values()].sort((one, other) => other.length - one.length);
    for (const alike of kinds.values()) {
      const [first] = alike;
      if (!first)
        continue;
      const name = alike === byCount[0] ? answer : `${answer}Of${capitalized(first.id)}`;
      for (const { id } of alike)
        this.#names.set(`${answer} of ${id}`, name);
      const { description, ...content } = rest;
      this.#definitions.push([name, { description, headers: this.headers.refer(headersOf(first)), ...content }]);
    }
  }
}
function bodiesOf(code, components) {
  const { status, meaning, example: message } = errorKinds[code];
  const problem = { type: `/docs/errors#${code}`, title: titleOf(code), status, detail: message, code };
  return {
    description: meaning,
    content: {
      "application/json": {
        schema: components.use(ErrorBody),
        examples: { error: { summary: code, value: { code, message, status } } }
      },
      "application/problem+json": {
        schema: components.use(ProblemBody),
        examples: { problem: { summary: code, value: problem } }
      }
    }
  };
}
function capitalized(id) {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

// src/openapi/schemas.ts
class Components {
  schemas;
  #descriptions;
  constructor(named) {
    this.#descriptions = new Map(named.map(({ $id, description }) => [$id, description]));
    this.schemas = Object.fromEntries(named.map((schema) => {
      const { $id: name, ...definition } = schema;
      return [name, this.#convert(definition)];
    }));
  }
  use(schema) {
    const { $id: name, ...definition } = schema;
    if (!name)
      return this.#convert(definition);
    const { description } = definition;
    const isOwn = description === undefined || description === this.#descriptions.get(name);
    return { $ref: `#/components/schemas/${name}`, ...!isOwn && { description } };
  }
  #convert(definition) {
    return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, this.#convertValue(value)]));
  }
  #convertValue(value) {
    if (Array.isArray(value))
      return value.map((item) => this.#convertValue(item));
    return typeof value === "object" && value !== null ? this.use(value) : value;
  }
}

// src/openapi/document.ts
function openApiDocument(operations, servers) {
  const components = new Components(schemas);
  const headers = new HeaderComponents;
  const parts = { components, headers, responses: new SharedResponses(operations, components, headers) };
  const paths = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe3(operation, parts) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Animal Store",
      version: "1.0.0",
      summary: "The catalogue of a store's animals: list, add, change and order them.",
      description: introduction,
      contact: { name: "The animal-store project" },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers,
    security: [{ bearerAuth: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(eventKinds.map((kind) => [kind.type, describeEvent(kind, components)])),
    components: {
      schemas: components.schemas,
      headers: headers.definitions,
      parameters: headerParameters,
      responses: parts.responses.definitions,
      securitySchemes: {
        bearerAuth: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`. Keys are made by the operator of the store, each with the scope `read`, `write` or `admin`, of which each includes the one before."
        }
      }
    }
  };
}
function describe3(operation, { components, headers, responses }) {
  const { id, tag, summary, description, stability, scope, deprecated, isStrict, params, body, success } = operation;
  const parameters = [
    ...parametersIn("path", params ?? {}, components),
    ...parametersIn("query", queryFields(operation), components),
    ...requestHeaders(operation)
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}

Needs a key with the scope \`${scope}\`.${isStrict ? " Body fields and query parameters that are not known are answered with 400." : ""}`,
    ...deprecated ? { deprecated: true, "x-sunset": deprecated.sunset } : undefined,
    "x-stability-level": stability,
    "x-required-scope": scope,
    parameters,
    ...body && {
      requestBody: {
        required: !body.isOptional,
        content: Object.fromEntries((body.types ?? plainJson).map((type) => [type, content(body.schema, body.examples, components)]))
      }
    },
    responses: {
      ...Object.fromEntries(possibleSuccesses(operation).map(({ status, description }) => [
        status,
        {
          description,
          headers: headers.refer(successHeaders(operation)),
          ...hasContent(operation) && {
            content: Object.fromEntries([
              [success.mediaType ?? "application/json", success],
              ...Object.entries(success.otherTypes ?? {})
            ].map(([type, { schema, examples }]) => [type, content(schema, examples, components)]))
          }
        }
      ])),
      ...isRevalidated(operation) && {
        [notModified.status]: responses.refer("NotModified", operation)
      },
      ...Object.fromEntries(possibleErrors(operation).map((code) => [errorKinds[code].status, responses.refer(code, operation)]))
    }
  };
}
function describeEvent({ type, summary, description, schema, example }, components) {
  return {
    post: {
      operationId: `on${schema.$id}`,
      tags: ["events"],
      summary,
      description,
      "x-stability-level": "beta",
      security: [],
      requestBody: {
        required: true,
        content: { "application/json": content(schema, { [type]: { summary, value: example } }, components) }
      },
      responses: { "2XX": { description: "The event was received." } }
    }
  };
}
function parametersIn(place, fields, components) {
  return Object.entries(fields).map(([name, field]) => {
    const { description, "x-stability-level": stability, ...schema } = field;
    return {
      name,
      in: place,
      required: place === "path",
      description,
      ...stability ? { "x-stability-level": stability } : undefined,
      schema: components.use(schema)
    };
  });
}
function content(schema, examples, components) {
  return { schema: components.use(schema), examples };
}

// src/openapi/text.ts
function documentText(document, format) {
  return format === "json" ? jsonOf(document) : yamlOf(document, "");
}
function jsonOf(value) {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\uffff]/g, (unit) => `\\u${hexOf(unit, 4)}`);
}
function yamlOf(value, indent) {
  if (!isBlock(value))
    return `${quote2(value)}
`;
  if (Array.isArray(value))
    return value.map((item) => `${indent}- ${itemOf(item, indent)}`).join("");
  return Object.entries(value).filter(([, part]) => part !== undefined).map(([key, part]) => `${indent}${keyOf2(key)}:${isBlock(part) ? `
` : " "}${yamlOf(part, `${indent}  `)}`).join("");
}
function itemOf(item, indent) {
  return yamlOf(item, `${indent}  `).trimStart();
}
function keyOf2(key) {
  return /^[A-Za-z$][\w$-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key) ? key : quote2(key);
}
function quote2(value) {
  return JSON.stringify(value).replace(/[\x7f-\u{10ffff}]/gu, (character) => character.length === 1 ? `\\u${hexOf(character, 4)}` : `\\U${hexOf(character, 8)}`);
}
function isBlock(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
function hexOf(character, digits) {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, "0");
}

// src/cli/openapi.ts
var openApiCommand = {
  name: "openapi",
  usage: "openapi",
  summary: "Print the OpenAPI document of the API.",
  settings: {},
  async run(args) {
    readSettings(this.settings, args);
    const address = { url: `http://127.0.0.1:8080${basePath}`, description: "A server with the default settings" };
    console.log(documentText(openApiDocument(operations, [address]), "json"));
    return exitCodes.success;
  }
};

// src/cli/program.ts
init_errors();
init_store();
async function runProgram(commands, [name, ...args]) {
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return print(help(commands));
  if (name === "--version")
    return print(fullVersion());
  const command = commands.find((candidate) => candidate.name === name);
  if (!command)
    return complain3([`Unknown command ${JSON.stringify(name)}; animal-store --help lists the commands.`]);
  if (args.includes("--help") || args.includes("-h"))
    return print(helpOf(command));
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof SettingsError)
      return complain3(error.problems);
    if (error instanceof StoreOpenError)
      return complain3([error.message]);
    if (error instanceof ServiceError)
      return fail(error);
    throw error;
  }
}
function help(commands) {
  return `animal-store ${version3}: the catalogue of an animal store, as a JSON API.

Usage: animal-store COMMAND [settings]

${table(commands.map(({ name, summary }) => [name, summary]))}

Run animal-store COMMAND --help for the settings of a command.`;
}
function print(text) {
  console.log(text);
  return exitCodes.success;
}
function fail({ message, cause }) {
  console.error(`animal-store: ${message}${cause === undefined ? "" : ` (${cause})`}`);
  return cause === undefined ? exitCodes.failure : exitCodes.unusable;
}
function complain3(problems) {
  for (const problem of problems)
    console.error(`animal-store: ${problem}`);
  return exitCodes.unusable;
}

// src/cli/restore.ts
import { resolve as resolve7 } from "path";

// src/store/sqlite/backup/restore.ts
init_store();
import { Database as Database5 } from "bun:sqlite";
import { existsSync as existsSync6, linkSync, mkdirSync as mkdirSync2, realpathSync as realpathSync4, renameSync as renameSync2, rmSync as rmSync3 } from "fs";
import { dirname as dirname8, resolve as resolve6 } from "path";
async function restoreFile(backup, path, { replace, now }) {
  requireBackup(backup, path);
  const isThere = existsSync6(path) || existsSync6(logOf(path));
  if (isThere && !replace) {
    throw new StoreOpenError(`${path} is there already. Use --replace to put the backup in its place; it is then kept under another name.`);
  }
  const partial = partialOf(path);
  try {
    mkdirSync2(dirname8(path), { recursive: true, mode: 448 });
    copyToPartial(backup, partial);
    const animals = await verify2(backup, partial);
    const keptAt = isThere ? nameFor(path, now) : undefined;
    using _ = keptAt === undefined ? undefined : putAside(path, keptAt);
    const bytes = sizeOf(partial);
    putInPlace(partial, path);
    return { animals, bytes, keptAt };
  } catch (error) {
    throw explainOpenError(path, error);
  } finally {
    const beside = [journalOf(partial), logOf(partial), logIndexOf(partial)];
    for (const file of [partial, ...beside])
      removeIfPossible(file);
  }
}
function requireBackup(backup, path) {
  try {
    if (examineFile(backup) === "nothing") {
      throw new StoreOpenError(`${resolve6(backup)} ${existsSync6(backup) ? "is empty" : "does not exist"}. Choose a backup.`);
    }
    if (existsSync6(path) && realpathSync4(path) === realpathSync4(backup)) {
      throw new StoreOpenError(`${backup} is the database itself. Choose a backup.`);
    }
    if (sizeOf(logOf(backup)) > 0 || sizeOf(journalOf(backup)) > 0) {
      throw new StoreOpenError(`${backup} is no backup but a database in use: a log is beside it. Make a backup of it with animal-store backup.`);
    }
  } catch (error) {
    throw aboutBackup(backup, explainOpenError(backup, error).message);
  }
}
function aboutBackup(backup, message) {
  const [, reason] = /is damaged \((.*)\)\. Restore /.exec(message) ?? [];
  return new StoreOpenError(reason === undefined ? message : `${backup} is damaged (${reason}). Choose another backup.`);
}
async function verify2(backup, partial) {
  try {
    bringUpToDate(partial, examineVersion(partial).version);
    const problems = (await checkSqlite(partial, { replays: false })).flatMap(({ problem }) => problem ?? []);
    if (problems.length > 0)
      throw new StoreOpenError(`${backup} is not as it should be: ${problems.join(" ")}`);
    using database = new Database5(partial, { readonly: true, strict: true });
    return database.query("SELECT count(*) AS count FROM pets").get()?.count ?? 0;
  } catch (error) {
    throw aboutBackup(backup, explainOpenError(partial, error).message.replaceAll(partial, backup));
  }
}
function bringUpToDate(partial, version) {
  using database = new Database5(partial, { readwrite: true, strict: true });
  database.run("PRAGMA journal_mode = DELETE");
  if (version < newestVersion)
    migrate(database);
}
function nameFor(path, now) {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  let name = `${path}.before-${time}`;
  for (let turn = 2;existsSync6(name); turn++)
    name = `${path}.before-${time}-${turn}`;
  return name;
}
function putAside(path, name) {
  const held = existsSync6(path) && sizeOf(path) > 0 ? foldAndHold(path) : undefined;
  try {
    for (const [old, aside] of [
      [logOf(path), logOf(name)],
      [journalOf(path), journalOf(name)]
    ]) {
      if (existsSync6(old))
        renameSync2(old, aside);
    }
    rmSync3(logIndexOf(path), { force: true });
    if (existsSync6(path))
      linkSync(path, name);
    return held;
  } catch (error) {
    held?.[Symbol.dispose]();
    throw error;
  }
}
function foldAndHold(path) {
  const database = new Database5(path, { readwrite: true, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 1000");
    database.run("PRAGMA journal_mode = DELETE");
    database.run("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    if (!toFailure(error).code.startsWith("SQLITE_BUSY"))
      return;
    throw new StoreOpenError(`${path} is in use by another program. Stop the service first, then restore.`);
  }
}

// src/cli/restore.ts
var settings8 = {
  database: databaseSetting,
  replace: switchSetting("replace", "Replace the existing store, which is kept under another name.")
};
var restoreCommand = {
  name: "restore",
  usage: "restore FILE [settings]",
  summary: "Restore the SQLite database from a backup. Stop the service first.",
  settings: settings8,
  async run(args) {
    const { settings: given, positionals } = readArguments(settings8, args, judge2);
    const [backup = ""] = positionals;
    const path = pathOf(given.database, "restore");
    const { animals, bytes, keptAt } = await restoreFile(backup, path, { replace: given.replace, now: new Date });
    console.log(`Restored ${resolve7(path)} from ${resolve7(backup)}: ${animals} animals, ${bytes} bytes.`);
    if (keptAt !== undefined)
      console.log(`What was there before is kept as ${resolve7(keptAt)}.`);
    return exitCodes.success;
  }
};
function judge2(positionals) {
  if (positionals.length === 1 && positionals[0] !== "")
    return [];
  return ["restore must be followed by one file, a backup."];
}

// src/cli/serve.ts
init_key();

// node_modules/typebox/build/guard/unicode/unicode_segment.mjs
function IsBetween(value, min, max) {
  return value >= min && value <= max;
}
function IsZeroWidthJoiner(value) {
  return value === 8205;
}
function IsRegionalIndicator(value) {
  return IsBetween(value, 127462, 127487);
}
function IsVariationSelector(value) {
  return IsBetween(value, 65024, 65039);
}
function IsCombiningMark(value) {
  return IsBetween(value, 768, 879) || IsBetween(value, 6832, 6911) || IsBetween(value, 7616, 7679) || IsBetween(value, 65056, 65071);
}
function CodePointLength(value) {
  return value > 65535 ? 2 : 1;
}
function ConsumeModifiers(value, index) {
  while (index < value.length) {
    const point = value.codePointAt(index);
    if (IsCombiningMark(point) || IsVariationSelector(point)) {
      index += CodePointLength(point);
    } else {
      break;
    }
  }
  return index;
}
function NextGraphemeClusterIndex(value, clusterStart) {
  const startCP = value.codePointAt(clusterStart);
  let clusterEnd = clusterStart + CodePointLength(startCP);
  clusterEnd = ConsumeModifiers(value, clusterEnd);
  while (clusterEnd < value.length - 1 && IsZeroWidthJoiner(value.codePointAt(clusterEnd))) {
    const nextCP = value.codePointAt(clusterEnd + 1);
    clusterEnd += 1 + CodePointLength(nextCP);
    clusterEnd = ConsumeModifiers(value, clusterEnd);
  }
  if (IsRegionalIndicator(startCP) && clusterEnd < value.length && IsRegionalIndicator(value.codePointAt(clusterEnd))) {
    clusterEnd += CodePointLength(value.codePointAt(clusterEnd));
  }
  return clusterEnd;
}
function GraphemeCount(value) {
  let count = 0, index = 0;
  while (index < value.length) {
    index = NextGraphemeClusterIndex(value, index);
    count++;
  }
  return count;
}

// node_modules/typebox/build/guard/unicode/unicode.mjs
function CodePointCount(value) {
  let result = 0, index = 0, prev = 0;
  while (index < value.length) {
    const next = value.charCodeAt(index++) >> 10;
    result += +((prev << 8 | next) !== 13879);
    prev = next;
  }
  return result;
}
function IsMaxLength(value, maxLength) {
  return value.length <= maxLength || value.length <= maxLength << 1 && CodePointCount(value) <= maxLength;
}
function IsMinLength(value, minLength) {
  return value.length >= minLength << 1 || value.length >= minLength && CodePointCount(value) >= minLength;
}

// node_modules/typebox/build/guard/guard.mjs
function IsArray(value) {
  return Array.isArray(value);
}
function IsBigInt(value) {
  return IsEqual(typeof value, "bigint");
}
function IsBoolean(value) {
  return IsEqual(typeof value, "boolean");
}
function IsConstructor(value) {
  if (IsUndefined(value) || !IsFunction(value))
    return false;
  const result = Function.prototype.toString.call(value);
  if (/^class\s/.test(result))
    return true;
  if (/\[native code\]/.test(result))
    return true;
  return false;
}
function IsFunction(value) {
  return IsEqual(typeof value, "function");
}
function IsInteger(value) {
  return Number.isInteger(value);
}
function IsNull(value) {
  return IsEqual(value, null);
}
function IsNumber(value) {
  return Number.isFinite(value);
}
function IsObjectNotArray(value) {
  return IsObject(value) && !IsArray(value);
}
function IsObject(value) {
  return IsEqual(typeof value, "object") && !IsNull(value);
}
function IsString(value) {
  return IsEqual(typeof value, "string");
}
function IsSymbol(value) {
  return IsEqual(typeof value, "symbol");
}
function IsUndefined(value) {
  return IsEqual(value, undefined);
}
function IsEqual(left, right) {
  return left === right;
}
function IsGreaterThan(left, right) {
  return left > right;
}
function IsLessThan(left, right) {
  return left < right;
}
function IsLessEqualThan(left, right) {
  return left <= right;
}
function IsGreaterEqualThan(left, right) {
  return left >= right;
}
function IsMultipleOf(dividend, divisor) {
  if (IsBigInt(dividend) || IsBigInt(divisor)) {
    return BigInt(dividend) % BigInt(divisor) === 0n;
  }
  const tolerance = 0.0000000001;
  if (!IsNumber(dividend))
    return true;
  if (IsInteger(dividend) && 1 / divisor % 1 === 0)
    return true;
  const mod = dividend % divisor;
  return Math.min(Math.abs(mod), Math.abs(mod - divisor), Math.abs(mod + divisor)) < tolerance;
}
function IsClassInstance(value) {
  if (!IsObject(value))
    return false;
  const proto = globalThis.Object.getPrototypeOf(value);
  if (IsNull(proto))
    return false;
  return IsEqual(typeof proto.constructor, "function") && !(IsEqual(proto.constructor, globalThis.Object) || IsEqual(proto.constructor.name, "Object"));
}
function IsValueLike(value) {
  return IsBigInt(value) || IsBoolean(value) || IsNull(value) || IsNumber(value) || IsString(value) || IsUndefined(value);
}
function GraphemeCount2(value) {
  return GraphemeCount(value);
}
function CodePointCount2(value) {
  return CodePointCount(value);
}
function IsMaxLength2(value, maxLength) {
  return IsMaxLength(value, maxLength);
}
function IsMinLength2(value, minLength) {
  return IsMinLength(value, minLength);
}
function Every(value, offset, callback) {
  return value.every((item, index) => index < offset || callback(item, index));
}
function EveryAll(value, offset, callback) {
  let result = true;
  value.forEach((item, index) => {
    if (index >= offset && !callback(item, index))
      result = false;
  });
  return result;
}
function Some(value, callback) {
  return value.some((value, index) => callback(value, index));
}
function SomeAll(value, callback) {
  let result = false;
  value.forEach((item, index) => {
    if (callback(item, index))
      result = true;
  });
  return result;
}
function Counted(value, callback) {
  return value.reduce((result, value, index) => callback(value, index) ? ++result : result, 0);
}
function ShiftLeft(array, true_, false_) {
  return IsEqual(array.length, 0) ? false_() : true_(array[0], array.slice(1));
}
function IsUnsafePropertyKey(key) {
  return IsEqual(key, "__proto__") || IsEqual(key, "constructor") || IsEqual(key, "prototype");
}
function HasPropertyKey(value, key) {
  return IsUnsafePropertyKey(key) ? Object.prototype.hasOwnProperty.call(value, key) : (key in value);
}
function EntriesRegExp(value) {
  return Keys2(value).map((key) => [new RegExp(`^${key}$`), value[key]]);
}
function Entries(value) {
  return Object.entries(value);
}
function Keys2(value) {
  return Object.getOwnPropertyNames(value);
}
function Symbols(value) {
  return Object.getOwnPropertySymbols(value);
}
function Values(value) {
  return Object.values(value);
}
function DeepEqualObject(left, right) {
  if (!IsObject(right))
    return false;
  const keys = Keys2(left);
  return IsEqual(keys.length, Keys2(right).length) && keys.every((key) => IsDeepEqual(left[key], right[key]));
}
function DeepEqualArray(left, right) {
  return IsArray(right) && IsEqual(left.length, right.length) && left.every((_, index) => IsDeepEqual(left[index], right[index]));
}
function IsDeepEqual(left, right) {
  return IsArray(left) ? DeepEqualArray(left, right) : IsObject(left) ? DeepEqualObject(left, right) : IsEqual(left, right);
}

// node_modules/typebox/build/guard/emit.mjs
var identifierRegExp = /^[\p{ID_Start}_$][\p{ID_Continue}_$\u200C\u200D]*$/u;
function IsIdentifier(value) {
  return identifierRegExp.test(value);
}
function And(left, right) {
  return `(${left} && ${right})`;
}
function Or(left, right) {
  return `(${left} || ${right})`;
}
function Not(expr) {
  return `!(${expr})`;
}
function IsArray2(value) {
  return `Array.isArray(${value})`;
}
function IsBigInt2(value) {
  return `typeof ${value} === "bigint"`;
}
function IsBoolean2(value) {
  return `typeof ${value} === "boolean"`;
}
function IsInteger2(value) {
  return `Number.isInteger(${value})`;
}
function IsNull2(value) {
  return `${value} === null`;
}
function IsNumber2(value) {
  return `Number.isFinite(${value})`;
}
function IsObjectNotArray2(value) {
  return And(IsObject2(value), Not(IsArray2(value)));
}
function IsObject2(value) {
  return `typeof ${value} === "object" && ${value} !== null`;
}
function IsString2(value) {
  return `typeof ${value} === "string"`;
}
function IsSymbol2(value) {
  return `typeof ${value} === "symbol"`;
}
function IsUndefined2(value) {
  return `${value} === undefined`;
}
function IsFunction2(value) {
  return `typeof ${value} === "function"`;
}
function IsConstructor2(value) {
  return `Guard.IsConstructor(${value})`;
}
function IsEqual2(left, right) {
  return `${left} === ${right}`;
}
function IsGreaterThan2(left, right) {
  return `${left} > ${right}`;
}
function IsLessThan2(left, right) {
  return `${left} < ${right}`;
}
function IsLessEqualThan2(left, right) {
  return `${left} <= ${right}`;
}
function IsGreaterEqualThan2(left, right) {
  return `${left} >= ${right}`;
}
function IsMinLength3(value, length) {
  return `(${value}.length >= ${+length << 1} || (${value}.length >= ${length} && Guard.CodePointCount(${value}) >= ${length}))`;
}
function IsMaxLength3(value, length) {
  return `(${value}.length <= ${length} || (${value}.length <= ${+length << 1} && Guard.CodePointCount(${value}) <= ${length}))`;
}
function Every2(value, offset, params, expression) {
  return IsEqual(offset, "0") ? `${value}.every((${params[0]}, ${params[1]}) => (${expression}))` : `${value}.every((${params[0]}, ${params[1]}) => (${params[1]} < ${offset}) || (${expression}))`;
}
function Some2(value, params, expression) {
  return `${value}.some((${params[0]}, ${params[1]}) => ${expression})`;
}
function SomeAll2(value, params, expression) {
  return `((value) => { let result = false; value.forEach((${params[0]}, ${params[1]}) => { if (${expression}) result = true }); return result })(${value})`;
}
function Counted2(value, params, expression) {
  return `${value}.reduce((result, ${params[0]}, ${params[1]}) => (${expression}) ? ++result : result, 0)`;
}
function Entries2(value) {
  return `Object.entries(${value})`;
}
function Keys3(value) {
  return `Object.getOwnPropertyNames(${value})`;
}
function HasPropertyKey2(value, key) {
  const isProtoField = IsEqual(key, '"__proto__"') || IsEqual(key, '"constructor"');
  return isProtoField ? `Object.prototype.hasOwnProperty.call(${value}, ${key})` : `${key} in ${value}`;
}
function IsDeepEqual2(left, right) {
  return `Guard.IsDeepEqual(${left}, ${right})`;
}
function ArrayLiteral(elements) {
  return `[${elements.join(", ")}]`;
}
function ArrowFunction(parameters, body) {
  return `((${parameters.join(", ")}) => ${body})`;
}
function Call(value, arguments_) {
  return `${value}(${arguments_.join(", ")})`;
}
function New(value, arguments_) {
  return `new ${value}(${arguments_.join(", ")})`;
}
function Member(left, right) {
  return `${left}${IsIdentifier(right) ? `.${right}` : `[${Constant(right)}]`}`;
}
function Constant(value) {
  if (!IsValueLike(value))
    throw Error("Unsupported Constant");
  return IsString(value) ? JSON.stringify(value) : `${value}`;
}
function Ternary(condition, true_, false_) {
  return `(${condition} ? ${true_} : ${false_})`;
}
function Statements(statements) {
  return `{ ${statements.join("; ")}; }`;
}
function ConstDeclaration(identifier, expression) {
  return `const ${identifier} = ${expression}`;
}
function If(condition, then) {
  return `if(${condition}) { ${then} }`;
}
function Return(expression) {
  return `return ${expression}`;
}
function ReduceAnd(operands) {
  return IsEqual(operands.length, 0) ? "true" : operands.reduce((left, right) => And(left, right));
}
function ReduceOr(operands) {
  return IsEqual(operands.length, 0) ? "false" : operands.reduce((left, right) => Or(left, right));
}
function MultipleOf(dividend, divisor) {
  return `Guard.IsMultipleOf(${dividend}, ${divisor})`;
}
// node_modules/typebox/build/guard/globals.mjs
function IsBoolean3(value) {
  return value instanceof Boolean;
}
function IsNumber3(value) {
  return value instanceof Number;
}
function IsString3(value) {
  return value instanceof String;
}
function IsTypeArray(value) {
  return globalThis.ArrayBuffer.isView(value);
}
function IsRegExp(value) {
  return value instanceof globalThis.RegExp;
}
function IsDate(value) {
  return value instanceof globalThis.Date;
}
// node_modules/typebox/build/system/settings/settings.mjs
var settings9 = {
  immutableTypes: false,
  maxErrors: 8,
  maxParseErrors: 1,
  maxInstantiationCount: 128,
  useAcceleration: true,
  exactOptionalPropertyTypes: false,
  enumerableKind: false,
  correctiveParse: false,
  unionPrioritySort: true
};
function Get() {
  return settings9;
}
// node_modules/typebox/build/schema/types/_refine.mjs
function IsRefine(value) {
  return HasPropertyKey(value, "~refine") && IsArray(value["~refine"]) && Every(value["~refine"], 0, (value) => IsObject(value) && HasPropertyKey(value, "check") && HasPropertyKey(value, "error") && IsFunction(value.check) && IsFunction(value.error));
}
// node_modules/typebox/build/schema/types/schema.mjs
function IsSchemaObject(value) {
  return IsObject(value) && !IsArray(value);
}
function IsSchemaBoolean(value) {
  return IsBoolean(value);
}
function IsSchema(value) {
  return IsSchemaObject(value) || IsSchemaBoolean(value);
}

// node_modules/typebox/build/schema/types/additionalItems.mjs
function IsAdditionalItems(schema) {
  return HasPropertyKey(schema, "additionalItems") && IsSchema(schema.additionalItems);
}
// node_modules/typebox/build/schema/types/additionalProperties.mjs
function IsAdditionalProperties(schema) {
  return HasPropertyKey(schema, "additionalProperties") && IsSchema(schema.additionalProperties);
}
// node_modules/typebox/build/schema/types/allOf.mjs
function IsAllOf(schema) {
  return HasPropertyKey(schema, "allOf") && IsArray(schema.allOf) && schema.allOf.every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/anchor.mjs
function IsAnchor(schema) {
  return HasPropertyKey(schema, "$anchor") && IsString(schema.$anchor);
}
// node_modules/typebox/build/schema/types/anyOf.mjs
function IsAnyOf(schema) {
  return HasPropertyKey(schema, "anyOf") && IsArray(schema.anyOf) && schema.anyOf.every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/const.mjs
function IsConst(value) {
  return HasPropertyKey(value, "const");
}
// node_modules/typebox/build/schema/types/contains.mjs
function IsContains(schema) {
  return HasPropertyKey(schema, "contains") && IsSchema(schema.contains);
}
// node_modules/typebox/build/schema/types/dependencies.mjs
function IsDependencies(schema) {
  return HasPropertyKey(schema, "dependencies") && IsObject(schema.dependencies) && Object.values(schema.dependencies).every((value) => IsSchema(value) || IsArray(value) && value.every((value) => IsString(value)));
}
// node_modules/typebox/build/schema/types/dependentRequired.mjs
function IsDependentRequired(schema) {
  return HasPropertyKey(schema, "dependentRequired") && IsObject(schema.dependentRequired) && Object.values(schema.dependentRequired).every((value) => IsArray(value) && value.every((value) => IsString(value)));
}
// node_modules/typebox/build/schema/types/dependentSchemas.mjs
function IsDependentSchemas(schema) {
  return HasPropertyKey(schema, "dependentSchemas") && IsObject(schema.dependentSchemas) && Object.values(schema.dependentSchemas).every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/dynamicAnchor.mjs
function IsDynamicAnchor(schema) {
  return HasPropertyKey(schema, "$dynamicAnchor") && IsString(schema.$dynamicAnchor);
}
// node_modules/typebox/build/schema/types/dynamicRef.mjs
function IsDynamicRef(schema) {
  return HasPropertyKey(schema, "$dynamicRef") && IsString(schema.$dynamicRef);
}
// node_modules/typebox/build/schema/types/else.mjs
function IsElse(schema) {
  return HasPropertyKey(schema, "else") && IsSchema(schema.else);
}
// node_modules/typebox/build/schema/types/enum.mjs
function IsEnum(schema) {
  return HasPropertyKey(schema, "enum") && IsArray(schema.enum);
}
// node_modules/typebox/build/schema/types/exclusiveMaximum.mjs
function IsExclusiveMaximum(schema) {
  return HasPropertyKey(schema, "exclusiveMaximum") && (IsNumber(schema.exclusiveMaximum) || IsBigInt(schema.exclusiveMaximum));
}
// node_modules/typebox/build/schema/types/exclusiveMinimum.mjs
function IsExclusiveMinimum(schema) {
  return HasPropertyKey(schema, "exclusiveMinimum") && (IsNumber(schema.exclusiveMinimum) || IsBigInt(schema.exclusiveMinimum));
}
// node_modules/typebox/build/schema/types/format.mjs
function IsFormat(schema) {
  return HasPropertyKey(schema, "format") && IsString(schema.format);
}
// node_modules/typebox/build/schema/types/id.mjs
function IsId(schema) {
  return HasPropertyKey(schema, "$id") && IsString(schema.$id);
}
// node_modules/typebox/build/schema/types/if.mjs
function IsIf(schema) {
  return HasPropertyKey(schema, "if") && IsSchema(schema.if);
}
// node_modules/typebox/build/schema/types/items.mjs
function IsItems(schema) {
  return HasPropertyKey(schema, "items") && (IsSchema(schema.items) || IsArray(schema.items) && schema.items.every((value) => {
    return IsSchema(value);
  }));
}
function IsItemsSized(schema) {
  return IsItems(schema) && IsArray(schema.items);
}
// node_modules/typebox/build/schema/types/maximum.mjs
function IsMaximum(schema) {
  return HasPropertyKey(schema, "maximum") && (IsNumber(schema.maximum) || IsBigInt(schema.maximum));
}
// node_modules/typebox/build/schema/types/maxContains.mjs
function IsMaxContains(schema) {
  return HasPropertyKey(schema, "maxContains") && IsNumber(schema.maxContains);
}
// node_modules/typebox/build/schema/types/maxItems.mjs
function IsMaxItems(schema) {
  return HasPropertyKey(schema, "maxItems") && IsNumber(schema.maxItems);
}
// node_modules/typebox/build/schema/types/maxLength.mjs
function IsMaxLength4(schema) {
  return HasPropertyKey(schema, "maxLength") && IsNumber(schema.maxLength);
}
// node_modules/typebox/build/schema/types/maxProperties.mjs
function IsMaxProperties(schema) {
  return HasPropertyKey(schema, "maxProperties") && IsNumber(schema.maxProperties);
}
// node_modules/typebox/build/schema/types/minimum.mjs
function IsMinimum(schema) {
  return HasPropertyKey(schema, "minimum") && (IsNumber(schema.minimum) || IsBigInt(schema.minimum));
}
// node_modules/typebox/build/schema/types/minContains.mjs
function IsMinContains(schema) {
  return HasPropertyKey(schema, "minContains") && IsNumber(schema.minContains);
}
// node_modules/typebox/build/schema/types/minItems.mjs
function IsMinItems(schema) {
  return HasPropertyKey(schema, "minItems") && IsNumber(schema.minItems);
}
// node_modules/typebox/build/schema/types/minLength.mjs
function IsMinLength4(schema) {
  return HasPropertyKey(schema, "minLength") && IsNumber(schema.minLength);
}
// node_modules/typebox/build/schema/types/minProperties.mjs
function IsMinProperties(schema) {
  return HasPropertyKey(schema, "minProperties") && IsNumber(schema.minProperties);
}
// node_modules/typebox/build/schema/types/multipleOf.mjs
function IsMultipleOf2(schema) {
  return HasPropertyKey(schema, "multipleOf") && (IsNumber(schema.multipleOf) || IsBigInt(schema.multipleOf));
}
// node_modules/typebox/build/schema/types/not.mjs
function IsNot(schema) {
  return HasPropertyKey(schema, "not") && IsSchema(schema.not);
}
// node_modules/typebox/build/schema/types/oneOf.mjs
function IsOneOf(schema) {
  return HasPropertyKey(schema, "oneOf") && IsArray(schema.oneOf) && schema.oneOf.every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/pattern.mjs
function IsPattern(schema) {
  return HasPropertyKey(schema, "pattern") && (IsString(schema.pattern) || schema.pattern instanceof RegExp);
}
// node_modules/typebox/build/schema/types/patternProperties.mjs
function IsPatternProperties(schema) {
  return HasPropertyKey(schema, "patternProperties") && IsObject(schema.patternProperties) && Object.values(schema.patternProperties).every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/prefixItems.mjs
function IsPrefixItems(schema) {
  return HasPropertyKey(schema, "prefixItems") && IsArray(schema.prefixItems) && schema.prefixItems.every((schema) => IsSchema(schema));
}
// node_modules/typebox/build/schema/types/properties.mjs
function IsProperties(schema) {
  return HasPropertyKey(schema, "properties") && IsObject(schema.properties) && Object.values(schema.properties).every((value) => IsSchema(value));
}
// node_modules/typebox/build/schema/types/propertyNames.mjs
function IsPropertyNames(schema) {
  return HasPropertyKey(schema, "propertyNames") && (IsObject(schema.propertyNames) || IsSchema(schema.propertyNames));
}
// node_modules/typebox/build/schema/types/recursiveAnchor.mjs
function IsRecursiveAnchor(schema) {
  return HasPropertyKey(schema, "$recursiveAnchor") && IsBoolean(schema.$recursiveAnchor);
}
function IsRecursiveAnchorTrue(schema) {
  return IsRecursiveAnchor(schema) && IsEqual(schema.$recursiveAnchor, true);
}
// node_modules/typebox/build/schema/types/recursiveRef.mjs
function IsRecursiveRef(schema) {
  return HasPropertyKey(schema, "$recursiveRef") && IsString(schema.$recursiveRef);
}
// node_modules/typebox/build/schema/types/ref.mjs
function IsRef(schema) {
  return HasPropertyKey(schema, "$ref") && IsString(schema.$ref);
}
// node_modules/typebox/build/schema/types/required.mjs
function IsRequired(schema) {
  return HasPropertyKey(schema, "required") && IsArray(schema.required) && schema.required.every((value) => IsString(value));
}
// node_modules/typebox/build/schema/types/then.mjs
function IsThen(schema) {
  return HasPropertyKey(schema, "then") && IsSchema(schema.then);
}
// node_modules/typebox/build/schema/types/type.mjs
function IsType(schema) {
  return HasPropertyKey(schema, "type") && (IsString(schema.type) || IsArray(schema.type) && schema.type.every((value) => IsString(value)));
}
// node_modules/typebox/build/schema/types/uniqueItems.mjs
function IsUniqueItems(schema) {
  return HasPropertyKey(schema, "uniqueItems") && IsBoolean(schema.uniqueItems);
}
// node_modules/typebox/build/schema/types/unevaluatedItems.mjs
function IsUnevaluatedItems(schema) {
  return HasPropertyKey(schema, "unevaluatedItems") && IsSchema(schema.unevaluatedItems);
}
// node_modules/typebox/build/schema/types/unevaluatedProperties.mjs
function IsUnevaluatedProperties(schema) {
  return HasPropertyKey(schema, "unevaluatedProperties") && IsSchema(schema.unevaluatedProperties);
}
// node_modules/typebox/build/schema/engine/_context.mjs
function HasUnevaluatedFromObject(value) {
  return IsUnevaluatedItems(value) || IsUnevaluatedProperties(value) || Some(Keys2(value), (key) => HasUnevaluatedFromUnknown(value[key]));
}
function HasUnevaluatedFromArray(value) {
  return Some(value, (value) => HasUnevaluatedFromUnknown(value));
}
function HasUnevaluatedFromUnknown(value) {
  return IsArray(value) ? HasUnevaluatedFromArray(value) : IsObject(value) ? HasUnevaluatedFromObject(value) : false;
}
function HasUnevaluated(context, schema) {
  return HasUnevaluatedFromUnknown(schema) || Some(Keys2(context), (key) => HasUnevaluatedFromUnknown(context[key]));
}

class BuildContext {
  constructor(hasUnevaluated) {
    this.hasUnevaluated = hasUnevaluated;
  }
  UseUnevaluated() {
    return this.hasUnevaluated;
  }
  Push() {
    return Call(Member("context", "Push"), []);
  }
  Pop() {
    return Call(Member("context", "Pop"), []);
  }
  AddIndex(index) {
    return Call(Member("context", "AddIndex"), [index]);
  }
  AddKey(key) {
    return Call(Member("context", "AddKey"), [key]);
  }
  Merge(results) {
    return Call(Member("context", "Merge"), [results]);
  }
}

class CheckContext {
  constructor() {
    const indices = new Set;
    const keys = new Set;
    this.stack = [{ indices, keys }];
  }
  Push() {
    const indices = new Set;
    const keys = new Set;
    this.stack.push({ indices, keys });
    return true;
  }
  Pop() {
    this.stack.pop();
    return true;
  }
  AddIndex(index) {
    this.GetIndices().add(index);
    return true;
  }
  AddKey(key) {
    this.GetKeys().add(key);
    return true;
  }
  GetIndices() {
    const top = this.stack[this.stack.length - 1];
    return top.indices;
  }
  GetKeys() {
    const top = this.stack[this.stack.length - 1];
    return top.keys;
  }
  Merge(results) {
    for (const context of results) {
      context.GetIndices().forEach((value) => this.GetIndices().add(value));
      context.GetKeys().forEach((value) => this.GetKeys().add(value));
    }
    return true;
  }
}

class ErrorContext extends CheckContext {
  constructor() {
    super();
    this.errors = [];
  }
  AtCapacity() {
    return this.errors.length >= Get().maxErrors;
  }
  AddError(keyword, schemaPath, instancePath, params) {
    return this.AddErrorObject({ keyword, schemaPath, instancePath, params });
  }
  AddErrors(error) {
    error.forEach((error) => this.AddErrorObject(error));
    return false;
  }
  GetErrors() {
    return this.errors;
  }
  AddErrorObject(error) {
    if (!this.AtCapacity())
      this.errors.push(error);
    return false;
  }
}
// node_modules/typebox/build/schema/engine/_externals.mjs
var state = {
  identifier: "External",
  variables: []
};
function CreateVariable(value) {
  const call = `External[${state.variables.length}]`;
  state.variables.push(value);
  return call;
}
function ResetExternal() {
  state.variables = [];
}
function GetExternal() {
  return { ...state };
}
// node_modules/typebox/build/schema/engine/_refine.mjs
function BuildRefineMultiple(_stack, _context, schema, value) {
  const external = CreateVariable(schema["~refine"]);
  return Every2(external, Constant(0), ["refinement", "_"], Call(Member("refinement", "check"), [value]));
}
function BuildRefineSingle(_stack, _context, schema, value) {
  const external = CreateVariable(schema["~refine"][0]);
  return Call(Member(external, "check"), [value]);
}
function BuildRefine(_stack, _context, schema, value) {
  return IsEqual(schema["~refine"].length, 1) ? BuildRefineSingle(_stack, _context, schema, value) : BuildRefineMultiple(_stack, _context, schema, value);
}
function CheckRefine(_stack, _context, schema, value) {
  return Every(schema["~refine"], 0, (refinement, _) => refinement.check(value));
}
function ErrorRefine(_stack, context, schemaPath, instancePath, schema, value) {
  return EveryAll(schema["~refine"], 0, (refinement, index) => {
    return refinement.check(value) || context.AddError("~refine", schemaPath, instancePath, { index, message: refinement.error(value) });
  });
}

// node_modules/typebox/build/schema/engine/_stack.mjs
var DefaultUri = "urn:typebox:root";
function NextUri(ref, base) {
  return URL.canParse(ref, base) ? new URL(ref, base) : IsEqual(base, DefaultUri) ? new URL(`${base}:${ref}`) : new URL(`${base.slice(0, base.lastIndexOf(":"))}:${ref}`);
}
function Stack(context, schema) {
  const base = IsSchemaObject(schema) && IsId(schema) ? NextUri(schema.$id, DefaultUri).href : DefaultUri;
  return {
    context,
    schema,
    lexicalSchema: schema,
    lexicalBase: base,
    resourceBase: base,
    referenceBase: base,
    ids: [],
    useResourceBaseForReference: true,
    recursiveAnchor: undefined,
    dynamicAnchors: [],
    resourceEntries: new Map,
    pendingResource: true,
    enteredResource: false
  };
}
function RegisterResourceAnchors(anchors, schema, isRoot = true) {
  if (IsSchemaBoolean(schema))
    return anchors;
  if (Array.isArray(schema))
    return schema.reduce((result, item) => RegisterResourceAnchors(result, item, false), anchors);
  if (!IsSchemaObject(schema))
    return anchors;
  if (!isRoot && IsId(schema))
    return anchors;
  const next = !isRoot && IsDynamicAnchor(schema) ? [...anchors, schema] : anchors;
  return Object.keys(schema).reduce((result, key) => RegisterResourceAnchors(result, schema[key], false), next);
}
function ResourceEntry(stack, schema) {
  return stack.resourceEntries.get(schema);
}
function NextEnteredResource(stack, schema) {
  return stack.enteredResource || ResourceEntry(stack, schema) !== undefined;
}
function IsRelativeId(schema) {
  return !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(schema.$id);
}
function NextIds(stack, schema) {
  return IsId(schema) ? [...stack.ids, schema] : stack.ids;
}
function NextRecursiveAnchor(stack, schema) {
  return stack.recursiveAnchor ?? (IsRecursiveAnchorTrue(schema) ? schema : undefined);
}
function NextDynamicAnchors(stack, schema) {
  const registered = IsId(schema) ? RegisterResourceAnchors(stack.dynamicAnchors, schema) : stack.dynamicAnchors;
  return IsDynamicAnchor(schema) ? [...registered, schema] : registered;
}
function NextPendingResource(stack, schema) {
  return IsId(schema) ? false : stack.pendingResource;
}
function NextLexicalBase(stack, schema) {
  const entry = ResourceEntry(stack, schema);
  if (entry)
    return entry.base;
  return IsId(schema) ? NextUri(schema.$id, stack.lexicalBase).href : stack.lexicalBase;
}
function NextResourceBase(stack, schema) {
  const entry = ResourceEntry(stack, schema);
  if (entry)
    return entry.base;
  return IsId(schema) && stack.pendingResource ? NextUri(schema.$id, stack.resourceBase).href : stack.resourceBase;
}
function NextUseResourceBaseForReference(stack, schema) {
  return IsId(schema) ? !IsRelativeId(schema) : stack.useResourceBaseForReference;
}
function NextReferenceBase(stack, schema) {
  const isRetrieved = NextEnteredResource(stack, schema);
  const useResourceBaseForReference = NextUseResourceBaseForReference(stack, schema);
  return isRetrieved || useResourceBaseForReference ? NextResourceBase(stack, schema) : NextLexicalBase(stack, schema);
}
function NextLexicalSchema(stack, schema) {
  const entry = ResourceEntry(stack, schema);
  if (entry)
    return entry.root;
  return IsId(schema) ? schema : stack.lexicalSchema;
}
function HasStackKeywords(stack, schema) {
  return IsSchemaObject(schema) && (IsId(schema) || IsDynamicAnchor(schema) || IsUndefined(stack.recursiveAnchor) && IsRecursiveAnchorTrue(schema) || !IsUndefined(ResourceEntry(stack, schema)));
}
function NextStack(stack, schema) {
  return HasStackKeywords(stack, schema) ? {
    ...stack,
    ids: NextIds(stack, schema),
    dynamicAnchors: NextDynamicAnchors(stack, schema),
    recursiveAnchor: NextRecursiveAnchor(stack, schema),
    pendingResource: NextPendingResource(stack, schema),
    lexicalBase: NextLexicalBase(stack, schema),
    resourceBase: NextResourceBase(stack, schema),
    useResourceBaseForReference: NextUseResourceBaseForReference(stack, schema),
    referenceBase: NextReferenceBase(stack, schema),
    lexicalSchema: NextLexicalSchema(stack, schema),
    enteredResource: NextEnteredResource(stack, schema)
  } : stack;
}

// node_modules/typebox/build/schema/engine/_unique.mjs
var index = 0;
function CreateUnique() {
  return `unique_${index++}`;
}
function ResetUnique() {
  index = 0;
}

// node_modules/typebox/build/schema/engine/additionalItems.mjs
function IsValid(schema) {
  return IsItems(schema) && IsArray(schema.items);
}
function BuildAdditionalItemsStandard(stack, context, schema, value) {
  const [item, index] = [CreateUnique(), CreateUnique()];
  const isSchema = BuildSchemaPushStack(stack, context, schema.additionalItems, item);
  const isLength = IsLessThan2(index, Constant(schema.items.length));
  const addIndex = context.AddIndex(index);
  return Every2(value, Constant(0), [item, index], Or(isLength, And(isSchema, addIndex)));
}
function BuildAdditionalItemsFast(stack, context, schema, value) {
  const [item, index] = [CreateUnique(), CreateUnique()];
  const isSchema = BuildSchemaPushStack(stack, context, schema.additionalItems, item);
  const isLength = IsLessThan2(index, Constant(schema.items.length));
  return Every2(value, Constant(0), [item, index], Or(isLength, isSchema));
}
function BuildAdditionalItems(stack, context, schema, value) {
  if (!IsValid(schema))
    return Constant(true);
  return context.UseUnevaluated() ? BuildAdditionalItemsStandard(stack, context, schema, value) : BuildAdditionalItemsFast(stack, context, schema, value);
}
function CheckAdditionalItems(stack, context, schema, value) {
  if (!IsValid(schema))
    return true;
  const isAdditionalItems = Every(value, 0, (item, index) => {
    return IsLessThan(index, schema.items.length) || CheckSchemaPushStack(stack, context, schema.additionalItems, item) && context.AddIndex(index);
  });
  return isAdditionalItems;
}
function ErrorAdditionalItems(stack, context, schemaPath, instancePath, schema, value) {
  if (!IsValid(schema))
    return true;
  const isAdditionalItems = Every(value, 0, (item, index) => {
    const nextSchemaPath = `${schemaPath}/additionalItems`;
    const nextInstancePath = `${instancePath}/${index}`;
    return IsLessThan(index, schema.items.length) || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema.additionalItems, item) && context.AddIndex(index);
  });
  return isAdditionalItems;
}

// node_modules/typebox/build/schema/engine/_pathing.mjs
function EncodeFragment(fragment) {
  return fragment.replace(/~/g, "~0").replace(/\//g, "~1");
}

// node_modules/typebox/build/schema/engine/_regexp.mjs
function UnicodeRegExp(pattern) {
  return new RegExp(pattern, "u");
}

// node_modules/typebox/build/schema/engine/additionalProperties.mjs
function IsAdditionalPropertiesIgnored(context, additionalProperties) {
  return !context.UseUnevaluated() && (IsEqual(additionalProperties, true) || IsObject(additionalProperties) && IsEqual(Keys2(additionalProperties).length, 0));
}
function GetPropertyKeyAsPattern(key) {
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `^${escaped}$`;
}
function GetPropertiesPattern(schema) {
  const patterns = [];
  if (IsPatternProperties(schema))
    patterns.push(...Keys2(schema.patternProperties));
  if (IsProperties(schema))
    patterns.push(...Keys2(schema.properties).map(GetPropertyKeyAsPattern));
  return IsEqual(patterns.length, 0) ? "(?!)" : `(${patterns.join("|")})`;
}
function HasExactRequiredProperties(schema) {
  const keys = Keys2(schema.properties);
  return IsEqual(keys.length, schema.required.length) && Every(keys, 0, (key) => schema.required.includes(key));
}
function CanAdditionalPropertiesFast(_context, schema, _value) {
  return IsRequired(schema) && IsProperties(schema) && !IsPatternProperties(schema) && IsEqual(schema.additionalProperties, false) && HasExactRequiredProperties(schema);
}
function BuildAdditionalPropertiesFast(_context, schema, value) {
  return IsEqual2(Member(Call(Member("Object", "getOwnPropertyNames"), [value]), "length"), Constant(schema.required.length));
}
function BuildAdditionalPropertiesStandard(stack, context, schema, value) {
  const [key, _index] = [CreateUnique(), CreateUnique()];
  const regexp = CreateVariable(UnicodeRegExp(GetPropertiesPattern(schema)));
  const isSchema = BuildSchemaPushStack(stack, context, schema.additionalProperties, `${value}[${key}]`);
  const isKey = Call(Member(regexp, "test"), [key]);
  const addKey = context.AddKey(key);
  const guarded = context.UseUnevaluated() ? Or(isKey, And(isSchema, addKey)) : Or(isKey, isSchema);
  const result = Every2(Keys3(value), Constant(0), [key, _index], guarded);
  return result;
}
function BuildAdditionalProperties(stack, context, schema, value) {
  if (IsAdditionalPropertiesIgnored(context, schema.additionalProperties))
    return Constant(true);
  return CanAdditionalPropertiesFast(context, schema, value) ? BuildAdditionalPropertiesFast(context, schema, value) : BuildAdditionalPropertiesStandard(stack, context, schema, value);
}
function CheckAdditionalProperties(stack, context, schema, value) {
  const regexp = UnicodeRegExp(GetPropertiesPattern(schema));
  const isAdditionalProperties = Every(Keys2(value), 0, (key, _index) => {
    return regexp.test(key) || CheckSchemaPushStack(stack, context, schema.additionalProperties, value[key]) && context.AddKey(key);
  });
  return isAdditionalProperties;
}
function ErrorAdditionalProperties(stack, context, schemaPath, instancePath, schema, value) {
  const regexp = UnicodeRegExp(GetPropertiesPattern(schema));
  const additionalProperties = [];
  const isAdditionalProperties = EveryAll(Keys2(value), 0, (key, _index) => {
    const nextSchemaPath = `${schemaPath}/additionalProperties`;
    const nextInstancePath = `${instancePath}/${EncodeFragment(key)}`;
    const isAdditionalProperty = regexp.test(key) || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema.additionalProperties, value[key]) && context.AddKey(key);
    if (!isAdditionalProperty)
      additionalProperties.push(key);
    return isAdditionalProperty;
  });
  return isAdditionalProperties || context.AddError("additionalProperties", schemaPath, instancePath, { additionalProperties });
}

// node_modules/typebox/build/schema/engine/_reducer.mjs
function Reducer(stack, context, schemas, value, check) {
  const results = ConstDeclaration("results", "[]");
  const context_n = schemas.map((_schema, index) => ConstDeclaration(`context_${index}`, New("CheckContext", [])));
  const condition_n = schemas.map((schema, index) => ConstDeclaration(`condition_${index}`, Call(ArrowFunction(["context"], BuildSchema(stack, context, schema, value)), [`context_${index}`])));
  const checks = schemas.map((_schema, index) => If(`condition_${index}`, Call(Member("results", "push"), [`context_${index}`])));
  const returns = Return(And(check, context.Merge("results")));
  return Call(ArrowFunction([], Statements([results, ...context_n, ...condition_n, ...checks, returns])), []);
}

// node_modules/typebox/build/schema/engine/allOf.mjs
function BuildAllOfStandard(stack, context, schema, value) {
  return Reducer(stack, context, schema.allOf, value, IsEqual2(Member("results", "length"), Constant(schema.allOf.length)));
}
function BuildAllOfFast(stack, context, schema, value) {
  return ReduceAnd(schema.allOf.map((schema) => BuildSchema(stack, context, schema, value)));
}
function BuildAllOf(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildAllOfStandard(stack, context, schema, value) : BuildAllOfFast(stack, context, schema, value);
}
function CheckAllOf(stack, context, schema, value) {
  const results = schema.allOf.reduce((result, schema) => {
    const nextContext = new CheckContext;
    return CheckSchema(stack, nextContext, schema, value) ? [...result, nextContext] : result;
  }, []);
  return IsEqual(results.length, schema.allOf.length) && context.Merge(results);
}
function ErrorAllOf(stack, context, schemaPath, instancePath, schema, value) {
  const failedContexts = [];
  const results = schema.allOf.reduce((result, schema, index) => {
    const nextSchemaPath = `${schemaPath}/allOf/${index}`;
    const nextContext = new ErrorContext;
    const isSchema = ErrorSchema(stack, nextContext, nextSchemaPath, instancePath, schema, value);
    if (!isSchema)
      failedContexts.push(nextContext);
    return isSchema ? [...result, nextContext] : result;
  }, []);
  const isAllOf = IsEqual(results.length, schema.allOf.length) && context.Merge(results);
  if (!isAllOf)
    failedContexts.forEach((failed) => context.AddErrors(failed.GetErrors()));
  return isAllOf;
}

// node_modules/typebox/build/schema/engine/anyOf.mjs
function BuildAnyOfStandard(stack, context, schema, value) {
  return Reducer(stack, context, schema.anyOf, value, IsGreaterThan2(Member("results", "length"), Constant(0)));
}
function BuildAnyOfFast(stack, context, schema, value) {
  return ReduceOr(schema.anyOf.map((schema) => BuildSchema(stack, context, schema, value)));
}
function BuildAnyOf(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildAnyOfStandard(stack, context, schema, value) : BuildAnyOfFast(stack, context, schema, value);
}
function CheckAnyOf(stack, context, schema, value) {
  const results = schema.anyOf.reduce((result, schema) => {
    const nextContext = new CheckContext;
    return CheckSchema(stack, nextContext, schema, value) ? [...result, nextContext] : result;
  }, []);
  return IsGreaterThan(results.length, 0) && context.Merge(results);
}
function ErrorAnyOf(stack, context, schemaPath, instancePath, schema, value) {
  const failedContexts = [];
  const results = schema.anyOf.reduce((result, schema, index) => {
    const nextContext = new ErrorContext;
    const nextSchemaPath = `${schemaPath}/anyOf/${index}`;
    const isSchema = ErrorSchema(stack, nextContext, nextSchemaPath, instancePath, schema, value);
    if (!isSchema)
      failedContexts.push(nextContext);
    return isSchema ? [...result, nextContext] : result;
  }, []);
  const isAnyOf = IsGreaterThan(results.length, 0) && context.Merge(results);
  if (!isAnyOf)
    failedContexts.forEach((failed) => context.AddErrors(failed.GetErrors()));
  return isAnyOf || context.AddError("anyOf", schemaPath, instancePath, {});
}

// node_modules/typebox/build/schema/engine/boolean.mjs
function BuildSchemaBoolean(_stack, _context, schema, _value) {
  return schema ? Constant(true) : Constant(false);
}
function CheckSchemaBoolean(_stack, _context, schema, _value) {
  return schema;
}
function ErrorSchemaBoolean(stack, context, schemaPath, instancePath, schema, value) {
  return CheckSchemaBoolean(stack, context, schema, value) || context.AddError("boolean", schemaPath, instancePath, {});
}

// node_modules/typebox/build/schema/engine/const.mjs
function BuildConst(_stack, _context, schema, value) {
  return IsValueLike(schema.const) ? IsEqual2(value, Constant(schema.const)) : IsDeepEqual2(value, CreateVariable(schema.const));
}
function CheckConst(_stack, _context, schema, value) {
  return IsValueLike(schema.const) ? IsEqual(value, schema.const) : IsDeepEqual(value, schema.const);
}
function ErrorConst(stack, context, schemaPath, instancePath, schema, value) {
  return CheckConst(stack, context, schema, value) || context.AddError("const", schemaPath, instancePath, { allowedValue: schema.const });
}

// node_modules/typebox/build/schema/engine/contains.mjs
function IsValid2(schema) {
  return !(IsMinContains(schema) && IsEqual(schema.minContains, 0));
}
function BuildContainsStandard(stack, context, schema, value) {
  const [item, index] = [CreateUnique(), CreateUnique()];
  const isLength = Not(IsEqual2(Member(value, "length"), Constant(0)));
  const isSome = SomeAll2(value, [item, index], And(BuildSchema(stack, context, schema.contains, item), context.AddIndex(index)));
  return And(isLength, isSome);
}
function BuildContainsFast(stack, context, schema, value) {
  const [item] = [CreateUnique()];
  const isLength = Not(IsEqual2(Member(value, "length"), Constant(0)));
  const isSome = Some2(value, [item, "_"], BuildSchema(stack, context, schema.contains, item));
  return And(isLength, isSome);
}
function BuildContains(stack, context, schema, value) {
  if (!IsValid2(schema))
    return Constant(true);
  return context.UseUnevaluated() ? BuildContainsStandard(stack, context, schema, value) : BuildContainsFast(stack, context, schema, value);
}
function CheckContains(stack, context, schema, value) {
  if (!IsValid2(schema))
    return true;
  return !IsEqual(value.length, 0) && SomeAll(value, (item, index) => {
    return CheckSchema(stack, context, schema.contains, item) && context.AddIndex(index);
  });
}
function ErrorContains(stack, context, schemaPath, instancePath, schema, value) {
  return CheckContains(stack, context, schema, value) || context.AddError("contains", schemaPath, instancePath, { minContains: 1 });
}

// node_modules/typebox/build/schema/engine/dependencies.mjs
function BuildDependencies(stack, context, schema, value) {
  const isLength = IsEqual2(Member(Keys3(value), "length"), Constant(0));
  const isEveryDependency = ReduceAnd(Entries(schema.dependencies).map(([key, schema]) => {
    const notKey = Not(HasPropertyKey2(value, Constant(key)));
    const isSchema = BuildSchema(stack, context, schema, value);
    const isEveryKey = (schema) => ReduceAnd(schema.map((key) => HasPropertyKey2(value, Constant(key))));
    return Or(notKey, IsArray(schema) ? isEveryKey(schema) : isSchema);
  }));
  return Or(isLength, isEveryDependency);
}
function CheckDependencies(stack, context, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEvery = Every(Entries(schema.dependencies), 0, ([key, schema]) => {
    return !HasPropertyKey(value, key) || (IsArray(schema) ? schema.every((key) => HasPropertyKey(value, key)) : CheckSchema(stack, context, schema, value));
  });
  return isLength || isEvery;
}
function ErrorDependencies(stack, context, schemaPath, instancePath, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEvery = EveryAll(Entries(schema.dependencies), 0, ([key, schema]) => {
    const nextSchemaPath = `${schemaPath}/dependencies/${EncodeFragment(key)}`;
    return !HasPropertyKey(value, key) || (IsArray(schema) ? schema.every((dependency) => HasPropertyKey(value, dependency) || context.AddError("dependencies", schemaPath, instancePath, { property: key, dependencies: schema })) : ErrorSchema(stack, context, nextSchemaPath, instancePath, schema, value));
  });
  return isLength || isEvery;
}

// node_modules/typebox/build/schema/engine/dependentRequired.mjs
function BuildDependentRequired(_stack, _context, schema, value) {
  const isLength = IsEqual2(Member(Keys3(value), "length"), Constant(0));
  const isEvery = ReduceAnd(Entries(schema.dependentRequired).map(([key, keys]) => {
    const notKey = Not(HasPropertyKey2(value, Constant(key)));
    const everyKey = ReduceAnd(keys.map((key) => HasPropertyKey2(value, Constant(key))));
    return Or(notKey, everyKey);
  }));
  return Or(isLength, isEvery);
}
function CheckDependentRequired(_stack, _context, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEvery = Every(Entries(schema.dependentRequired), 0, ([key, keys]) => {
    return !HasPropertyKey(value, key) || keys.every((key) => HasPropertyKey(value, key));
  });
  return isLength || isEvery;
}
function ErrorDependentRequired(_stack, context, schemaPath, instancePath, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEveryEntry = EveryAll(Entries(schema.dependentRequired), 0, ([key, keys]) => {
    return !HasPropertyKey(value, key) || EveryAll(keys, 0, (dependency) => HasPropertyKey(value, dependency) || context.AddError("dependentRequired", schemaPath, instancePath, { property: key, dependencies: keys }));
  });
  return isLength || isEveryEntry;
}

// node_modules/typebox/build/schema/engine/dependentSchemas.mjs
function BuildDependentSchemas(stack, context, schema, value) {
  const isLength = IsEqual2(Member(Keys3(value), "length"), Constant(0));
  const isEvery = ReduceAnd(Entries(schema.dependentSchemas).map(([key, schema]) => {
    const notKey = Not(HasPropertyKey2(value, Constant(key)));
    const isSchema = BuildSchema(stack, context, schema, value);
    return Or(notKey, isSchema);
  }));
  return Or(isLength, isEvery);
}
function CheckDependentSchemas(stack, context, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEvery = Every(Entries(schema.dependentSchemas), 0, ([key, schema]) => {
    return !HasPropertyKey(value, key) || CheckSchema(stack, context, schema, value);
  });
  return isLength || isEvery;
}
function ErrorDependentSchemas(stack, context, schemaPath, instancePath, schema, value) {
  const isLength = IsEqual(Keys2(value).length, 0);
  const isEvery = EveryAll(Entries(schema.dependentSchemas), 0, ([key, schema]) => {
    const nextSchemaPath = `${schemaPath}/dependentSchemas/${EncodeFragment(key)}`;
    return !HasPropertyKey(value, key) || ErrorSchema(stack, context, nextSchemaPath, instancePath, schema, value);
  });
  return isLength || isEvery;
}
// node_modules/typebox/build/schema/pointer/pointer.mjs
function Indices(pointer) {
  const indices = pointer.split("/").map((index) => index.replace(/~1/g, "/").replace(/~0/g, "~"));
  return indices[0] === "" ? indices.slice(1) : indices;
}
function Get2(value, pointer) {
  let current = value;
  for (const index of Indices(pointer)) {
    if (!IsObject(current) || IsUnsafePropertyKey(index))
      return;
    current = current[index];
  }
  return current;
}
// node_modules/typebox/build/schema/resolve/resolve.mjs
function RelativeBase(schema, base) {
  return IsSchemaObject(schema) && IsId(schema) ? NextUri(schema.$id, base.href) : base;
}
function AbsoluteBase(base) {
  return NextUri(base, DefaultUri);
}
function CanonicalHref(url) {
  return url.href.split("#")[0];
}
function Base(schema, base, target) {
  return SearchBase(schema, AbsoluteBase(base), target);
}
function RefRoot(stack, ref) {
  return ref.$ref.startsWith("#") || stack.enteredResource ? stack.lexicalSchema : stack.schema;
}
function IsPointerFragment(fragment) {
  return fragment.startsWith("#/");
}
function SearchDynamicAnchor(schema, name) {
  if (IsObject(schema) && IsDynamicAnchor(schema) && IsEqual(schema.$dynamicAnchor, name)) {
    return schema;
  }
  if (IsObject(schema)) {
    for (const key of Keys2(schema)) {
      const result = SearchDynamicAnchor(schema[key], name);
      if (result)
        return result;
    }
  }
  return;
}
function SearchBase(schema, base, target) {
  if (IsEqual(schema, target))
    return base.href;
  const nextBase = RelativeBase(schema, base);
  if (IsArray(schema)) {
    for (const item of schema) {
      const result = SearchBase(item, nextBase, target);
      if (!IsUndefined(result))
        return result;
    }
  } else if (IsObject(schema)) {
    for (const key of Keys2(schema)) {
      const result = SearchBase(schema[key], nextBase, target);
      if (!IsUndefined(result))
        return result;
    }
  }
  return;
}
function MatchWithHash(schema, ref) {
  if (ref.href.endsWith("#"))
    return schema;
  if (!ref.hash.startsWith("#"))
    return;
  const fragment = decodeURIComponent(ref.hash.slice(1));
  if (!fragment.startsWith("/"))
    return;
  return Get2(schema, fragment);
}
function MatchWithId(schema, base, ref) {
  if (!IsId(schema))
    return;
  if (IsEqual(schema.$id, ref.hash))
    return schema;
  const absoluteRef = new URL(ref.href, base.href);
  if (IsEqual(base.pathname, absoluteRef.pathname))
    return ref.hash.startsWith("#") ? MatchWithHash(schema, ref) : schema;
  return;
}
function MatchWithAnchor(schema, base, ref) {
  if (!IsAnchor(schema))
    return;
  const absoluteAnchor = new URL(`#${schema.$anchor}`, base.href);
  const absoluteRef = new URL(ref.href, base.href);
  return IsEqual(absoluteAnchor.href, absoluteRef.href) ? schema : undefined;
}
function MatchWithDynamicAnchor(schema, base, ref) {
  if (!IsDynamicAnchor(schema))
    return;
  const absoluteAnchor = new URL(`#${schema.$dynamicAnchor}`, base.href);
  const absoluteRef = new URL(ref.href, base.href);
  const isMatch = IsEqual(absoluteAnchor.href, absoluteRef.href);
  return isMatch ? schema : undefined;
}
function MatchSchemaObject(schema, base, ref) {
  if (!IsSchemaObject(schema))
    return;
  return MatchWithId(schema, base, ref) ?? MatchWithAnchor(schema, base, ref) ?? MatchWithDynamicAnchor(schema, base, ref) ?? MatchWithHash(schema, ref);
}
function MatchFromArray(schema, base, ref) {
  if (!IsArray(schema))
    return;
  return schema.reduce((result, item) => {
    const match = Match(item, base, ref);
    return !IsUndefined(match) ? match : result;
  }, undefined);
}
function MatchFromObject(schema, base, ref) {
  if (!IsObject(schema))
    return;
  return Keys2(schema).reduce((result, key) => {
    if (IsEqual(key, "const") || IsEqual(key, "enum"))
      return result;
    const match = Match(schema[key], base, ref);
    return !IsUndefined(match) ? match : result;
  }, undefined);
}
function Match(schema, base, ref) {
  const relativeBase = RelativeBase(schema, base);
  return MatchSchemaObject(schema, relativeBase, ref) ?? MatchFromArray(schema, relativeBase, ref) ?? MatchFromObject(schema, relativeBase, ref);
}
function Resource(context, schema, base, ref) {
  const result = RefInternal(context, schema, base, ref);
  return IsSchemaObject(result) && IsId(result) ? result : undefined;
}
function FindDeferredResourceLegacy(stack, ref, schema) {
  if (!ref.$ref.startsWith("#"))
    return;
  if (!IsSchemaObject(stack.schema) || HasPropertyKey(stack.schema, "$schema"))
    return;
  const targetBase = Base(stack.lexicalSchema, stack.referenceBase, schema);
  if (IsUndefined(targetBase) || IsEqual(targetBase, stack.referenceBase))
    return;
  return { target: schema, base: targetBase, root: stack.lexicalSchema };
}
function FindDeferredResourceModern(stack, canonical, schema) {
  const remoteRoot = stack.context[canonical];
  if (!IsSchemaObject(remoteRoot))
    return;
  return { target: schema, base: canonical, root: remoteRoot };
}
function FindDeferredResource(stack, ref, schema, canonical, isRemote) {
  const remote = isRemote ? FindDeferredResourceModern(stack, canonical, schema) : undefined;
  return IsUndefined(remote) ? FindDeferredResourceLegacy(stack, ref, schema) : remote;
}
function FindResolvedResource(stack, canonical, schema) {
  if (IsId(schema))
    return;
  const resource = Resource(stack.context, stack.schema, stack.referenceBase, canonical);
  if (!resource || stack.ids.includes(resource))
    return;
  return { resource };
}
function RefInternalWithContext(context, ref) {
  return HasPropertyKey(context, ref) ? context[ref] : undefined;
}
function RefInternalWithLocal(schema, base, ref) {
  return Match(schema, base, ref);
}
function RefInternalWithRemote(context, base, ref) {
  const canonicalHref = CanonicalHref(ref);
  if (!HasPropertyKey(context, canonicalHref) || IsEqual(canonicalHref, CanonicalHref(base)))
    return;
  const remoteSchema = context[canonicalHref];
  const remoteBase = RelativeBase(remoteSchema, new URL(canonicalHref));
  return IsEqual(ref.hash, "") ? remoteSchema : Match(remoteSchema, remoteBase, ref);
}
function RefInternal(context, schema, base, ref) {
  const absoluteBase = AbsoluteBase(base);
  const target = NextUri(ref, absoluteBase.href);
  return RefInternalWithContext(context, ref) ?? RefInternalWithLocal(schema, absoluteBase, target) ?? RefInternalWithRemote(context, absoluteBase, target);
}
function RefNextStackDeferred(stack, deferredResource) {
  if (!deferredResource)
    return stack;
  const resourceEntries = new Map(stack.resourceEntries);
  resourceEntries.set(deferredResource.target, { base: deferredResource.base, root: deferredResource.root });
  return { ...stack, resourceEntries };
}
function RefNextStackResolved(stack, resolvedResource) {
  return resolvedResource ? NextStack(stack, resolvedResource.resource) : stack;
}
function RefNextStack(stack, pendingResource, deferredResource, resolvedResource) {
  const withDeferred = RefNextStackDeferred({ ...stack, pendingResource }, deferredResource);
  const withResolved = RefNextStackResolved(withDeferred, resolvedResource);
  return withResolved;
}
function RefResultFound(stack, ref, schema) {
  const canonical = CanonicalHref(NextUri(ref.$ref, stack.referenceBase));
  const isRemote = !IsEqual(canonical, stack.resourceBase);
  const deferredResource = FindDeferredResource(stack, ref, schema, canonical, isRemote);
  const resolvedResource = isRemote ? FindResolvedResource(stack, canonical, schema) : undefined;
  return { schema, stack: RefNextStack(stack, true, deferredResource, resolvedResource) };
}
function RefResultNotFound(stack, schema) {
  return { schema, stack: RefNextStack(stack, !IsUndefined(schema)) };
}
function Ref(stack, ref) {
  const schema = RefInternal(stack.context, RefRoot(stack, ref), stack.referenceBase, ref.$ref);
  return IsSchemaObject(schema) ? RefResultFound(stack, ref, schema) : RefResultNotFound(stack, schema);
}
function IsRecursiveAnchorInScope(stack) {
  return IsSchemaObject(stack.lexicalSchema) && IsRecursiveAnchorTrue(stack.lexicalSchema);
}
function RecursiveRef(stack, recursiveRef) {
  const schema = IsRecursiveAnchorInScope(stack) ? stack.recursiveAnchor : stack.lexicalSchema;
  return RefInternal(stack.context, schema, stack.lexicalBase, recursiveRef.$recursiveRef);
}
function DynamicRefFragment(stack, dynamicRef) {
  return NextUri(dynamicRef.$dynamicRef, AbsoluteBase(stack.lexicalBase).href).hash;
}
function FindScopedDynamicAnchor(stack, name) {
  return stack.dynamicAnchors.find((anchor) => IsEqual(anchor.$dynamicAnchor, name)) ?? SearchDynamicAnchor(stack.schema, name);
}
function DynamicRefWhenFound(stack, dynamicRef, fragmentTarget) {
  if (!IsSchemaObject(fragmentTarget) || !IsDynamicAnchor(fragmentTarget))
    return fragmentTarget;
  const fragment = DynamicRefFragment(stack, dynamicRef);
  return IsPointerFragment(fragment) ? fragmentTarget : FindScopedDynamicAnchor(stack, fragmentTarget.$dynamicAnchor);
}
function DynamicRefWhenNotFound(stack, dynamicRef) {
  const fragment = DynamicRefFragment(stack, dynamicRef);
  return FindScopedDynamicAnchor(stack, decodeURIComponent(fragment.slice(1)));
}
function DynamicRef(stack, dynamicRef) {
  const fragmentRoot = dynamicRef.$dynamicRef.startsWith("#") ? stack.lexicalSchema : stack.schema;
  const fragmentTarget = RefInternal(stack.context, fragmentRoot, stack.lexicalBase, dynamicRef.$dynamicRef);
  return IsUndefined(fragmentTarget) ? DynamicRefWhenNotFound(stack, dynamicRef) : DynamicRefWhenFound(stack, dynamicRef, fragmentTarget);
}
// node_modules/typebox/build/schema/engine/dynamicRef.mjs
function BuildDynamicRef(stack, context, schema, value) {
  const target = DynamicRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return CreateFunction(nextStack, context, target, value);
}
function CheckDynamicRef(stack, context, schema, value) {
  const target = DynamicRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return IsSchema(target) && CheckSchema(nextStack, context, target, value);
}
function ErrorDynamicRef(stack, context, schemaPath, instancePath, schema, value) {
  const target = DynamicRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return IsSchema(target) && ErrorSchema(nextStack, context, schemaPath, instancePath, target, value);
}

// node_modules/typebox/build/schema/engine/enum.mjs
function BuildEnum(_stack, _context, schema, value) {
  return ReduceOr(schema.enum.map((option) => {
    if (IsValueLike(option))
      return IsEqual2(value, Constant(option));
    const variable = CreateVariable(option);
    return IsDeepEqual2(value, variable);
  }));
}
function CheckEnum(_stack, _context, schema, value) {
  return Some(schema.enum, (option) => IsValueLike(option) ? IsEqual(value, option) : IsDeepEqual(value, option));
}
function ErrorEnum(stack, context, schemaPath, instancePath, schema, value) {
  return CheckEnum(stack, context, schema, value) || context.AddError("enum", schemaPath, instancePath, { allowedValues: schema.enum });
}

// node_modules/typebox/build/schema/engine/exclusiveMaximum.mjs
function BuildExclusiveMaximum(_stack, _context, schema, value) {
  return IsLessThan2(value, Constant(schema.exclusiveMaximum));
}
function CheckExclusiveMaximum(_stack, _context, schema, value) {
  return IsLessThan(value, schema.exclusiveMaximum);
}
function ErrorExclusiveMaximum(stack, context, schemaPath, instancePath, schema, value) {
  return CheckExclusiveMaximum(stack, context, schema, value) || context.AddError("exclusiveMaximum", schemaPath, instancePath, { comparison: "<", limit: schema.exclusiveMaximum });
}

// node_modules/typebox/build/schema/engine/exclusiveMinimum.mjs
function BuildExclusiveMinimum(_stack, _context, schema, value) {
  return IsGreaterThan2(value, Constant(schema.exclusiveMinimum));
}
function CheckExclusiveMinimum(_stack, _context, schema, value) {
  return IsGreaterThan(value, schema.exclusiveMinimum);
}
function ErrorExclusiveMinimum(stack, context, schemaPath, instancePath, schema, value) {
  return CheckExclusiveMinimum(stack, context, schema, value) || context.AddError("exclusiveMinimum", schemaPath, instancePath, { comparison: ">", limit: schema.exclusiveMinimum });
}

// node_modules/typebox/build/format/date.mjs
var DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
var DATE = /^(\d\d\d\d)-(\d\d)-(\d\d)$/;
function IsLeapYear(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
function IsDate2(value) {
  const matches = DATE.exec(value);
  if (!matches)
    return false;
  const year = +matches[1];
  const month = +matches[2];
  const day = +matches[3];
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && IsLeapYear(year) ? 29 : DAYS[month]);
}

// node_modules/typebox/build/format/time.mjs
var TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:([Zz])|([+-])(\d\d):(\d\d))?$/;
function IsTime(value, strictTimeZone = true) {
  const matches = TIME.exec(value);
  if (!matches)
    return false;
  if (strictTimeZone && !matches[4] && !matches[5])
    return false;
  const hr = +matches[1];
  const min = +matches[2];
  const sec = +matches[3];
  if (hr > 23 || min > 59 || sec > 60)
    return false;
  if (matches[5]) {
    const tzH = +matches[6];
    const tzM = +matches[7];
    if (tzH > 23 || tzM > 59)
      return false;
  }
  if (sec < 60)
    return true;
  const tzSign = matches[5] === "-" ? -1 : 1;
  const tzH = +(matches[6] || 0);
  const tzM = +(matches[7] || 0);
  const totalUtcMin = hr * 60 + min - tzSign * (tzH * 60 + tzM);
  return (totalUtcMin % 1440 + 1440) % 1440 === 1439;
}

// node_modules/typebox/build/format/date_time.mjs
var DATE_TIME_SUFFIX = /^(?:\[!?(?:(?!\.{1,2}[/\]])[A-Za-z._][A-Za-z._0-9+-]{0,13}(?:\/(?!\.{1,2}[/\]])[A-Za-z._][A-Za-z._0-9+-]{0,13})*|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\](?:\[!?[a-z_][a-z_0-9-]*=[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\])*|(?:\[!?[a-z_][a-z_0-9-]*=[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\])*)$/;
function IsDateTime(value) {
  const index = value.indexOf("[");
  const datetime = index === -1 ? value : value.slice(0, index);
  if (index !== -1 && !DATE_TIME_SUFFIX.test(value.slice(index)))
    return false;
  const split = datetime.split(/T/i);
  return split.length === 2 && IsDate2(split[0]) && IsTime(split[1]);
}

// node_modules/typebox/build/format/duration.mjs
var Duration = /^P((\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)(T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?|T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)|\d+W)$/;
function IsDuration(value) {
  return Duration.test(value);
}

// node_modules/typebox/build/format/email.mjs
var Email = /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"(?:[^"\\]|\\[\x20-\x7e])*")@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[(?:IPv6:[a-f0-9:]+|(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3})\])$/i;
function IsEmail(value) {
  return Email.test(value);
}

// node_modules/typebox/build/format/idna/pattern/pattern.mjs
var RE_RULE_HYPHEN_PLACEMENT = /^(?!-).*(?<!-)$/;
var RE_RULE_NOT_RESERVED_ACE = /^(?!..--)/;
var RE_ASCII_LDH = /^[a-zA-Z0-9-]*$/;
var RE_NON_ASCII = /[^\p{ASCII}]/u;
var RE_ASCII_DIGIT = /[0-9]/;
var RE_ARABIC_INDIC_DIGIT = /[\u{0660}-\u{0669}]/u;
var RE_EXT_ARABIC_INDIC_DIGIT = /[\u{06f0}-\u{06f9}]/u;
var RE_COMMON_SEPARATOR = /[\u{002e}\u{002c}\u{003a}\u{002f}]/u;
var RE_EUROPEAN_SEPARATOR = /[\u{002d}\u{002b}]/u;
var RE_MARK_NONSPACING = /\p{Mn}/u;
var RE_MARK_SPACING_COMBINING = /\p{Mc}/u;
var RE_COMBINING_MARK = /[\p{Mn}\p{Mc}\p{Me}]/u;
var RE_LETTER = /\p{L}/u;
var RE_NUMBER_DECIMAL = /\p{Nd}/u;
var RE_SCRIPT_GREEK = /\p{Script=Greek}/u;
var RE_SCRIPT_HEBREW = /\p{Script=Hebrew}/u;
var RE_SCRIPT_JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
var RE_SCRIPT_ARABIC_LETTER = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Mandaic}]/u;
var RE_VIRAMA = /[\u{094d}\u{09cd}\u{0a4d}\u{0acd}\u{0b4d}\u{0bcd}\u{0c4d}\u{0ccd}\u{0d3b}\u{0d3c}\u{0d4d}\u{0dca}\u{1b44}\u{1baa}\u{1bab}\u{a9c0}\u{11046}\u{1107f}\u{110b9}\u{11133}\u{11134}\u{111c0}\u{11235}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{11c3f}\u{11d44}\u{11d45}]/u;
var RE_RFC5892_DISALLOWED = /[\u{0640}\u{07fa}\u{302e}\u{302f}\u{3031}\u{3032}\u{3033}\u{3034}\u{3035}\u{303b}]/u;
var RE_CONTEXTO_EXCEPTIONS = /[\u{00b7}\u{0375}\u{05f3}\u{05f4}\u{200c}\u{200d}\u{30fb}]/u;
var RE_PVALID_EXCEPTIONS = /[\u{00df}\u{03c2}\u{06fd}\u{06fe}\u{0f0b}\u{3007}]/u;
var RE_EUROPEAN_NUMBER = new RegExp([
  RE_ASCII_DIGIT,
  RE_EXT_ARABIC_INDIC_DIGIT
].map((regexp) => regexp.source).join("|"), "u");
var RE_PERMITTED_CATEGORY = new RegExp([
  RE_LETTER,
  RE_EUROPEAN_SEPARATOR,
  RE_COMMON_SEPARATOR,
  RE_NUMBER_DECIMAL,
  RE_MARK_NONSPACING,
  RE_MARK_SPACING_COMBINING,
  RE_CONTEXTO_EXCEPTIONS,
  RE_PVALID_EXCEPTIONS
].map((regexp) => regexp.source).join("|"), "u");

// node_modules/typebox/build/format/idna/label/ascii.mjs
function IsAsciiLabel(value) {
  return RE_RULE_HYPHEN_PLACEMENT.test(value) && RE_RULE_NOT_RESERVED_ACE.test(value) && RE_ASCII_LDH.test(value);
}

// node_modules/typebox/build/format/idna/format/puny.mjs
var PUNYCODE_BASE = 36;
var PUNYCODE_TMIN = 1;
var PUNYCODE_TMAX = 26;
var PUNYCODE_SKEW = 38;
var PUNYCODE_DAMP = 700;
var PUNYCODE_INITIAL_BIAS = 72;
var PUNYCODE_INITIAL_N = 128;
function ThrowDontCare() {
  throw null;
}
function IsAcePrefixed(value) {
  return value.toLowerCase().startsWith("xn--");
}
function Adapt(delta, numPoints, firstTime) {
  delta = firstTime ? Math.floor(delta / PUNYCODE_DAMP) : delta >> 1;
  delta += Math.floor(delta / numPoints);
  let k = 0;
  while (delta > (PUNYCODE_BASE - PUNYCODE_TMIN) * PUNYCODE_TMAX >> 1) {
    delta = Math.floor(delta / (PUNYCODE_BASE - PUNYCODE_TMIN));
    k += PUNYCODE_BASE;
  }
  return k + Math.floor((PUNYCODE_BASE - PUNYCODE_TMIN + 1) * delta / (delta + PUNYCODE_SKEW));
}
function Decode(value) {
  const output = [];
  let n = PUNYCODE_INITIAL_N;
  let i = 0;
  let bias = PUNYCODE_INITIAL_BIAS;
  const delimIdx = value.lastIndexOf("-");
  if (delimIdx > 0) {
    for (let j = 0;j < delimIdx; j++) {
      const cp = value.charCodeAt(j);
      if (cp >= 128)
        ThrowDontCare();
      output.push(cp);
    }
  }
  let inIdx = delimIdx < 0 ? 0 : delimIdx + 1;
  while (inIdx < value.length) {
    const oldi = i;
    let w = 1;
    let k = PUNYCODE_BASE;
    while (true) {
      if (inIdx >= value.length)
        ThrowDontCare();
      const ch = value.charCodeAt(inIdx++);
      let digit;
      if (ch >= 97 && ch <= 122)
        digit = ch - 97;
      else if (ch >= 48 && ch <= 57)
        digit = ch - 48 + 26;
      else
        ThrowDontCare();
      i += digit * w;
      const t = k <= bias ? PUNYCODE_TMIN : k >= bias + PUNYCODE_TMAX ? PUNYCODE_TMAX : k - bias;
      if (digit < t)
        break;
      w *= PUNYCODE_BASE - t;
      k += PUNYCODE_BASE;
    }
    const outLen = output.length + 1;
    bias = Adapt(i - oldi, outLen, oldi === 0);
    n += Math.floor(i / outLen);
    i %= outLen;
    output.splice(i, 0, n);
    i++;
  }
  return String.fromCodePoint(...output);
}
function DigitToChar(digit) {
  return digit < 26 ? String.fromCharCode(digit + 97) : String.fromCharCode(digit - 26 + 48);
}
var RE_REPLACE_NON_ASCII = new RegExp(RE_NON_ASCII.source, "gu");
function Encode(input) {
  const basic = input.replace(RE_REPLACE_NON_ASCII, "");
  const basicLength = basic.length;
  const result = basicLength > 0 ? [basic, "-"] : [];
  const codePoints = Array.from(input, (char) => char.codePointAt(0));
  let n = PUNYCODE_INITIAL_N;
  let delta = 0;
  let bias = PUNYCODE_INITIAL_BIAS;
  let handledCPCount = basicLength;
  while (handledCPCount < codePoints.length) {
    let m = Infinity;
    for (const cp of codePoints) {
      if (cp >= n && cp < m)
        m = cp;
    }
    delta += (m - n) * (handledCPCount + 1);
    n = m;
    for (const cp of codePoints) {
      if (cp < n)
        delta++;
      if (cp === n) {
        let q = delta;
        for (let k = PUNYCODE_BASE;; k += PUNYCODE_BASE) {
          const t = k <= bias ? PUNYCODE_TMIN : k >= bias + PUNYCODE_TMAX ? PUNYCODE_TMAX : k - bias;
          if (q < t)
            break;
          const digit = t + (q - t) % (PUNYCODE_BASE - t);
          result.push(DigitToChar(digit));
          q = Math.floor((q - t) / (PUNYCODE_BASE - t));
        }
        result.push(DigitToChar(q));
        bias = Adapt(delta, handledCPCount + 1, handledCPCount === basicLength);
        delta = 0;
        handledCPCount++;
      }
    }
    delta++;
    n++;
  }
  return result.join("");
}

// node_modules/typebox/build/format/idna/format/bidi.mjs
var RE_RTL_ALLOWED = /^(?:R|AL|AN|EN|ES|CS|ET|ON|BN|NSM)$/;
var RE_LTR_ALLOWED = /^(?:L|EN|ES|CS|ET|ON|BN|NSM)$/;
var RE_RTL_CLASSES = /^(?:R|AL|AN)$/;
function HasBidiChars(value) {
  if (IsAcePrefixed(value)) {
    try {
      return HasRightToLeftCharacters(Decode(value.slice(4).toLowerCase()));
    } catch {
      return false;
    }
  }
  return HasRightToLeftCharacters(value);
}
function GetBidiClass(codePoint) {
  const char = String.fromCodePoint(codePoint);
  return RE_EUROPEAN_NUMBER.test(char) ? "EN" : RE_ARABIC_INDIC_DIGIT.test(char) ? "AN" : RE_MARK_NONSPACING.test(char) ? "NSM" : RE_SCRIPT_HEBREW.test(char) ? "R" : RE_SCRIPT_ARABIC_LETTER.test(char) ? "AL" : RE_LETTER.test(char) ? "L" : "ON";
}
function HasRightToLeftCharacters(value) {
  for (const ch of value)
    if (RE_RTL_CLASSES.test(GetBidiClass(ch.codePointAt(0))))
      return true;
  return false;
}
function SatisfiesBidiRule(value) {
  let isRtl = false;
  let allowed = RE_LTR_ALLOWED;
  let sawEN = false;
  let sawAN = false;
  let isFirst = true;
  for (const ch of value) {
    const bidiClass = GetBidiClass(ch.codePointAt(0));
    if (isFirst) {
      if (bidiClass !== "L" && bidiClass !== "R" && bidiClass !== "AL")
        return false;
      isRtl = bidiClass === "R" || bidiClass === "AL";
      allowed = isRtl ? RE_RTL_ALLOWED : RE_LTR_ALLOWED;
      isFirst = false;
    }
    if (!allowed.test(bidiClass))
      return false;
    if (bidiClass === "EN")
      sawEN = true;
    else if (bidiClass === "AN")
      sawAN = true;
  }
  if (isRtl && sawEN && sawAN)
    return false;
  return true;
}

// node_modules/typebox/build/format/idna/label/unicode.mjs
function ExceedsMaxALabelLength(value) {
  return RE_NON_ASCII.test(value) && Encode(value).length + 4 > 63;
}
function HasInvalidHyphens(chars) {
  if (chars[0] === "-" || chars[chars.length - 1] === "-")
    return true;
  return chars.slice(2).join("").startsWith("--");
}
function IsUnicodeLabel(value) {
  if (ExceedsMaxALabelLength(value))
    return false;
  if (HasRightToLeftCharacters(value) && !SatisfiesBidiRule(value))
    return false;
  const chars = [...value];
  const codePoints = chars.map((c) => c.codePointAt(0));
  const length = codePoints.length;
  if (HasInvalidHyphens(chars))
    return false;
  if (RE_COMBINING_MARK.test(chars[0]))
    return false;
  let hasJapanese = false;
  for (let i = 0;i < length; i++) {
    const codePoint = codePoints[i];
    const char = chars[i];
    if (RE_RFC5892_DISALLOWED.test(char))
      return false;
    if (!RE_PERMITTED_CATEGORY.test(char))
      return false;
    if (RE_SCRIPT_JAPANESE.test(char))
      hasJapanese = true;
    const prev = codePoints[i - 1], next = codePoints[i + 1];
    switch (codePoint) {
      case 183:
        if (prev !== 108 || next !== 108)
          return false;
        break;
      case 885:
        if (!next || !RE_SCRIPT_GREEK.test(chars[i + 1]))
          return false;
        break;
      case 1523:
      case 1524:
        if (!prev || !RE_SCRIPT_HEBREW.test(chars[i - 1]))
          return false;
        break;
      case 8204:
        if (!prev || prev < 128 && !RE_VIRAMA.test(chars[i - 1]))
          return false;
        break;
      case 8205:
        if (!prev || !RE_VIRAMA.test(chars[i - 1]))
          return false;
        break;
      case 12539:
        break;
    }
  }
  if (value.includes("\u30FB") && !hasJapanese)
    return false;
  return true;
}

// node_modules/typebox/build/format/idna/label/puny.mjs
function IsPunyLabel(value) {
  if (!IsAcePrefixed(value))
    return false;
  try {
    const body = value.slice(4).toLowerCase();
    if (body.lastIndexOf("-") === 0)
      return false;
    const decoded = Decode(body);
    if (!RE_NON_ASCII.test(decoded))
      return false;
    return IsUnicodeLabel(decoded);
  } catch {
    return false;
  }
}

// node_modules/typebox/build/format/idna/hostname.mjs
function IsValidLabelLength(value) {
  return value.length > 0 && value.length <= 63;
}
function IsLabel(value) {
  return IsValidLabelLength(value) && (IsPunyLabel(value) || IsAsciiLabel(value));
}
function IsHostname(value) {
  if (value.length === 0 || value.length > 253)
    return false;
  if (value.charCodeAt(value.length - 1) === 46)
    return false;
  return value.split(".").every((label) => IsLabel(label));
}
// node_modules/typebox/build/format/idna/idn-hostname.mjs
function IsValidLabelLength2(value) {
  return value.length > 0 && value.length <= 63;
}
function IsLabel2(value) {
  return IsValidLabelLength2(value) && (IsPunyLabel(value) || IsUnicodeLabel(value));
}
function NormalizeHostname(value) {
  return value.replace(/[\uff01-\uff5e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 65248)).normalize("NFC").replace(/[\u00ad\u034f\u180b-\u180d\u200b\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu, "").replace(/[\u002E\u3002\uFF0E\uFF61]/g, ".");
}
function IsIdnHostname(value) {
  if (value.length === 0 || value.includes(" "))
    return false;
  const normalized = NormalizeHostname(value);
  if (normalized.length > 253)
    return false;
  const labels = normalized.split(".");
  const hasBidiChars = labels.some((label) => HasBidiChars(label));
  return labels.every((label) => IsLabel2(label) && (!hasBidiChars || SatisfiesBidiRule(label)));
}
// node_modules/typebox/build/format/hostname.mjs
function IsHostname2(value) {
  return IsHostname(value);
}

// node_modules/typebox/build/format/idn_email.mjs
var IdnEmail = /^(?:[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\u{0080}-\u{10FFFF}-]+(?:\.[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\u{0080}-\u{10FFFF}-]+)*|"(?:[^"\\]|\\.)*")@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?<!-)(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?<!-))*$/iu;
function IsIdnEmail(value) {
  return IdnEmail.test(value.normalize("NFC"));
}

// node_modules/typebox/build/format/idn_hostname.mjs
function IsIdnHostname2(value) {
  return IsIdnHostname(value);
}

// node_modules/typebox/build/format/ipv4.mjs
var IPv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
function IsIPv4(value) {
  return IPv4.test(value);
}

// node_modules/typebox/build/format/ipv6.mjs
var IPv6 = /^(?:(?:(?:[0-9a-f]{1,4}:){6}|::(?:[0-9a-f]{1,4}:){5}|(?:[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){4}|(?:(?:[0-9a-f]{1,4}:)?[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){3}|(?:(?:[0-9a-f]{1,4}:){0,2}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){2}|(?:(?:[0-9a-f]{1,4}:){0,3}[0-9a-f]{1,4})?::[0-9a-f]{1,4}:|(?:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4})?::)(?:[0-9a-f]{1,4}:[0-9a-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4})?::[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})?::)$/i;
function IsIPv6(value) {
  return IPv6.test(value);
}

// node_modules/typebox/build/format/iri_reference.mjs
var InvalidIriChars = /[\x00-\x20\x7F\\]|%(?![0-9a-fA-F]{2})/;
var MalformedScheme = /^[a-zA-Z][a-zA-Z0-9+\-.]*\/\//;
function IsIriReference(value) {
  return !InvalidIriChars.test(value) && !MalformedScheme.test(value) && URL.canParse(value, "http://example.com");
}

// node_modules/typebox/build/format/iri.mjs
var InvalidIriChars2 = /[\x00-\x20<>\^`{|}\\]/;
var InvalidPercentEncoding = /%(?![0-9a-fA-F]{2})/;
function IsIri(value) {
  if (InvalidIriChars2.test(value))
    return false;
  if (InvalidPercentEncoding.test(value))
    return false;
  return URL.canParse(value);
}

// node_modules/typebox/build/format/json_pointer_uri_fragment.mjs
var JsonPointerUriFragment = /^#(?:\/(?:[a-z0-9_\-.!$&'()*+,;:=@]|%[0-9a-f]{2}|~0|~1)*)*$/i;
function IsJsonPointerUriFragment(value) {
  return JsonPointerUriFragment.test(value);
}

// node_modules/typebox/build/format/json_pointer.mjs
var JsonPointer = /^(?:\/(?:[^~/]|~0|~1)*)*$/;
function IsJsonPointer(value) {
  return JsonPointer.test(value);
}

// node_modules/typebox/build/format/regex.mjs
function IsRegex(value) {
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

// node_modules/typebox/build/format/relative_json_pointer.mjs
var RelativeJsonPointer = /^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/;
function IsRelativeJsonPointer(value) {
  return RelativeJsonPointer.test(value);
}

// node_modules/typebox/build/format/uri_reference.mjs
var UriReference = /^(?:[a-z][a-z0-9+\-.]*:(?:\/\/(?:(?:[-a-z0-9._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:[\da-f]{1,4}:){6}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|::(?:[\da-f]{1,4}:){5}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:[\da-f]{1,4})?::(?:[\da-f]{1,4}:){4}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,1}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){3}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,2}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){2}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,3}[\da-f]{1,4})?::[\da-f]{1,4}:(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,4}[\da-f]{1,4})?::(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,5}[\da-f]{1,4})?::[\da-f]{1,4}|(?:(?:[\da-f]{1,4}:){0,6}[\da-f]{1,4})?::)|v[0-9a-f]+\.[-a-z0-9._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)|(?:[-a-z0-9._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:\/\/(?:(?:[-a-z0-9._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:[\da-f]{1,4}:){6}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|::(?:[\da-f]{1,4}:){5}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:[\da-f]{1,4})?::(?:[\da-f]{1,4}:){4}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,1}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){3}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,2}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){2}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,3}[\da-f]{1,4})?::[\da-f]{1,4}:(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,4}[\da-f]{1,4})?::(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,5}[\da-f]{1,4})?::[\da-f]{1,4}|(?:(?:[\da-f]{1,4}:){0,6}[\da-f]{1,4})?::)|v[0-9a-f]+\.[-a-z0-9._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)|(?:[-a-z0-9._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[-a-z0-9._~!$&'()*+,;=@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?)(?:\?(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
function IsUriReference(value) {
  return UriReference.test(value);
}

// node_modules/typebox/build/format/uri_template.mjs
var UriTemplate = /^(?:(?:[^\x00-\x20"<>%\\^`{|}\x7f]|%[0-9a-f]{2})|\{[+#./;?&=,!@|]?(?:[a-z0-9_]|%[0-9a-f]{2})+(?:\.(?:[a-z0-9_]|%[0-9a-f]{2})+)*(?::[1-9]\d{0,3}|\*)?(?:,(?:[a-z0-9_]|%[0-9a-f]{2})+(?:\.(?:[a-z0-9_]|%[0-9a-f]{2})+)*(?::[1-9]\d{0,3}|\*)?)*\})*$/i;
function IsUriTemplate(value) {
  return UriTemplate.test(value);
}

// node_modules/typebox/build/format/uri.mjs
var Uri = /^[a-z][a-z0-9+\-.]*:(?:\/\/(?:(?:[-a-z0-9._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:[\da-f]{1,4}:){6}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|::(?:[\da-f]{1,4}:){5}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:[\da-f]{1,4})?::(?:[\da-f]{1,4}:){4}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,1}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){3}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,2}[\da-f]{1,4})?::(?:[\da-f]{1,4}:){2}(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,3}[\da-f]{1,4})?::[\da-f]{1,4}:(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,4}[\da-f]{1,4})?::(?:[\da-f]{1,4}:[\da-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[\da-f]{1,4}:){0,5}[\da-f]{1,4})?::[\da-f]{1,4}|(?:(?:[\da-f]{1,4}:){0,6}[\da-f]{1,4})?::)|v[0-9a-f]+\.[-a-z0-9._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)|(?:[-a-z0-9._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?(?:\?(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
function IsUri(value) {
  return Uri.test(value);
}

// node_modules/typebox/build/format/url.mjs
function IsUrl(value) {
  return URL.canParse(value);
}

// node_modules/typebox/build/format/uuid.mjs
var Uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
function IsUuid(value) {
  return Uuid.test(value);
}

// node_modules/typebox/build/format/_registry.mjs
var formats = new Map;
function Clear() {
  formats.clear();
}
function Has(format) {
  return formats.has(format);
}
function Get3(format) {
  return formats.get(format);
}
function Test(format, value) {
  return formats.get(format)?.(value) ?? true;
}
function Reset() {
  Clear();
  formats.set("date-time", IsDateTime);
  formats.set("date", IsDate2);
  formats.set("duration", IsDuration);
  formats.set("email", IsEmail);
  formats.set("hostname", IsHostname2);
  formats.set("idn-email", IsIdnEmail);
  formats.set("idn-hostname", IsIdnHostname2);
  formats.set("ipv4", IsIPv4);
  formats.set("ipv6", IsIPv6);
  formats.set("iri-reference", IsIriReference);
  formats.set("iri", IsIri);
  formats.set("json-pointer-uri-fragment", IsJsonPointerUriFragment);
  formats.set("json-pointer", IsJsonPointer);
  formats.set("regex", IsRegex);
  formats.set("relative-json-pointer", IsRelativeJsonPointer);
  formats.set("time", IsTime);
  formats.set("uri-reference", IsUriReference);
  formats.set("uri-template", IsUriTemplate);
  formats.set("uri", IsUri);
  formats.set("url", IsUrl);
  formats.set("uuid", IsUuid);
}
Reset();
// node_modules/typebox/build/schema/engine/format.mjs
function BuildFormat(_stack, _context, schema, value) {
  return Has(schema.format) ? Call(CreateVariable(Get3(schema.format)), [value]) : Constant(true);
}
function CheckFormat(_stack, _context, schema, value) {
  return Test(schema.format, value);
}
function ErrorFormat(stack, context, schemaPath, instancePath, schema, value) {
  return CheckFormat(stack, context, schema, value) || context.AddError("format", schemaPath, instancePath, { format: schema.format });
}

// node_modules/typebox/build/schema/engine/if.mjs
function BuildIf(stack, context, schema, value) {
  const thenSchema = IsThen(schema) ? schema.then : true;
  const elseSchema = IsElse(schema) ? schema.else : true;
  return Ternary(BuildSchema(stack, context, schema.if, value), BuildSchema(stack, context, thenSchema, value), BuildSchema(stack, context, elseSchema, value));
}
function CheckIf(stack, context, schema, value) {
  const thenSchema = IsThen(schema) ? schema.then : true;
  const elseSchema = IsElse(schema) ? schema.else : true;
  return CheckSchema(stack, context, schema.if, value) ? CheckSchema(stack, context, thenSchema, value) : CheckSchema(stack, context, elseSchema, value);
}
function ErrorIf(stack, context, schemaPath, instancePath, schema, value) {
  const thenSchema = IsThen(schema) ? schema.then : true;
  const elseSchema = IsElse(schema) ? schema.else : true;
  const trueContext = new ErrorContext;
  const isIf = ErrorSchema(stack, trueContext, `${schemaPath}/if`, instancePath, schema.if, value) ? ErrorSchema(stack, trueContext, `${schemaPath}/then`, instancePath, thenSchema, value) || context.AddError("if", schemaPath, instancePath, { failingKeyword: "then" }) : ErrorSchema(stack, context, `${schemaPath}/else`, instancePath, elseSchema, value) || context.AddError("if", schemaPath, instancePath, { failingKeyword: "else" });
  if (isIf)
    context.Merge([trueContext]);
  return isIf;
}

// node_modules/typebox/build/schema/engine/items.mjs
function BuildItemsSizedStandard(stack, context, schema, value) {
  return ReduceAnd(schema.items.map((schema, index) => {
    const isLength = IsLessEqualThan2(Member(value, "length"), Constant(index));
    const isSchema = BuildSchemaPushStack(stack, context, schema, `${value}[${index}]`);
    const addIndex = context.AddIndex(Constant(index));
    return Or(isLength, And(isSchema, addIndex));
  }));
}
function BuildItemsSizedFast(stack, context, schema, value) {
  return ReduceAnd(schema.items.map((schema, index) => {
    const isLength = IsLessEqualThan2(Member(value, "length"), Constant(index));
    const isSchema = BuildSchemaPushStack(stack, context, schema, `${value}[${index}]`);
    return Or(isLength, isSchema);
  }));
}
function BuildItemsSized(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildItemsSizedStandard(stack, context, schema, value) : BuildItemsSizedFast(stack, context, schema, value);
}
function CheckItemsSized(stack, context, schema, value) {
  return Every(schema.items, 0, (schema, index) => {
    return IsLessEqualThan(value.length, index) || CheckSchemaPushStack(stack, context, schema, value[index]) && context.AddIndex(index);
  });
}
function ErrorItemsSized(stack, context, schemaPath, instancePath, schema, value) {
  return EveryAll(schema.items, 0, (schema, index) => {
    const nextSchemaPath = `${schemaPath}/items/${index}`;
    const nextInstancePath = `${instancePath}/${index}`;
    return IsLessEqualThan(value.length, index) || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema, value[index]) && context.AddIndex(index);
  });
}
function BuildItemsUnsizedStandard(stack, context, schema, value) {
  const offset = IsPrefixItems(schema) ? schema.prefixItems.length : 0;
  const [item] = [CreateUnique()];
  const isSchema = BuildSchemaPushStack(stack, context, schema.items, item);
  const addIndex = context.AddIndex("index");
  return Every2(value, Constant(offset), [item, "index"], And(isSchema, addIndex));
}
function BuildItemsUnsizedFast(stack, context, schema, value) {
  const offset = IsPrefixItems(schema) ? schema.prefixItems.length : 0;
  const [item] = [CreateUnique()];
  const isSchema = BuildSchemaPushStack(stack, context, schema.items, item);
  return Every2(value, Constant(offset), [item, "index"], isSchema);
}
function BuildItemsUnsized(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildItemsUnsizedStandard(stack, context, schema, value) : BuildItemsUnsizedFast(stack, context, schema, value);
}
function CheckItemsUnsized(stack, context, schema, value) {
  const offset = IsPrefixItems(schema) ? schema.prefixItems.length : 0;
  return Every(value, offset, (element, index) => {
    return CheckSchemaPushStack(stack, context, schema.items, element) && context.AddIndex(index);
  });
}
function ErrorItemsUnsized(stack, context, schemaPath, instancePath, schema, value) {
  const offset = IsPrefixItems(schema) ? schema.prefixItems.length : 0;
  return EveryAll(value, offset, (element, index) => {
    const nextSchemaPath = `${schemaPath}/items`;
    const nextInstancePath = `${instancePath}/${index}`;
    return ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema.items, element) && context.AddIndex(index);
  });
}
function BuildItems(stack, context, schema, value) {
  return IsItemsSized(schema) ? BuildItemsSized(stack, context, schema, value) : BuildItemsUnsized(stack, context, schema, value);
}
function CheckItems(stack, context, schema, value) {
  return IsItemsSized(schema) ? CheckItemsSized(stack, context, schema, value) : CheckItemsUnsized(stack, context, schema, value);
}
function ErrorItems(stack, context, schemaPath, instancePath, schema, value) {
  return IsItemsSized(schema) ? ErrorItemsSized(stack, context, schemaPath, instancePath, schema, value) : ErrorItemsUnsized(stack, context, schemaPath, instancePath, schema, value);
}

// node_modules/typebox/build/schema/engine/maxContains.mjs
function IsValid3(schema) {
  return IsContains(schema);
}
function BuildMaxContains(stack, context, schema, value) {
  if (!IsValid3(schema))
    return Constant(true);
  const [item] = [CreateUnique()];
  const count = Counted2(value, [item, "_"], BuildSchema(stack, context, schema.contains, item));
  return IsLessEqualThan2(count, Constant(schema.maxContains));
}
function CheckMaxContains(stack, context, schema, value) {
  if (!IsValid3(schema))
    return true;
  const count = Counted(value, (item) => CheckSchema(stack, context, schema.contains, item));
  return IsLessEqualThan(count, schema.maxContains);
}
function ErrorMaxContains(stack, context, schemaPath, instancePath, schema, value) {
  const minContains = IsMinContains(schema) ? schema.minContains : 1;
  return CheckMaxContains(stack, context, schema, value) || context.AddError("contains", schemaPath, instancePath, { minContains, maxContains: schema.maxContains });
}

// node_modules/typebox/build/schema/engine/maximum.mjs
function BuildMaximum(_stack, _context, schema, value) {
  return IsLessEqualThan2(value, Constant(schema.maximum));
}
function CheckMaximum(_stack, _context, schema, value) {
  return IsLessEqualThan(value, schema.maximum);
}
function ErrorMaximum(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMaximum(stack, context, schema, value) || context.AddError("maximum", schemaPath, instancePath, { comparison: "<=", limit: schema.maximum });
}

// node_modules/typebox/build/schema/engine/maxItems.mjs
function BuildMaxItems(_stack, _context, schema, value) {
  return IsLessEqualThan2(Member(value, "length"), Constant(schema.maxItems));
}
function CheckMaxItems(_stack, _context, schema, value) {
  return IsLessEqualThan(value.length, schema.maxItems);
}
function ErrorMaxItems(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMaxItems(stack, context, schema, value) || context.AddError("maxItems", schemaPath, instancePath, { limit: schema.maxItems });
}

// node_modules/typebox/build/schema/engine/maxLength.mjs
function BuildMaxLength(_stack, _context, schema, value) {
  return IsMaxLength3(value, Constant(schema.maxLength));
}
function CheckMaxLength(_stack, _context, schema, value) {
  return IsMaxLength2(value, schema.maxLength);
}
function ErrorMaxLength(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMaxLength(stack, context, schema, value) || context.AddError("maxLength", schemaPath, instancePath, { limit: schema.maxLength });
}

// node_modules/typebox/build/schema/engine/maxProperties.mjs
function BuildMaxProperties(_stack, _context, schema, value) {
  return IsLessEqualThan2(Member(Keys3(value), "length"), Constant(schema.maxProperties));
}
function CheckMaxProperties(_stack, _context, schema, value) {
  return IsLessEqualThan(Keys2(value).length, schema.maxProperties);
}
function ErrorMaxProperties(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMaxProperties(stack, context, schema, value) || context.AddError("maxProperties", schemaPath, instancePath, { limit: schema.maxProperties });
}

// node_modules/typebox/build/schema/engine/minContains.mjs
function IsValid4(schema) {
  return IsContains(schema);
}
function BuildMinContainsStandard(stack, context, schema, value) {
  const [item, index] = [CreateUnique(), CreateUnique()];
  const count = Counted2(value, [item, index], And(BuildSchema(stack, context, schema.contains, item), context.AddIndex(index)));
  return IsGreaterEqualThan2(count, Constant(schema.minContains));
}
function BuildMinContainsFast(stack, context, schema, value) {
  const [item] = [CreateUnique()];
  const count = Counted2(value, [item, "_"], BuildSchema(stack, context, schema.contains, item));
  return IsGreaterEqualThan2(count, Constant(schema.minContains));
}
function BuildMinContains(stack, context, schema, value) {
  if (!IsValid4(schema))
    return Constant(true);
  return context.UseUnevaluated() ? BuildMinContainsStandard(stack, context, schema, value) : BuildMinContainsFast(stack, context, schema, value);
}
function CheckMinContains(stack, context, schema, value) {
  if (!IsValid4(schema))
    return true;
  const count = Counted(value, (item, index) => CheckSchema(stack, context, schema.contains, item) && context.AddIndex(index));
  return IsGreaterEqualThan(count, schema.minContains);
}
function ErrorMinContains(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMinContains(stack, context, schema, value) || context.AddError("contains", schemaPath, instancePath, { minContains: schema.minContains });
}

// node_modules/typebox/build/schema/engine/minimum.mjs
function BuildMinimum(_stack, _context, schema, value) {
  return IsGreaterEqualThan2(value, Constant(schema.minimum));
}
function CheckMinimum(_stack, _context, schema, value) {
  return IsGreaterEqualThan(value, schema.minimum);
}
function ErrorMinimum(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMinimum(stack, context, schema, value) || context.AddError("minimum", schemaPath, instancePath, { comparison: ">=", limit: schema.minimum });
}

// node_modules/typebox/build/schema/engine/minItems.mjs
function BuildMinItems(_stack, _context, schema, value) {
  return IsGreaterEqualThan2(Member(value, "length"), Constant(schema.minItems));
}
function CheckMinItems(_stack, _context, schema, value) {
  return IsGreaterEqualThan(value.length, schema.minItems);
}
function ErrorMinItems(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMinItems(stack, context, schema, value) || context.AddError("minItems", schemaPath, instancePath, { limit: schema.minItems });
}

// node_modules/typebox/build/schema/engine/minLength.mjs
function BuildMinLength(_stack, _context, schema, value) {
  return IsMinLength3(value, Constant(schema.minLength));
}
function CheckMinLength(_stack, _context, schema, value) {
  return IsMinLength2(value, schema.minLength);
}
function ErrorMinLength(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMinLength(stack, context, schema, value) || context.AddError("minLength", schemaPath, instancePath, { limit: schema.minLength });
}

// node_modules/typebox/build/schema/engine/minProperties.mjs
function BuildMinProperties(_stack, _context, schema, value) {
  return IsGreaterEqualThan2(Member(Keys3(value), "length"), Constant(schema.minProperties));
}
function CheckMinProperties(_stack, _context, schema, value) {
  return IsGreaterEqualThan(Keys2(value).length, schema.minProperties);
}
function ErrorMinProperties(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMinProperties(stack, context, schema, value) || context.AddError("minProperties", schemaPath, instancePath, { limit: schema.minProperties });
}

// node_modules/typebox/build/schema/engine/multipleOf.mjs
function BuildMultipleOf(_stack, _context, schema, value) {
  return MultipleOf(value, Constant(schema.multipleOf));
}
function CheckMultipleOf(_stack, _context, schema, value) {
  return IsMultipleOf(value, schema.multipleOf);
}
function ErrorMultipleOf(stack, context, schemaPath, instancePath, schema, value) {
  return CheckMultipleOf(stack, context, schema, value) || context.AddError("multipleOf", schemaPath, instancePath, { multipleOf: schema.multipleOf });
}

// node_modules/typebox/build/schema/engine/not.mjs
function BuildNotStandard(stack, context, schema, value) {
  return Reducer(stack, context, [schema.not], value, Not(IsEqual2(Member("results", "length"), Constant(1))));
}
function BuildNotFast(stack, context, schema, value) {
  return Not(BuildSchema(stack, context, schema.not, value));
}
function BuildNot(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildNotStandard(stack, context, schema, value) : BuildNotFast(stack, context, schema, value);
}
function CheckNot(stack, context, schema, value) {
  const nextContext = new CheckContext;
  const isSchema = !CheckSchema(stack, nextContext, schema.not, value);
  const isNot = isSchema && context.Merge([nextContext]);
  return isNot;
}
function ErrorNot(stack, context, schemaPath, instancePath, schema, value) {
  return CheckNot(stack, context, schema, value) || context.AddError("not", schemaPath, instancePath, {});
}

// node_modules/typebox/build/schema/engine/oneOf.mjs
function BuildOneOfStandard(stack, context, schema, value) {
  return Reducer(stack, context, schema.oneOf, value, IsEqual2(Member("results", "length"), Constant(1)));
}
function BuildOneOfFast(stack, context, schema, value) {
  const [result] = [CreateUnique()];
  const results = ArrayLiteral(schema.oneOf.map((schema) => BuildSchema(stack, context, schema, value)));
  const count = Counted2(results, [result, "_"], IsEqual2(result, Constant(true)));
  return IsEqual2(count, Constant(1));
}
function BuildOneOf(stack, context, schema, value) {
  return context.UseUnevaluated() ? BuildOneOfStandard(stack, context, schema, value) : BuildOneOfFast(stack, context, schema, value);
}
function CheckOneOf(stack, context, schema, value) {
  const passedContexts = schema.oneOf.reduce((result, schema) => {
    const nextContext = new CheckContext;
    return CheckSchema(stack, nextContext, schema, value) ? [...result, nextContext] : result;
  }, []);
  return IsEqual(passedContexts.length, 1) && context.Merge(passedContexts);
}
function ErrorOneOf(stack, context, schemaPath, instancePath, schema, value) {
  const failedContexts = [];
  const passingSchemas = [];
  const passedContexts = schema.oneOf.reduce((result, schema, index) => {
    const nextContext = new ErrorContext;
    const nextSchemaPath = `${schemaPath}/oneOf/${index}`;
    const isSchema = ErrorSchema(stack, nextContext, nextSchemaPath, instancePath, schema, value);
    if (isSchema)
      passingSchemas.push(index);
    if (!isSchema)
      failedContexts.push(nextContext);
    return isSchema ? [...result, nextContext] : result;
  }, []);
  const isOneOf = IsEqual(passedContexts.length, 1) && context.Merge(passedContexts);
  if (!isOneOf && IsEqual(passingSchemas.length, 0))
    failedContexts.forEach((failed) => context.AddErrors(failed.GetErrors()));
  return isOneOf || context.AddError("oneOf", schemaPath, instancePath, { passingSchemas });
}

// node_modules/typebox/build/schema/engine/pattern.mjs
function BuildPattern(_stack, _context, schema, value) {
  const regexp = CreateVariable(IsString(schema.pattern) ? UnicodeRegExp(schema.pattern) : schema.pattern);
  return Call(Member(regexp, "test"), [value]);
}
function CheckPattern(_stack, _context, schema, value) {
  const regexp = IsString(schema.pattern) ? UnicodeRegExp(schema.pattern) : schema.pattern;
  return regexp.test(value);
}
function ErrorPattern(stack, context, schemaPath, instancePath, schema, value) {
  return CheckPattern(stack, context, schema, value) || context.AddError("pattern", schemaPath, instancePath, { pattern: schema.pattern });
}

// node_modules/typebox/build/schema/engine/patternProperties.mjs
function BuildPatternProperties(stack, context, schema, value) {
  return ReduceAnd(Entries(schema.patternProperties).map(([pattern, schema]) => {
    const [key, prop] = [CreateUnique(), CreateUnique()];
    const regexp = CreateVariable(UnicodeRegExp(pattern));
    const notKey = Not(Call(Member(regexp, "test"), [key]));
    const isSchema = BuildSchemaPushStack(stack, context, schema, prop);
    const addKey = context.AddKey(key);
    const guarded = context.UseUnevaluated() ? Or(notKey, And(isSchema, addKey)) : Or(notKey, isSchema);
    return Every2(Entries2(value), Constant(0), [`[${key}, ${prop}]`, "_"], guarded);
  }));
}
function CheckPatternProperties(stack, context, schema, value) {
  return Every(Entries(schema.patternProperties), 0, ([pattern, schema]) => {
    const regexp = UnicodeRegExp(pattern);
    return Every(Entries(value), 0, ([key, prop]) => {
      return !regexp.test(key) || CheckSchemaPushStack(stack, context, schema, prop) && context.AddKey(key);
    });
  });
}
function ErrorPatternProperties(stack, context, schemaPath, instancePath, schema, value) {
  return EveryAll(Entries(schema.patternProperties), 0, ([pattern, schema]) => {
    const nextSchemaPath = `${schemaPath}/patternProperties/${EncodeFragment(pattern)}`;
    const regexp = UnicodeRegExp(pattern);
    return EveryAll(Entries(value), 0, ([key, value]) => {
      const nextInstancePath = `${instancePath}/${EncodeFragment(key)}`;
      const notKey = !regexp.test(key);
      return notKey || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema, value) && context.AddKey(key);
    });
  });
}

// node_modules/typebox/build/schema/engine/prefixItems.mjs
function BuildPrefixItems(stack, context, schema, value) {
  return ReduceAnd(schema.prefixItems.map((schema, index) => {
    const isLength = IsLessEqualThan2(Member(value, "length"), Constant(index));
    const isSchema = BuildSchemaPushStack(stack, context, schema, `${value}[${index}]`);
    const addIndex = context.AddIndex(Constant(index));
    const guarded = context.UseUnevaluated() ? And(isSchema, addIndex) : isSchema;
    return Or(isLength, guarded);
  }));
}
function CheckPrefixItems(stack, context, schema, value) {
  return IsEqual(value.length, 0) || Every(schema.prefixItems, 0, (schema, index) => {
    return IsLessEqualThan(value.length, index) || CheckSchemaPushStack(stack, context, schema, value[index]) && context.AddIndex(index);
  });
}
function ErrorPrefixItems(stack, context, schemaPath, instancePath, schema, value) {
  return IsEqual(value.length, 0) || EveryAll(schema.prefixItems, 0, (schema, index) => {
    const nextSchemaPath = `${schemaPath}/prefixItems/${index}`;
    const nextInstancePath = `${instancePath}/${index}`;
    return IsLessEqualThan(value.length, index) || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema, value[index]) && context.AddIndex(index);
  });
}

// node_modules/typebox/build/schema/engine/_exact_optional.mjs
function IsExactOptional(required, key) {
  return required.includes(key) || Get().exactOptionalPropertyTypes;
}
function InexactOptionalBuild(value, key) {
  return IsUndefined2(Member(value, key));
}
function InexactOptionalCheck(value, key) {
  return IsUndefined(value[key]);
}

// node_modules/typebox/build/schema/engine/properties.mjs
function BuildProperties(stack, context, schema, value) {
  const required = IsRequired(schema) ? schema.required : [];
  const everyKey = Entries(schema.properties).map(([key, schema]) => {
    const notKey = Not(HasPropertyKey2(value, Constant(key)));
    const isSchema = BuildSchemaPushStack(stack, context, schema, Member(value, key));
    const addKey = context.AddKey(Constant(key));
    const guarded = context.UseUnevaluated() ? And(isSchema, addKey) : isSchema;
    const isProperty = required.includes(key) ? guarded : Or(notKey, guarded);
    return IsExactOptional(required, key) ? isProperty : Or(InexactOptionalBuild(value, key), isProperty);
  });
  return ReduceAnd(everyKey);
}
function CheckProperties(stack, context, schema, value) {
  const required = IsRequired(schema) ? schema.required : [];
  const isProperties = Every(Entries(schema.properties), 0, ([key, schema]) => {
    const isProperty = !HasPropertyKey(value, key) || CheckSchemaPushStack(stack, context, schema, value[key]) && context.AddKey(key);
    return IsExactOptional(required, key) ? isProperty : InexactOptionalCheck(value, key) || isProperty;
  });
  return isProperties;
}
function ErrorProperties(stack, context, schemaPath, instancePath, schema, value) {
  const required = IsRequired(schema) ? schema.required : [];
  const isProperties = EveryAll(Entries(schema.properties), 0, ([key, schema]) => {
    const nextSchemaPath = `${schemaPath}/properties/${EncodeFragment(key)}`;
    const nextInstancePath = `${instancePath}/${EncodeFragment(key)}`;
    const isProperty = () => !HasPropertyKey(value, key) || ErrorSchemaPushStack(stack, context, nextSchemaPath, nextInstancePath, schema, value[key]) && context.AddKey(key);
    return IsExactOptional(required, key) ? isProperty() : InexactOptionalCheck(value, key) || isProperty();
  });
  return isProperties;
}

// node_modules/typebox/build/schema/engine/propertyNames.mjs
function BuildPropertyNames(stack, context, schema, value) {
  const [key, _index] = [CreateUnique(), CreateUnique()];
  return Every2(Keys3(value), Constant(0), [key, _index], BuildSchema(stack, context, schema.propertyNames, key));
}
function CheckPropertyNames(stack, context, schema, value) {
  return Every(Keys2(value), 0, (key, _index) => CheckSchema(stack, context, schema.propertyNames, key));
}
function ErrorPropertyNames(stack, context, schemaPath, instancePath, schema, value) {
  const propertyNames = [];
  const isPropertyNames = EveryAll(Keys2(value), 0, (key, _index) => {
    const nextInstancePath = `${instancePath}/${EncodeFragment(key)}`;
    const nextSchemaPath = `${schemaPath}/propertyNames`;
    const isPropertyName = ErrorSchema(stack, context, nextSchemaPath, nextInstancePath, schema.propertyNames, key);
    if (!isPropertyName)
      propertyNames.push(key);
    return isPropertyName;
  });
  return isPropertyNames || context.AddError("propertyNames", schemaPath, instancePath, { propertyNames });
}

// node_modules/typebox/build/schema/engine/recursiveRef.mjs
function BuildRecursiveRef(stack, context, schema, value) {
  const target = RecursiveRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return CreateFunction(nextStack, context, target, value);
}
function CheckRecursiveRef(stack, context, schema, value) {
  const target = RecursiveRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return IsSchema(target) && CheckSchema(nextStack, context, target, value);
}
function ErrorRecursiveRef(stack, context, schemaPath, instancePath, schema, value) {
  const target = RecursiveRef(stack, schema) ?? false;
  const nextStack = target ? { ...stack, pendingResource: true } : stack;
  return IsSchema(target) && ErrorSchema(nextStack, context, schemaPath, instancePath, target, value);
}

// node_modules/typebox/build/schema/engine/ref.mjs
function BuildRefStandard(stack, context, target, value) {
  const interior = ArrowFunction(["context", "value"], CreateFunction(stack, context, target, "value"));
  const exterior = ArrowFunction(["context", "value"], Statements([
    ConstDeclaration("nextContext", New("CheckContext", [])),
    ConstDeclaration("result", Call(interior, ["nextContext", "value"])),
    If("result", context.Merge("[nextContext]")),
    Return("result")
  ]));
  return Call(exterior, ["context", value]);
}
function BuildRefFast(stack, context, target, value) {
  return CreateFunction(stack, context, target, value);
}
function BuildRef(stack, context, schema, value) {
  const result = Ref(stack, schema);
  const target = result.schema ?? false;
  return context.UseUnevaluated() ? BuildRefStandard(result.stack, context, target, value) : BuildRefFast(result.stack, context, target, value);
}
function CheckRef(stack, context, schema, value) {
  const result = Ref(stack, schema);
  const target = result.schema ?? false;
  const nextContext = new CheckContext;
  const valid = IsSchema(target) && CheckSchema(result.stack, nextContext, target, value);
  if (valid)
    context.Merge([nextContext]);
  return valid;
}
function ErrorRef(stack, context, schemaPath, instancePath, schema, value) {
  const result = Ref(stack, schema);
  const target = result.schema ?? false;
  const nextContext = new ErrorContext;
  const valid = IsSchema(target) && ErrorSchema(result.stack, nextContext, schemaPath, instancePath, target, value);
  if (valid)
    context.Merge([nextContext]);
  if (!valid)
    context.AddErrors(nextContext.GetErrors());
  return valid;
}

// node_modules/typebox/build/schema/engine/required.mjs
function BuildRequired(_stack, _context, schema, value) {
  return ReduceAnd(schema.required.map((key) => HasPropertyKey2(value, Constant(key))));
}
function CheckRequired(_stack, _context, schema, value) {
  return Every(schema.required, 0, (key) => HasPropertyKey(value, key));
}
function ErrorRequired(_stack, context, schemaPath, instancePath, schema, value) {
  const requiredProperties = [];
  const isRequired = EveryAll(schema.required, 0, (key) => {
    const hasKey = HasPropertyKey(value, key);
    if (!hasKey)
      requiredProperties.push(key);
    return hasKey;
  });
  return isRequired || context.AddError("required", schemaPath, instancePath, { requiredProperties });
}

// node_modules/typebox/build/schema/engine/type.mjs
function BuildTypeName(_stack, _context, type, value) {
  return IsEqual(type, "object") ? IsObjectNotArray2(value) : IsEqual(type, "array") ? IsArray2(value) : IsEqual(type, "boolean") ? IsBoolean2(value) : IsEqual(type, "integer") ? IsInteger2(value) : IsEqual(type, "number") ? IsNumber2(value) : IsEqual(type, "null") ? IsNull2(value) : IsEqual(type, "string") ? IsString2(value) : IsEqual(type, "bigint") ? IsBigInt2(value) : IsEqual(type, "constructor") ? IsConstructor2(value) : IsEqual(type, "function") ? IsFunction2(value) : IsEqual(type, "symbol") ? IsSymbol2(value) : IsEqual(type, "undefined") ? IsUndefined2(value) : IsEqual(type, "void") ? IsUndefined2(value) : Constant(true);
}
function CheckTypeName(_stack, _context, type, _schema, value) {
  return IsEqual(type, "object") ? IsObjectNotArray(value) : IsEqual(type, "array") ? IsArray(value) : IsEqual(type, "boolean") ? IsBoolean(value) : IsEqual(type, "integer") ? IsInteger(value) : IsEqual(type, "number") ? IsNumber(value) : IsEqual(type, "null") ? IsNull(value) : IsEqual(type, "string") ? IsString(value) : IsEqual(type, "bigint") ? IsBigInt(value) : IsEqual(type, "constructor") ? IsConstructor(value) : IsEqual(type, "function") ? IsFunction(value) : IsEqual(type, "symbol") ? IsSymbol(value) : IsEqual(type, "undefined") ? IsUndefined(value) : IsEqual(type, "void") ? IsUndefined(value) : true;
}
function BuildTypeNames(stack, context, typenames, value) {
  return ReduceOr(typenames.map((type) => BuildTypeName(stack, context, type, value)));
}
function CheckTypeNames(stack, context, types, schema, value) {
  return Some(types, (type) => CheckTypeName(stack, context, type, schema, value));
}
function BuildType(stack, context, schema, value) {
  return IsArray(schema.type) ? BuildTypeNames(stack, context, schema.type, value) : BuildTypeName(stack, context, schema.type, value);
}
function CheckType(stack, context, schema, value) {
  return IsArray(schema.type) ? CheckTypeNames(stack, context, schema.type, schema, value) : CheckTypeName(stack, context, schema.type, schema, value);
}
function ErrorType(stack, context, schemaPath, instancePath, schema, value) {
  const isType = IsArray(schema.type) ? CheckTypeNames(stack, context, schema.type, schema, value) : CheckTypeName(stack, context, schema.type, schema, value);
  return isType || context.AddError("type", schemaPath, instancePath, { type: schema.type });
}

// node_modules/typebox/build/schema/engine/unevaluatedItems.mjs
function BuildUnevaluatedItems(stack, context, schema, value) {
  const [index, item] = [CreateUnique(), CreateUnique()];
  const indices = Call(Member("context", "GetIndices"), []);
  const hasIndex = Call(Member("indices", "has"), [index]);
  const isSchema = BuildSchema(stack, context, schema.unevaluatedItems, item);
  const addIndex = Call(Member("context", "AddIndex"), [index]);
  const isEvery = Every2(value, Constant(0), [item, index], And(Or(hasIndex, isSchema), addIndex));
  return Call(ArrowFunction(["context"], Statements([
    ConstDeclaration("indices", indices),
    Return(isEvery)
  ])), ["context"]);
}
function CheckUnevaluatedItems(stack, context, schema, value) {
  const indices = context.GetIndices();
  return Every(value, 0, (item, index) => {
    return (indices.has(index) || CheckSchema(stack, context, schema.unevaluatedItems, item)) && context.AddIndex(index);
  });
}
function ErrorUnevaluatedItems(stack, context, schemaPath, instancePath, schema, value) {
  const indices = context.GetIndices();
  const unevaluatedItems = [];
  const isUnevaluatedItems = EveryAll(value, 0, (item, index) => {
    const nextContext = new ErrorContext;
    const isEvaluatedItem = (indices.has(index) || ErrorSchema(stack, nextContext, schemaPath, instancePath, schema.unevaluatedItems, item)) && context.AddIndex(index);
    if (!isEvaluatedItem)
      unevaluatedItems.push(index);
    return isEvaluatedItem;
  });
  return isUnevaluatedItems || context.AddError("unevaluatedItems", schemaPath, instancePath, { unevaluatedItems });
}

// node_modules/typebox/build/schema/engine/unevaluatedProperties.mjs
function BuildUnevaluatedProperties(stack, context, schema, value) {
  const [key, prop] = [CreateUnique(), CreateUnique()];
  const keys = Call(Member("context", "GetKeys"), []);
  const hasKey = Call(Member("keys", "has"), [key]);
  const addKey = Call(Member("context", "AddKey"), [key]);
  const isSchema = BuildSchema(stack, context, schema.unevaluatedProperties, prop);
  const isEvery = Every2(Entries2(value), Constant(0), [`[${key}, ${prop}]`, "_"], Or(hasKey, And(isSchema, addKey)));
  return Call(ArrowFunction(["context"], Statements([
    ConstDeclaration("keys", keys),
    Return(isEvery)
  ])), ["context"]);
}
function CheckUnevaluatedProperties(stack, context, schema, value) {
  const keys = context.GetKeys();
  return Every(Entries(value), 0, ([key, prop]) => {
    return keys.has(key) || CheckSchema(stack, context, schema.unevaluatedProperties, prop) && context.AddKey(key);
  });
}
function ErrorUnevaluatedProperties(stack, context, schemaPath, instancePath, schema, value) {
  const keys = context.GetKeys();
  const unevaluatedProperties = [];
  const isUnevaluatedProperties = EveryAll(Entries(value), 0, ([key, prop]) => {
    const nextContext = new ErrorContext;
    const isEvaluatedProperty = keys.has(key) || ErrorSchema(stack, nextContext, schemaPath, instancePath, schema.unevaluatedProperties, prop) && context.AddKey(key);
    if (!isEvaluatedProperty)
      unevaluatedProperties.push(key);
    return isEvaluatedProperty;
  });
  return isUnevaluatedProperties || context.AddError("unevaluatedProperties", schemaPath, instancePath, { unevaluatedProperties });
}

// node_modules/typebox/build/system/unreachable/unreachable.mjs
function Unreachable() {
  throw new Error("Unreachable");
}
// node_modules/typebox/build/system/hashing/hash.mjs
function InstanceKeys(value) {
  const propertyKeys = new Set;
  let current = value;
  while (current && current !== Object.prototype) {
    for (const key of Reflect.ownKeys(current)) {
      if (key !== "constructor" && typeof key !== "symbol")
        propertyKeys.add(key);
    }
    current = Object.getPrototypeOf(current);
  }
  return [...propertyKeys];
}
function IsIEEE754(value) {
  return typeof value === "number";
}
var ByteMarker = {
  Array: 0,
  BigInt: 1,
  Boolean: 2,
  Date: 3,
  Constructor: 4,
  Function: 5,
  Null: 6,
  Number: 7,
  Object: 8,
  RegExp: 9,
  String: 10,
  Symbol: 11,
  TypeArray: 12,
  Undefined: 13
};
var A0 = 8997;
var A1 = 33826;
var A2 = 40164;
var A3 = 52210;
var F64 = new Float64Array(1);
var F64In = new DataView(F64.buffer);
var F64Out = new Uint8Array(F64.buffer);
function FNV1A64_OP(byte) {
  const L0 = A0 ^ byte;
  const T0 = L0 * 435;
  const T1 = A1 * 435 + (T0 >>> 16);
  const T2 = A2 * 435 + (T1 >>> 16) + (L0 << 8);
  const T3 = A3 * 435 + (T2 >>> 16) + (A1 << 8);
  A0 = T0 & 65535;
  A1 = T1 & 65535;
  A2 = T2 & 65535;
  A3 = T3 & 65535;
}
function FromArray(value) {
  FNV1A64_OP(ByteMarker.Array);
  for (const item of value) {
    FromValue(item);
  }
}
function FromBigInt(value) {
  FNV1A64_OP(ByteMarker.BigInt);
  F64In.setBigInt64(0, value);
  for (const byte of F64Out) {
    FNV1A64_OP(byte);
  }
}
function FromBoolean(value) {
  FNV1A64_OP(ByteMarker.Boolean);
  FNV1A64_OP(value ? 1 : 0);
}
function FromConstructor(value) {
  FNV1A64_OP(ByteMarker.Constructor);
  FromValue(value.toString());
}
function FromDate(value) {
  FNV1A64_OP(ByteMarker.Date);
  FromValue(value.getTime());
}
function FromFunction(value) {
  FNV1A64_OP(ByteMarker.Function);
  FromValue(value.toString());
}
function FromNull(_value) {
  FNV1A64_OP(ByteMarker.Null);
}
function FromNumber(value) {
  FNV1A64_OP(ByteMarker.Number);
  F64In.setFloat64(0, value, true);
  for (const byte of F64Out) {
    FNV1A64_OP(byte);
  }
}
function FromObject(value) {
  FNV1A64_OP(ByteMarker.Object);
  for (const key of InstanceKeys(value).sort()) {
    FromValue(key);
    FromValue(value[key]);
  }
}
function FromRegExp(value) {
  FNV1A64_OP(ByteMarker.RegExp);
  FromString(value.toString());
}
var encoder = new TextEncoder;
function FromString(value) {
  FNV1A64_OP(ByteMarker.String);
  for (let i = 0;i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 127) {
      for (const byte of encoder.encode(value.slice(i))) {
        FNV1A64_OP(byte);
      }
      return;
    }
    FNV1A64_OP(code);
  }
}
function FromSymbol(value) {
  FNV1A64_OP(ByteMarker.Symbol);
  FromValue(value.toString());
}
function FromTypeArray(value) {
  FNV1A64_OP(ByteMarker.TypeArray);
  const buffer = new Uint8Array(value.buffer);
  for (let i = 0;i < buffer.length; i++) {
    FNV1A64_OP(buffer[i]);
  }
}
function FromUndefined(_value) {
  return FNV1A64_OP(ByteMarker.Undefined);
}
function FromValue(value) {
  return IsTypeArray(value) ? FromTypeArray(value) : IsDate(value) ? FromDate(value) : IsRegExp(value) ? FromRegExp(value) : IsBoolean3(value) ? FromBoolean(value.valueOf()) : IsString3(value) ? FromString(value.valueOf()) : IsNumber3(value) ? FromNumber(value.valueOf()) : IsIEEE754(value) ? FromNumber(value) : IsArray(value) ? FromArray(value) : IsBoolean(value) ? FromBoolean(value) : IsBigInt(value) ? FromBigInt(value) : IsConstructor(value) ? FromConstructor(value) : IsNull(value) ? FromNull(value) : IsObject(value) ? FromObject(value) : IsString(value) ? FromString(value) : IsSymbol(value) ? FromSymbol(value) : IsUndefined(value) ? FromUndefined(value) : IsFunction(value) ? FromFunction(value) : Unreachable();
}
function Hex(limb) {
  return limb.toString(16).padStart(4, "0");
}
function HashCode(value) {
  return BigInt(`0x${Hash(value)}`);
}
function Hash(value) {
  A0 = 8997, A1 = 33826, A2 = 40164, A3 = 52210;
  FromValue(value);
  return `${Hex(A3)}${Hex(A2)}${Hex(A1)}${Hex(A0)}`;
}
// node_modules/typebox/build/schema/engine/uniqueItems.mjs
function IsValid5(schema) {
  return !IsEqual(schema.uniqueItems, false);
}
function BuildUniqueItems(_stack, _context, schema, value) {
  if (!IsValid5(schema))
    return Constant(true);
  const set = Member(New("Set", [Call(Member(value, "map"), [Member("Hashing", "Hash")])]), "size");
  const isLength = Member(value, "length");
  return IsEqual2(set, isLength);
}
function CheckUniqueItems(_stack, _context, schema, value) {
  if (!IsValid5(schema))
    return true;
  const set = new Set(value.map(Hash)).size;
  const isLength = value.length;
  return IsEqual(set, isLength);
}
function ErrorUniqueItems(_stack, context, schemaPath, instancePath, schema, value) {
  if (!IsValid5(schema))
    return true;
  const set = new Set;
  const duplicateItems = value.reduce((result, value, index) => {
    const hash = Hash(value);
    if (set.has(hash))
      return [...result, index];
    set.add(hash);
    return result;
  }, []);
  const isUniqueItems = IsEqual(duplicateItems.length, 0);
  return isUniqueItems || context.AddError("uniqueItems", schemaPath, instancePath, { duplicateItems });
}

// node_modules/typebox/build/schema/engine/schema.mjs
function HasTypeName(schema, typename) {
  return IsType(schema) && (IsArray(schema.type) && IsGreaterThan(schema.type.length, 0) && Every(schema.type, 0, (type) => IsEqual(type, typename)) || IsEqual(schema.type, typename));
}
function HasObjectType(schema) {
  return HasTypeName(schema, "object");
}
function HasObjectKeywords(schema) {
  return IsSchemaObject(schema) && (IsAdditionalProperties(schema) || IsDependencies(schema) || IsDependentRequired(schema) || IsDependentSchemas(schema) || IsProperties(schema) || IsPatternProperties(schema) || IsPropertyNames(schema) || IsMinProperties(schema) || IsMaxProperties(schema) || IsRequired(schema) || IsUnevaluatedProperties(schema));
}
function HasArrayType(schema) {
  return HasTypeName(schema, "array");
}
function HasArrayKeywords(schema) {
  return IsSchemaObject(schema) && (IsAdditionalItems(schema) || IsItems(schema) || IsContains(schema) || IsMaxContains(schema) || IsMaxItems(schema) || IsMinContains(schema) || IsMinItems(schema) || IsPrefixItems(schema) || IsUnevaluatedItems(schema) || IsUniqueItems(schema));
}
function HasStringType(schema) {
  return HasTypeName(schema, "string");
}
function HasStringKeywords(schema) {
  return IsSchemaObject(schema) && (IsMinLength4(schema) || IsMaxLength4(schema) || IsFormat(schema) || IsPattern(schema));
}
function HasNumberType(schema) {
  return HasTypeName(schema, "number") || HasTypeName(schema, "bigint");
}
function HasNumberKeywords(schema) {
  return IsSchemaObject(schema) && (IsMinimum(schema) || IsMaximum(schema) || IsExclusiveMaximum(schema) || IsExclusiveMinimum(schema) || IsMultipleOf2(schema));
}
function BuildSchemaPushStack(stack, context, schema, value) {
  return context.UseUnevaluated() ? And(And(context.Push(), BuildSchema(stack, context, schema, value)), context.Pop()) : BuildSchema(stack, context, schema, value);
}
function BuildSchema(stack, context, schema, value) {
  const current = NextStack(stack, schema);
  const conditions = [];
  if (IsSchemaBoolean(schema))
    return BuildSchemaBoolean(current, context, schema, value);
  if (IsType(schema))
    conditions.push(BuildType(current, context, schema, value));
  if (HasObjectKeywords(schema)) {
    const constraints = [];
    if (IsRequired(schema))
      constraints.push(BuildRequired(current, context, schema, value));
    if (IsAdditionalProperties(schema))
      constraints.push(BuildAdditionalProperties(current, context, schema, value));
    if (IsDependencies(schema))
      constraints.push(BuildDependencies(current, context, schema, value));
    if (IsDependentRequired(schema))
      constraints.push(BuildDependentRequired(current, context, schema, value));
    if (IsDependentSchemas(schema))
      constraints.push(BuildDependentSchemas(current, context, schema, value));
    if (IsPatternProperties(schema))
      constraints.push(BuildPatternProperties(current, context, schema, value));
    if (IsProperties(schema))
      constraints.push(BuildProperties(current, context, schema, value));
    if (IsPropertyNames(schema))
      constraints.push(BuildPropertyNames(current, context, schema, value));
    if (IsMinProperties(schema))
      constraints.push(BuildMinProperties(current, context, schema, value));
    if (IsMaxProperties(schema))
      constraints.push(BuildMaxProperties(current, context, schema, value));
    const reduced = ReduceAnd(constraints);
    const guarded = Or(Not(IsObjectNotArray2(value)), reduced);
    conditions.push(HasObjectType(schema) ? reduced : guarded);
  }
  if (HasArrayKeywords(schema)) {
    const constraints = [];
    if (IsAdditionalItems(schema))
      constraints.push(BuildAdditionalItems(current, context, schema, value));
    if (IsContains(schema))
      constraints.push(BuildContains(current, context, schema, value));
    if (IsItems(schema))
      constraints.push(BuildItems(current, context, schema, value));
    if (IsMinContains(schema))
      constraints.push(BuildMinContains(current, context, schema, value));
    if (IsMaxContains(schema))
      constraints.push(BuildMaxContains(current, context, schema, value));
    if (IsMinItems(schema))
      constraints.push(BuildMinItems(current, context, schema, value));
    if (IsMaxItems(schema))
      constraints.push(BuildMaxItems(current, context, schema, value));
    if (IsPrefixItems(schema))
      constraints.push(BuildPrefixItems(current, context, schema, value));
    if (IsUniqueItems(schema))
      constraints.push(BuildUniqueItems(current, context, schema, value));
    const reduced = ReduceAnd(constraints);
    const guarded = Or(Not(IsArray2(value)), reduced);
    conditions.push(HasArrayType(schema) ? reduced : guarded);
  }
  if (HasStringKeywords(schema)) {
    const constraints = [];
    if (IsMinLength4(schema))
      constraints.push(BuildMinLength(current, context, schema, value));
    if (IsMaxLength4(schema))
      constraints.push(BuildMaxLength(current, context, schema, value));
    if (IsFormat(schema))
      constraints.push(BuildFormat(current, context, schema, value));
    if (IsPattern(schema))
      constraints.push(BuildPattern(current, context, schema, value));
    const reduced = ReduceAnd(constraints);
    const guarded = Or(Not(IsString2(value)), reduced);
    conditions.push(HasStringType(schema) ? reduced : guarded);
  }
  if (HasNumberKeywords(schema)) {
    const constraints = [];
    if (IsExclusiveMinimum(schema))
      constraints.push(BuildExclusiveMinimum(current, context, schema, value));
    if (IsExclusiveMaximum(schema))
      constraints.push(BuildExclusiveMaximum(current, context, schema, value));
    if (IsMinimum(schema))
      constraints.push(BuildMinimum(current, context, schema, value));
    if (IsMaximum(schema))
      constraints.push(BuildMaximum(current, context, schema, value));
    if (IsMultipleOf2(schema))
      constraints.push(BuildMultipleOf(current, context, schema, value));
    const reduced = ReduceAnd(constraints);
    const guarded = Or(Not(Or(IsNumber2(value), IsBigInt2(value))), reduced);
    conditions.push(HasNumberType(schema) ? reduced : guarded);
  }
  if (IsRef(schema))
    conditions.push(BuildRef(current, context, schema, value));
  if (IsRecursiveRef(schema))
    conditions.push(BuildRecursiveRef(current, context, schema, value));
  if (IsDynamicRef(schema))
    conditions.push(BuildDynamicRef(current, context, schema, value));
  if (IsConst(schema))
    conditions.push(BuildConst(current, context, schema, value));
  if (IsEnum(schema))
    conditions.push(BuildEnum(current, context, schema, value));
  if (IsIf(schema))
    conditions.push(BuildIf(current, context, schema, value));
  if (IsNot(schema))
    conditions.push(BuildNot(current, context, schema, value));
  if (IsAllOf(schema))
    conditions.push(BuildAllOf(current, context, schema, value));
  if (IsAnyOf(schema))
    conditions.push(BuildAnyOf(current, context, schema, value));
  if (IsOneOf(schema))
    conditions.push(BuildOneOf(current, context, schema, value));
  if (IsUnevaluatedItems(schema))
    conditions.push(Or(Not(IsArray2(value)), BuildUnevaluatedItems(current, context, schema, value)));
  if (IsUnevaluatedProperties(schema))
    conditions.push(Or(Not(IsObject2(value)), BuildUnevaluatedProperties(current, context, schema, value)));
  if (IsRefine(schema))
    conditions.push(BuildRefine(current, context, schema, value));
  const result = ReduceAnd(conditions);
  return result;
}
function CheckSchemaPushStack(stack, context, schema, value) {
  return context.Push() && CheckSchema(stack, context, schema, value) && context.Pop();
}
function CheckSchema(stack, context, schema, value) {
  const current = NextStack(stack, schema);
  const result = IsSchemaBoolean(schema) ? CheckSchemaBoolean(current, context, schema, value) : (!IsType(schema) || CheckType(current, context, schema, value)) && (!(IsObject(value) && !IsArray(value)) || (!IsRequired(schema) || CheckRequired(current, context, schema, value)) && (!IsAdditionalProperties(schema) || CheckAdditionalProperties(current, context, schema, value)) && (!IsDependencies(schema) || CheckDependencies(current, context, schema, value)) && (!IsDependentRequired(schema) || CheckDependentRequired(current, context, schema, value)) && (!IsDependentSchemas(schema) || CheckDependentSchemas(current, context, schema, value)) && (!IsPatternProperties(schema) || CheckPatternProperties(current, context, schema, value)) && (!IsProperties(schema) || CheckProperties(current, context, schema, value)) && (!IsPropertyNames(schema) || CheckPropertyNames(current, context, schema, value)) && (!IsMinProperties(schema) || CheckMinProperties(current, context, schema, value)) && (!IsMaxProperties(schema) || CheckMaxProperties(current, context, schema, value))) && (!IsArray(value) || (!IsAdditionalItems(schema) || CheckAdditionalItems(current, context, schema, value)) && (!IsContains(schema) || CheckContains(current, context, schema, value)) && (!IsItems(schema) || CheckItems(current, context, schema, value)) && (!IsMinContains(schema) || CheckMinContains(current, context, schema, value)) && (!IsMaxContains(schema) || CheckMaxContains(current, context, schema, value)) && (!IsMinItems(schema) || CheckMinItems(current, context, schema, value)) && (!IsMaxItems(schema) || CheckMaxItems(current, context, schema, value)) && (!IsPrefixItems(schema) || CheckPrefixItems(current, context, schema, value)) && (!IsUniqueItems(schema) || CheckUniqueItems(current, context, schema, value))) && (!IsString(value) || (!IsMinLength4(schema) || CheckMinLength(current, context, schema, value)) && (!IsMaxLength4(schema) || CheckMaxLength(current, context, schema, value)) && (!IsFormat(schema) || CheckFormat(current, context, schema, value)) && (!IsPattern(schema) || CheckPattern(current, context, schema, value))) && (!(IsNumber(value) || IsBigInt(value)) || (!IsExclusiveMinimum(schema) || CheckExclusiveMinimum(current, context, schema, value)) && (!IsExclusiveMaximum(schema) || CheckExclusiveMaximum(current, context, schema, value)) && (!IsMinimum(schema) || CheckMinimum(current, context, schema, value)) && (!IsMaximum(schema) || CheckMaximum(current, context, schema, value)) && (!IsMultipleOf2(schema) || CheckMultipleOf(current, context, schema, value))) && (!IsRef(schema) || CheckRef(current, context, schema, value)) && (!IsRecursiveRef(schema) || CheckRecursiveRef(current, context, schema, value)) && (!IsDynamicRef(schema) || CheckDynamicRef(current, context, schema, value)) && (!IsConst(schema) || CheckConst(current, context, schema, value)) && (!IsEnum(schema) || CheckEnum(current, context, schema, value)) && (!IsIf(schema) || CheckIf(current, context, schema, value)) && (!IsNot(schema) || CheckNot(current, context, schema, value)) && (!IsAllOf(schema) || CheckAllOf(current, context, schema, value)) && (!IsAnyOf(schema) || CheckAnyOf(current, context, schema, value)) && (!IsOneOf(schema) || CheckOneOf(current, context, schema, value)) && (!IsUnevaluatedItems(schema) || (!IsArray(value) || CheckUnevaluatedItems(current, context, schema, value))) && (!IsUnevaluatedProperties(schema) || (!IsObject(value) || CheckUnevaluatedProperties(current, context, schema, value))) && (!IsRefine(schema) || CheckRefine(current, context, schema, value));
  return result;
}
function ErrorSchemaPushStack(stack, context, schemaPath, instancePath, schema, value) {
  return context.Push() && ErrorSchema(stack, context, schemaPath, instancePath, schema, value) && context.Pop();
}
function ErrorSchema(stack, context, schemaPath, instancePath, schema, value) {
  if (context.AtCapacity())
    return false;
  const current = NextStack(stack, schema);
  const result = IsSchemaBoolean(schema) ? ErrorSchemaBoolean(current, context, schemaPath, instancePath, schema, value) : !!(+(!IsType(schema) || ErrorType(current, context, schemaPath, instancePath, schema, value)) & +(!(IsObject(value) && !IsArray(value)) || !!(+(!IsRequired(schema) || ErrorRequired(current, context, schemaPath, instancePath, schema, value)) & +(!IsAdditionalProperties(schema) || ErrorAdditionalProperties(current, context, schemaPath, instancePath, schema, value)) & +(!IsDependencies(schema) || ErrorDependencies(current, context, schemaPath, instancePath, schema, value)) & +(!IsDependentRequired(schema) || ErrorDependentRequired(current, context, schemaPath, instancePath, schema, value)) & +(!IsDependentSchemas(schema) || ErrorDependentSchemas(current, context, schemaPath, instancePath, schema, value)) & +(!IsPatternProperties(schema) || ErrorPatternProperties(current, context, schemaPath, instancePath, schema, value)) & +(!IsProperties(schema) || ErrorProperties(current, context, schemaPath, instancePath, schema, value)) & +(!IsPropertyNames(schema) || ErrorPropertyNames(current, context, schemaPath, instancePath, schema, value)) & +(!IsMinProperties(schema) || ErrorMinProperties(current, context, schemaPath, instancePath, schema, value)) & +(!IsMaxProperties(schema) || ErrorMaxProperties(current, context, schemaPath, instancePath, schema, value)))) & +(!IsArray(value) || !!(+(!IsAdditionalItems(schema) || ErrorAdditionalItems(current, context, schemaPath, instancePath, schema, value)) & +(!IsContains(schema) || ErrorContains(current, context, schemaPath, instancePath, schema, value)) & +(!IsItems(schema) || ErrorItems(current, context, schemaPath, instancePath, schema, value)) & +(!IsMinContains(schema) || ErrorMinContains(current, context, schemaPath, instancePath, schema, value)) & +(!IsMaxContains(schema) || ErrorMaxContains(current, context, schemaPath, instancePath, schema, value)) & +(!IsMinItems(schema) || ErrorMinItems(current, context, schemaPath, instancePath, schema, value)) & +(!IsMaxItems(schema) || ErrorMaxItems(current, context, schemaPath, instancePath, schema, value)) & +(!IsPrefixItems(schema) || ErrorPrefixItems(current, context, schemaPath, instancePath, schema, value)) & +(!IsUniqueItems(schema) || ErrorUniqueItems(current, context, schemaPath, instancePath, schema, value)))) & +(!IsString(value) || !!(+(!IsMinLength4(schema) || ErrorMinLength(current, context, schemaPath, instancePath, schema, value)) & +(!IsMaxLength4(schema) || ErrorMaxLength(current, context, schemaPath, instancePath, schema, value)) & +(!IsFormat(schema) || ErrorFormat(current, context, schemaPath, instancePath, schema, value)) & +(!IsPattern(schema) || ErrorPattern(current, context, schemaPath, instancePath, schema, value)))) & +(!(IsNumber(value) || IsBigInt(value)) || !!(+(!IsExclusiveMinimum(schema) || ErrorExclusiveMinimum(current, context, schemaPath, instancePath, schema, value)) & +(!IsExclusiveMaximum(schema) || ErrorExclusiveMaximum(current, context, schemaPath, instancePath, schema, value)) & +(!IsMinimum(schema) || ErrorMinimum(current, context, schemaPath, instancePath, schema, value)) & +(!IsMaximum(schema) || ErrorMaximum(current, context, schemaPath, instancePath, schema, value)) & +(!IsMultipleOf2(schema) || ErrorMultipleOf(current, context, schemaPath, instancePath, schema, value)))) & +(!IsRef(schema) || ErrorRef(current, context, schemaPath, instancePath, schema, value)) & +(!IsRecursiveRef(schema) || ErrorRecursiveRef(current, context, schemaPath, instancePath, schema, value)) & +(!IsDynamicRef(schema) || ErrorDynamicRef(current, context, schemaPath, instancePath, schema, value)) & +(!IsConst(schema) || ErrorConst(current, context, schemaPath, instancePath, schema, value)) & +(!IsEnum(schema) || ErrorEnum(current, context, schemaPath, instancePath, schema, value)) & +(!IsIf(schema) || ErrorIf(current, context, schemaPath, instancePath, schema, value)) & +(!IsNot(schema) || ErrorNot(current, context, schemaPath, instancePath, schema, value)) & +(!IsAllOf(schema) || ErrorAllOf(current, context, schemaPath, instancePath, schema, value)) & +(!IsAnyOf(schema) || ErrorAnyOf(current, context, schemaPath, instancePath, schema, value)) & +(!IsOneOf(schema) || ErrorOneOf(current, context, schemaPath, instancePath, schema, value)) & +(!IsUnevaluatedItems(schema) || (!IsArray(value) || ErrorUnevaluatedItems(current, context, schemaPath, instancePath, schema, value))) & +(!IsUnevaluatedProperties(schema) || (!IsObject(value) || ErrorUnevaluatedProperties(current, context, schemaPath, instancePath, schema, value)))) && (!IsRefine(schema) || ErrorRefine(current, context, schemaPath, instancePath, schema, value));
  return result;
}

// node_modules/typebox/build/schema/engine/_functions.mjs
var index2 = [0];
var names = new Map;
var funcs = new Map;
function NextName() {
  return `${index2[0]++}`;
}
function CreateName(schema, href) {
  if (!names.has(schema))
    names.set(schema, new Map);
  const hrefs = names.get(schema);
  if (hrefs.has(href))
    return hrefs.get(href);
  const name = NextName();
  hrefs.set(href, name);
  return name;
}
function CreateCallExpression(context, _schema, name, value) {
  return context.UseUnevaluated() ? Call(`check_${name}`, ["context", value]) : Call(`check_${name}`, [value]);
}
function CreateFunctionExpression(stack, context, schema, name) {
  const expression = BuildSchema(stack, context, schema, "value");
  return context.UseUnevaluated() ? ConstDeclaration(`check_${name}`, ArrowFunction(["context", "value"], expression)) : ConstDeclaration(`check_${name}`, ArrowFunction(["value"], expression));
}
function ResetFunctions() {
  index2[0] = 0;
  names.clear();
  funcs.clear();
}
function GetFunctions() {
  return [...funcs.values()];
}
function CreateFunction(stack, context, schema, value) {
  const name = CreateName(schema, stack.lexicalBase);
  const call = CreateCallExpression(context, schema, name, value);
  if (funcs.has(name))
    return call;
  funcs.set(name, "");
  funcs.set(name, CreateFunctionExpression(stack, context, schema, name));
  return call;
}
// node_modules/typebox/build/system/arguments/arguments.mjs
function Match2(args, match) {
  return match[args.length]?.(...args) ?? (() => {
    throw Error("Invalid Arguments");
  })();
}
// node_modules/typebox/build/system/environment/evaluate.mjs
var supported = undefined;
function TryEvaluate() {
  try {
    Evaluate("null")();
    return true;
  } catch {
    return false;
  }
}
function CanEvaluate() {
  if (IsUndefined(supported))
    supported = TryEvaluate();
  return supported && Get().useAcceleration;
}
function Evaluate(...args) {
  return new globalThis.Function(...args);
}
// node_modules/typebox/build/system/locale/en_US.mjs
function en_US(error) {
  switch (error.keyword) {
    case "additionalProperties":
      return "must not have additional properties";
    case "anyOf":
      return "must match a schema in anyOf";
    case "boolean":
      return "schema is false";
    case "const":
      return "must be equal to constant";
    case "contains":
      return "must contain at least 1 valid item";
    case "dependencies":
      return `must have properties ${error.params.dependencies.join(", ")} when property ${error.params.property} is present`;
    case "dependentRequired":
      return `must have properties ${error.params.dependencies.join(", ")} when property ${error.params.property} is present`;
    case "enum":
      return "must be equal to one of the allowed values";
    case "exclusiveMaximum":
      return `must be ${error.params.comparison} ${error.params.limit}`;
    case "exclusiveMinimum":
      return `must be ${error.params.comparison} ${error.params.limit}`;
    case "format":
      return `must match format "${error.params.format}"`;
    case "if":
      return `must match "${error.params.failingKeyword}" schema`;
    case "maxItems":
      return `must not have more than ${error.params.limit} items`;
    case "maxLength":
      return `must not have more than ${error.params.limit} characters`;
    case "maxProperties":
      return `must not have more than ${error.params.limit} properties`;
    case "maximum":
      return `must be ${error.params.comparison} ${error.params.limit}`;
    case "minItems":
      return `must not have fewer than ${error.params.limit} items`;
    case "minLength":
      return `must not have fewer than ${error.params.limit} characters`;
    case "minProperties":
      return `must not have fewer than ${error.params.limit} properties`;
    case "minimum":
      return `must be ${error.params.comparison} ${error.params.limit}`;
    case "multipleOf":
      return `must be multiple of ${error.params.multipleOf}`;
    case "not":
      return "must not be valid";
    case "oneOf":
      return "must match exactly one schema in oneOf";
    case "pattern":
      return `must match pattern "${error.params.pattern}"`;
    case "propertyNames":
      return `property names ${error.params.propertyNames.join(", ")} are invalid`;
    case "required":
      return `must have required properties ${error.params.requiredProperties.join(", ")}`;
    case "type":
      return typeof error.params.type === "string" ? `must be ${error.params.type}` : `must be either ${error.params.type.join(" or ")}`;
    case "unevaluatedItems":
      return "must not have unevaluated items";
    case "unevaluatedProperties":
      return "must not have unevaluated properties";
    case "uniqueItems":
      return `must not have duplicate items`;
    case "~refine":
      return error.params.message;
    default:
      return "an unknown validation error occurred";
  }
}

// node_modules/typebox/build/system/locale/_config.mjs
var locale = en_US;
function Get4() {
  return locale;
}
// node_modules/typebox/build/schema/intern/intern.mjs
var registry = new Map;
var resolved = new Map;
// node_modules/typebox/build/schema/build.mjs
function CreateCode(build) {
  const functions = build.Functions().join(`;
`);
  const statements = build.UseUnevaluated() ? ["const context = new CheckContext({}, {})", `return ${build.Entry()}`] : [`return ${build.Entry()}`];
  return `${functions}; return (value) => { ${statements.join("; ")} }`;
}
function CreateEvaluatedCheck(build, code) {
  const factory = Evaluate("CheckContext", "Guard", "Hashing", build.External().identifier, code);
  return factory(CheckContext, exports_guard, exports_hash, build.External().variables);
}
function CreateDynamicCheck(build) {
  const stack = Stack(build.Context(), build.Schema());
  const context = new CheckContext;
  return (value) => CheckSchema(stack, context, build.Schema(), value);
}
function CreateCheck(build, code) {
  return CanEvaluate() ? CreateEvaluatedCheck(build, code) : CreateDynamicCheck(build);
}

class EvaluateResult {
  constructor(isAccelerated, code, check) {
    this.isAccelerated = isAccelerated;
    this.code = code;
    this.check = check;
  }
  IsAccelerated() {
    return this.isAccelerated;
  }
  Code() {
    return this.code;
  }
  Check(value) {
    return this.check(value);
  }
}

class BuildResult {
  constructor(context, schema, external, functions, entry, useUnevaluated) {
    this.context = context;
    this.schema = schema;
    this.external = external;
    this.functions = functions;
    this.entry = entry;
    this.useUnevaluated = useUnevaluated;
  }
  Context() {
    return this.context;
  }
  Schema() {
    return this.schema;
  }
  UseUnevaluated() {
    return this.useUnevaluated;
  }
  External() {
    return this.external;
  }
  Functions() {
    return this.functions;
  }
  Entry() {
    return this.entry;
  }
  Evaluate() {
    const code = CreateCode(this);
    const check = CreateCheck(this, code);
    return new EvaluateResult(CanEvaluate(), code, check);
  }
}
function Build(...args) {
  const [context, schema] = Match2(args, {
    2: (context, schema) => [context, schema],
    1: (schema) => [{}, schema]
  });
  ResetUnique();
  ResetExternal();
  ResetFunctions();
  const stack = Stack(context, schema);
  const build = new BuildContext(HasUnevaluated(context, schema));
  const call = CreateFunction(stack, build, schema, "value");
  const functions = GetFunctions();
  const externals = GetExternal();
  return new BuildResult(context, schema, externals, functions, call, build.UseUnevaluated());
}
// node_modules/typebox/build/schema/errors.mjs
function Errors(...args) {
  const [context, schema, value] = Match2(args, {
    3: (context, schema, value) => [context, schema, value],
    2: (schema, value) => [{}, schema, value]
  });
  const stack = Stack(context, schema);
  const errorContext = new ErrorContext;
  const result = ErrorSchema(stack, errorContext, "#", "", schema, value);
  const errors = errorContext.GetErrors();
  const locale = Get4();
  const localized = errors.map((error) => ({ ...error, message: locale(error) }));
  return [result, localized];
}

// node_modules/typebox/build/system/settings/internal.mjs
var TempMaxErrors = 0;
function EnableParseErrors() {
  const settings = Get();
  TempMaxErrors = settings.maxErrors;
  settings.maxErrors = settings.maxParseErrors;
}
function DisableParseErrors() {
  const settings = Get();
  settings.maxErrors = TempMaxErrors;
}

// node_modules/typebox/build/schema/parse.mjs
class ParseError {
  constructor(schema, value, errors) {
    this.schema = schema;
    this.value = value;
    this.errors = errors;
  }
}
function ThrowParseError(context, schema, value) {
  EnableParseErrors();
  const result = Errors(context, schema, value);
  DisableParseErrors();
  throw new ParseError(schema, value, result[1]);
}

// node_modules/typebox/build/schema/compile.mjs
class Validator {
  constructor(context, schema) {
    this.evaluateResult = Build(context, schema).Evaluate();
    this.context = context;
    this.schema = schema;
  }
  IsAccelerated() {
    return this.evaluateResult.IsAccelerated();
  }
  Schema() {
    return this.schema;
  }
  Check(value) {
    return this.evaluateResult.Check(value);
  }
  Parse(value) {
    if (this.evaluateResult.Check(value))
      return value;
    ThrowParseError(this.context, this.schema, value);
  }
  Errors(value) {
    return Errors(this.context, this.schema, value);
  }
}
function Compile(...args) {
  const [context, schema] = Match2(args, {
    2: (context, schema) => [context, schema],
    1: (schema) => [{}, schema]
  });
  return new Validator(context, schema);
}
// src/http/request/validation.ts
init_int64();
class Validator2 {
  part;
  #fields;
  #list;
  constructor(fields, part, required = []) {
    this.part = part;
    this.#list = Object.entries(fields).map(([name, schema]) => ({
      name,
      required: required.includes(name),
      expectation: String(schema[expects]),
      accepts: checkOf2(schema)
    }));
    this.#fields = new Map(this.#list.map((field) => [field.name, field]));
  }
  static ofBody({ properties, required }) {
    return new Validator2(properties, "#/", required);
  }
  check(values, complaints) {
    for (const { name, required, accepts } of this.#list) {
      const value = values[name];
      if (value === undefined ? required : !accepts(value))
        complaints.push(this.reject(name, value === undefined));
    }
  }
  unknown(names) {
    return [...names].filter((name) => !this.#fields.has(name)).slice(0, mostUnknown).map((name) => this.complain(name.slice(0, longestName), "is unknown; leave it out."));
  }
  repeated(paths) {
    return paths.slice(0, mostUnknown).map((path) => {
      const pointer = this.part + path.map((name) => encode(name.slice(0, longestName))).join("/");
      return { pointer, message: `${path.at(-1)?.slice(0, longestName)} must be given only once.` };
    });
  }
  reject(name, isMissing = false) {
    const expectation = `must be ${this.#fields.get(name)?.expectation}.`;
    return this.complain(name, isMissing ? `is missing; it ${expectation}` : expectation);
  }
  complain(name, problem) {
    return { pointer: this.part + encode(name), message: `${name} ${problem}` };
  }
}
function valueOfText(schema, text) {
  return schema.type === "integer" ? int64FromText(text) ?? Number.NaN : text;
}
function isNonsense(schema, text) {
  return Number.isNaN(valueOfText(schema, text));
}
function encode(name) {
  return encodeURIComponent(name.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}
var mostUnknown = 10;
var longestName = 64;
function int64Check({ minimum, maximum }) {
  if (minimum === undefined && maximum === undefined)
    return isInt64;
  const [lowest, highest] = [Number(minimum ?? Number.NEGATIVE_INFINITY), Number(maximum ?? Number.POSITIVE_INFINITY)];
  return (value) => isInt64(value) && value >= lowest && value <= highest;
}
function checkOf2(schema) {
  if (schema.format === "int64")
    return int64Check(schema);
  let validator;
  return (value) => {
    validator ??= validatorOf(schema);
    return validator.Check(value) && (typeof value !== "string" || value.isWellFormed());
  };
}
function validatorOf(schema) {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}
var validators = new WeakMap;

// src/http/reply/errors.ts
init_errors();

// src/http/reply/reply.ts
init_json();
var lastOfConnection = { Connection: "close" };
function jsonReply(status, value, headers = {}) {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: toJson(value) };
}
function bodyBytesOf({ body, bodyBytes }) {
  if (bodyBytes !== undefined)
    return bodyBytes;
  if (typeof body === "string")
    return Buffer.byteLength(body);
  return body instanceof Blob ? body.size : 0;
}
function sharedHeaders(headers) {
  return new Headers({ ...headers, ...everywhere2 });
}
function toResponse({ status, headers, shared = plain2, body }, exchange) {
  if (isEmpty(exchange.headers) && isEmpty(headers)) {
    shared.set("X-Request-Id", exchange.id);
    return new Response(body, { status, headers: shared });
  }
  const all = new Headers(shared);
  for (const name in headers)
    all.set(name, headers[name] ?? "");
  for (const name in exchange.headers) {
    if (name === "Link" || name === "Vary")
      all.append(name, exchange.headers[name] ?? "");
    else
      all.set(name, exchange.headers[name] ?? "");
  }
  all.set("X-Request-Id", exchange.id);
  return new Response(body, { status, headers: all });
}
var everywhere2 = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"
};
var plain2 = sharedHeaders({});
function isEmpty(headers) {
  for (const _ in headers)
    return false;
  return true;
}

// src/http/reply/errors.ts
class HttpError extends ServiceError {
  headers;
  complaints;
  constructor(code, message, headers = {}, complaints = []) {
    super(code, message);
    this.headers = headers;
    this.complaints = complaints;
  }
}
function badRequest(complaints) {
  return new HttpError("BadRequest", complaints.map(({ message }) => message).join(" "), {}, complaints);
}
function toServiceError2(error) {
  if (error instanceof ServiceError)
    return error;
  return new ServiceError("InternalServerError", "Something went wrong in the service.", error);
}
function errorReply(error, accept, explanationOf) {
  const { code, message } = error;
  const { status } = errorKinds[code];
  const headers = {
    "Cache-Control": "no-store",
    ...code === "ServiceUnavailable" && { "Retry-After": "1" },
    ...error instanceof PassingError && { "Retry-After": String(error.retryAfterSeconds) },
    ...error instanceof HttpError ? error.headers : undefined
  };
  if (!acceptsProblem(accept))
    return jsonReply(status, { code, message, status }, headers);
  const complaints = error instanceof HttpError ? error.complaints : [];
  const problem = {
    type: explanationOf(code),
    title: titleOf(code),
    status,
    detail: message,
    code,
    ...complaints.length > 0 ? { errors: complaints } : undefined
  };
  return jsonReply(status, problem, { ...headers, "Content-Type": "application/problem+json" });
}
function acceptsProblem(accept) {
  const accepted = elementsOf(accept);
  const problem = weightOf("application/problem+json", accepted);
  return problem > 0 && problem >= weightOf("application/json", accepted);
}

// src/http/reply/deprecation.ts
function isInService({ deprecated }, clock) {
  return !deprecated || clock() < datesOf(deprecated).end;
}
function endOf(operation, addresses, clock) {
  const { deprecated, params: fields = {} } = operation;
  if (!deprecated)
    return;
  const { end } = datesOf(deprecated);
  const ofErrors = deprecationHeaders(operation);
  const paramFields = Object.entries(fields);
  return (exchange) => {
    const { headers, request } = exchange;
    const { params = {} } = request;
    exchange.ofErrors = ofErrors;
    if (paramFields.every(([name, schema]) => !isNonsense(schema, params[name] ?? ""))) {
      headers["Link"] = `<${addresses.successorOf(operation, params)}>; rel="successor-version"`;
    }
    if (clock() >= end)
      throw gone(operation.id, deprecated, addresses.base);
  };
}
function deprecationHeaders({ deprecated }) {
  if (!deprecated)
    return {};
  const { Deprecation, Sunset } = datesOf(deprecated);
  return { Deprecation, Sunset };
}
function gone(id, { sunset, successor }, base) {
  return new HttpError("Gone", `${id} was removed at the end of ${sunset} (UTC). Use GET ${base}${successor} instead.`);
}
var dates = new WeakMap;
function datesOf(deprecation) {
  let known = dates.get(deprecation);
  if (!known) {
    const end = Date.parse(deprecation.sunset) + 24 * 60 * 60 * 1000;
    known = {
      end,
      Deprecation: `@${Date.parse(deprecation.since) / 1000}`,
      Sunset: new Date(end - 1000).toUTCString()
    };
    dates.set(deprecation, known);
  }
  return known;
}

// src/http/router.ts
function operationsByPath(operations) {
  return Map.groupBy(operations, ({ path }) => path);
}
function routeTable(operations, routeOf, clock) {
  const routes = new Map(operations.map((operation) => [operation.method, routeOf(operation)]));
  const read = routes.get("GET");
  if (read)
    routes.set("HEAD", read);
  return (method) => {
    const route = routes.get(method);
    if (route)
      return route;
    const inService = operations.filter((operation) => isInService(operation, clock));
    throw methodNotAllowed(method, inService.map((operation) => operation.method));
  };
}
function requireRead(request) {
  if (!isRead(request))
    throw methodNotAllowed(request.method, ["GET"]);
}
function isRead({ method }) {
  return method === "GET" || method === "HEAD";
}
function methodNotAllowed(method, methods) {
  const allowed = methods.flatMap((name) => name === "GET" ? ["GET", "HEAD"] : [name]).join(", ");
  return new HttpError("MethodNotAllowed", `${method} is not allowed here. Use ${allowed.includes(",") ? "one of " : ""}${allowed}.`, {
    Allow: allowed
  });
}

// src/http/monitoring/metrics-endpoint.ts
var metricsPath = "/metrics";
async function metricsReply(metrics) {
  return { status: 200, headers: headers2, body: await metrics.text() };
}
function listenForMetrics(metrics, hostname, port) {
  const server = Bun.serve({
    hostname,
    port,
    development: false,
    reusePort: false,
    routes: {
      [metricsPath]: async (request) => isRead(request) ? new Response(await metrics.text(), { headers: headers2 }) : new Response(`Use GET or HEAD.
`, { status: 405, headers: { Allow: "GET, HEAD" } })
    },
    fetch: () => new Response(`The metrics are at ${metricsPath}.
`, { status: 404 })
  });
  return {
    url: new URL(metricsPath, server.url),
    stop: () => server.stop(true)
  };
}
var headers2 = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };

// src/cli/serve.ts
init_registry();
init_claim_room();

// src/cli/service.ts
init_deadline();
import { setTimeout as setTimeout4 } from "timers/promises";

// src/http/access/authentication.ts
init_key();
import { timingSafeEqual } from "crypto";

// src/http/access/address-limit.ts
import { isIPv6 } from "net";

// src/http/access/throttled.ts
var throttleKinds = ["quota", "anonymous", "wrong_keys", "idempotency"];

class Throttled extends HttpError {
  kind;
  constructor(kind, message, waitSeconds) {
    super("TooManyRequests", message, { "Retry-After": String(waitSeconds) });
    this.kind = kind;
  }
}

// src/http/access/address-limit.ts
class AddressLimit {
  quota;
  stopwatch;
  kind;
  complaint;
  #windows = new Map;
  constructor(quota, stopwatch, kind, complaint) {
    this.quota = quota;
    this.stopwatch = stopwatch;
    this.kind = kind;
    this.complaint = complaint;
  }
  count(address) {
    const place = placeOf(address);
    const now = this.stopwatch();
    let window = this.#windows.get(place);
    if (!window || now >= window.end) {
      window = { end: now + this.quota.seconds * 1000, count: 0 };
      this.#remember(place, window);
    }
    window.count++;
    if (window.count <= this.quota.requests)
      return;
    const wait = Math.max(1, Math.ceil((window.end - now) / 1000));
    throw new Throttled(this.kind, this.complaint, wait);
  }
  #remember(place, window) {
    this.#windows.delete(place);
    this.#windows.set(place, window);
    if (this.#windows.size <= mostPlaces)
      return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined)
      this.#windows.delete(oldest);
  }
}
var mostPlaces = 1e4;
function placeOf(address) {
  if (!isIPv6(address))
    return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}

// src/http/access/authentication.ts
class Authenticator {
  keys;
  clock;
  stopwatch;
  #environmentHash;
  #remembered = new Map;
  #lookUps = new Map;
  #uses = new Map;
  #wrongKeys;
  constructor(keys, clock, stopwatch, environmentKey, mostWrongKeys = usualMostWrongKeys) {
    this.keys = keys;
    this.clock = clock;
    this.stopwatch = stopwatch;
    this.#environmentHash = environmentKey === undefined ? undefined : hashKey(environmentKey);
    this.#wrongKeys = new AddressLimit({ requests: mostWrongKeys, seconds: 60 }, stopwatch, "wrong_keys", "Too many wrong API keys were sent from this IP address. Wait before the next one.");
  }
  authenticate(token, sender, trustMs = memoryMs) {
    if (!token)
      throw unauthorized("The API key is missing. Send it as Authorization: Bearer <API_KEY>.");
    const name = nameOf2(token);
    const remembered = this.#remembered.get(name);
    if (remembered && this.#isFresh(remembered, trustMs))
      return this.#admit(remembered.key, sender);
    return this.#admitFound(this.#lookUp(token, name, trustMs), sender);
  }
  async recordUses() {
    const uses = [...this.#uses.values()];
    this.#uses.clear();
    if (uses.length > 0)
      await this.keys.recordUse(uses);
  }
  async#admitFound({ found }, sender) {
    const key = await found;
    if (key)
      return this.#admit(key, sender);
    this.#wrongKeys.count(sender.clientAddress());
    throw unauthorized("The API key is not valid. Send another one.", invalidToken);
  }
  #lookUp(token, name, trustMs) {
    const underWay = this.#lookUps.get(name);
    if (underWay && this.#isFresh(underWay, trustMs))
      return underWay;
    const lookUp = { startedAt: this.stopwatch(), found: this.#find(token) };
    this.#lookUps.set(name, lookUp);
    lookUp.found.then((key) => key && this.#remember(name, { key, startedAt: lookUp.startedAt })).catch(() => {}).finally(() => {
      if (this.#lookUps.get(name) === lookUp)
        this.#lookUps.delete(name);
    });
    return lookUp;
  }
  #remember(name, read) {
    const before = this.#remembered.get(name);
    if (before && before.startedAt > read.startedAt)
      return;
    if (this.#remembered.size >= mostRemembered)
      this.#remembered.clear();
    this.#remembered.set(name, read);
  }
  #isFresh({ startedAt }, trustMs = memoryMs) {
    return this.stopwatch() - startedAt < trustMs;
  }
  async#find(token) {
    const hash = hashKey(Buffer.from(token, "latin1"));
    if (this.#environmentHash && timingSafeEqual(this.#environmentHash, hash))
      return "environment";
    return isWellFormedKey(token) ? await this.keys.find(hash) : undefined;
  }
  #admit(key, sender) {
    if (key === "environment")
      return { key, name: key, line: key, scope: "admin", expiresAt: null };
    const now = this.clock();
    const state = keyState(key, now);
    if (state === "expired" || state === "revoked") {
      sender.clientAddress();
      throw unauthorized(`The API key is ${state}. Send another one.`, invalidToken);
    }
    if (Math.abs(now - (key.lastUsedAt ?? 0)) > useGrainMs)
      this.#uses.set(key.id, { id: key.id, at: now });
    return { key: key.id, name: key.name, line: key.line, scope: key.scope, expiresAt: key.expiresAt };
  }
}
function nameOf2(token) {
  return Bun.SHA256.hash(token, "base64");
}
function requireScope(caller, needed) {
  if (includesScope(caller.scope, needed))
    return;
  throw new HttpError("Forbidden", `This needs a key with the scope ${needed}; the scope of this one is ${caller.scope}.`, { "WWW-Authenticate": `${challenge}, error="insufficient_scope", scope="${needed}"` });
}
var challenge = 'Bearer realm="animal-store"';
var invalidToken = ', error="invalid_token"';
var memoryMs = 900;
var mostRemembered = 1e4;
var usualMostWrongKeys = 20;
var useGrainMs = 60000;
function unauthorized(message, detail = "") {
  return new HttpError("Unauthorized", message, { "WWW-Authenticate": challenge + detail });
}

// src/http/access/rate-limit.ts
class OwnRateLimit {
  quota;
  stopwatch;
  #windows = new Map;
  constructor(quota, stopwatch) {
    this.quota = quota;
    this.stopwatch = stopwatch;
  }
  count({ key }, headers) {
    const { requests, seconds } = this.quota;
    const now = this.stopwatch();
    let window = this.#windows.get(key);
    if (!window || now >= window.end) {
      window = { end: now + seconds * 1000, used: 0 };
      this.#windows.set(key, window);
    }
    window.used++;
    const isRefused = window.used > requests;
    tellOfQuota(headers, this.quota, { isRefused, left: requests - window.used, endsInMs: window.end - now });
  }
  async close() {}
}
function tellOfQuota(headers, { requests, seconds }, count) {
  const wait = Math.max(1, Math.ceil(count.endsInMs / 1000));
  headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
  headers["RateLimit"] = `"default";r=${Math.max(0, count.left)};t=${wait}`;
  if (!count.isRefused)
    return;
  const span = seconds === 1 ? "second" : `${seconds} seconds`;
  const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
  throw new Throttled("quota", message, wait);
}

// src/http/access/shared-rate-limit.ts
init_deadline();
class SharedRateLimit {
  quota;
  quotas;
  clock;
  #shares = new Map;
  #windowMs;
  #everyMs;
  #inNeed = new Set;
  #timer;
  #underWay;
  #next;
  #isStuck = false;
  constructor(quota, quotas, clock) {
    this.quota = quota;
    this.quotas = quotas;
    this.clock = clock;
    this.#windowMs = quota.seconds * 1000;
    this.#everyMs = Math.min(Math.max(this.#windowMs / 10, shortestIntervalMs), longestIntervalMs);
  }
  count({ key }, headers) {
    const share = this.#shareOf(key === "environment" ? 0 : key);
    share.demand++;
    this.#timer ??= setInterval(() => this.#review(), this.#everyMs);
    return share.canDecide ? this.#take(share, headers) : this.#takeWhenLeased(share, headers);
  }
  async close() {
    clearInterval(this.#timer);
    for (const share of this.#shares.values()) {
      share.retire();
      this.#inNeed.add(share);
    }
    await this.#underWay;
    await this.#exchange();
  }
  async#takeWhenLeased(share, headers) {
    share.waiting++;
    await this.#lease(share);
    if (!share.canDecide)
      await this.#lease(share);
    share.waiting--;
    this.#take(share, headers);
  }
  #take(share, headers) {
    const isRefused = !share.take();
    const endsInMs = share.endsAt - this.clock();
    tellOfQuota(headers, this.quota, { isRefused, left: isRefused ? 0 : share.left, endsInMs });
  }
  #shareOf(key) {
    const now = this.clock();
    const endsAt = now - now % this.#windowMs + this.#windowMs;
    const known = this.#shares.get(key);
    if (known?.endsAt === endsAt)
      return known;
    const share = known ? known.inWindow(endsAt) : new Share(key, endsAt, this.quota.requests);
    this.#shares.set(key, share);
    return share;
  }
  #lease(share) {
    this.#inNeed.add(share);
    this.#next ??= (async () => {
      await this.#underWay;
      this.#next = undefined;
      this.#underWay = this.#exchange();
      await this.#underWay;
    })();
    return this.#next;
  }
  async#exchange() {
    const asked = [...this.#inNeed].filter(({ mustAsk }) => mustAsk);
    this.#inNeed.clear();
    if (asked.length === 0)
      return;
    try {
      if (this.#isStuck)
        throw storeIsLate();
      const requests = asked.map((share) => share.request());
      const settled = this.quotas.lease(requests, this.quota.requests).then((leases) => {
        for (const [index, share] of asked.entries())
          share.settle(requests[index], leases[index]);
      });
      await withDeadline(patienceMs, settled, () => {
        this.#isStuck = true;
        const goOn = () => {
          this.#isStuck = false;
          for (const share of asked)
            if (share.isIndebted)
              this.#lease(share);
        };
        settled.then(goOn, goOn);
        return storeIsLate();
      });
    } catch {
      for (const share of asked)
        share.isAlone = true;
    }
  }
  #review() {
    const now = this.clock();
    for (const [key, share] of this.#shares) {
      if (share.endsAt + this.#windowMs < now)
        this.#shares.delete(key);
      if (share.endsAt <= now)
        continue;
      share.look();
      const isEnding = share.endsAt - now < 1.5 * this.#everyMs;
      for (const one of isEnding && share.used > 0 ? [share, share.ahead(this.#windowMs)] : [share]) {
        if (one.mustAsk)
          this.#lease(one);
      }
    }
    if (this.#shares.size > 0)
      return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
var shortestIntervalMs = 100;
var longestIntervalMs = 1000;
var patienceMs = 500;
var mostLooks = 4;
var mostIdle = 0.05;
function storeIsLate() {
  return new Error("The store did not respond in time.");
}

class Share {
  key;
  endsAt;
  limit;
  used = 0;
  waiting = 0;
  demand = 0;
  isAlone = false;
  #leased = 0;
  #debt = 0;
  #leftForAll;
  #sharers = 1;
  #expected = 0;
  #isUsedUp = false;
  #isKnown = false;
  #isRetired = false;
  #cautiousLooks = 0;
  #looks = 0;
  #ahead;
  constructor(key, endsAt, limit) {
    this.key = key;
    this.endsAt = endsAt;
    this.limit = limit;
    this.#leftForAll = limit;
  }
  get canDecide() {
    return this.#leased > 0 || this.#isUsedUp || this.isAlone;
  }
  get isIndebted() {
    return this.#debt > 0;
  }
  get left() {
    return this.#leased + (this.isAlone ? this.#ownPart - this.#debt : this.#leftForAll);
  }
  get mustAsk() {
    const isMissed = (this.#isUsedUp || this.isAlone) && this.#expected > 0;
    const liesIdle = this.#leased > 0 && this.#looks >= mostLooks;
    return this.#need !== 0 || this.#debt > 0 || isMissed || liesIdle;
  }
  get #need() {
    if (this.#isRetired)
      return -this.#leased;
    const expected = this.#canLieIdle && this.#cautiousLooks === 0 ? Math.max(this.#expected, this.demand) : 0;
    const more = Math.min(expected - this.#leased, Math.max(1, Math.ceil(this.#leftForAll / (2 * this.#sharers))));
    if (this.waiting > 0 || more > 0)
      return Math.max(this.waiting, more);
    return Math.min(0, Math.max(expected, this.#reserve) - this.#leased);
  }
  take() {
    if (this.#leased > 0)
      this.#leased--;
    else if (this.isAlone && this.#debt < this.#ownPart)
      this.#debt++;
    else
      return false;
    this.used++;
    return true;
  }
  look() {
    this.#expected = Math.max(this.demand, Math.floor(this.#expected / 2));
    this.demand = 0;
    this.#cautiousLooks = Math.max(0, this.#cautiousLooks - 1);
    this.#looks++;
  }
  retire() {
    this.#isRetired = true;
  }
  request() {
    const paid = Math.min(this.#debt, this.#leased);
    this.#debt -= paid;
    this.#leased -= paid;
    const need = this.isIndebted ? 0 : this.#need;
    if (need < 0)
      this.#leased += need;
    const take = need + this.#debt;
    const isFirst = !this.#isKnown;
    this.#isKnown = true;
    return { key: this.key, endsAt: this.endsAt, take, isFirst };
  }
  settle(request, lease) {
    if (!request || !lease)
      return;
    const { take } = request;
    const paid = Math.min(this.#debt, lease.granted);
    this.#debt -= paid;
    if (take > 0)
      this.#leased += lease.granted - paid;
    this.#leftForAll = Math.max(0, this.limit - lease.taken);
    this.#sharers = Math.max(1, lease.sharers);
    this.#isUsedUp = this.#leftForAll === 0;
    if (this.isAlone)
      this.#cautiousLooks = 2;
    this.isAlone = false;
    this.#looks = 0;
  }
  ahead(windowMs) {
    this.#ahead ??= this.#successor(this.endsAt + windowMs);
    this.#ahead.#expected = this.#ahead.#reserve;
    return this.#ahead;
  }
  inWindow(endsAt) {
    return this.#ahead?.endsAt === endsAt ? this.#ahead : this.#successor(endsAt);
  }
  #successor(endsAt) {
    const successor = new Share(this.key, endsAt, this.limit);
    successor.#sharers = this.#sharers;
    return successor;
  }
  get #canLieIdle() {
    return this.limit * mostIdle >= 1;
  }
  get #ownPart() {
    return Math.ceil(this.#leftForAll / this.#sharers);
  }
  get #reserve() {
    return this.#leftForAll === 0 ? 0 : Math.floor(this.limit * mostIdle / this.#sharers);
  }
}
// src/http/access/cors.ts
class Cors {
  origins;
  constructor(origins) {
    this.origins = origins;
  }
  get isOn() {
    return this.origins.length > 0;
  }
  mark({ request, headers }) {
    if (!this.#allowsAll)
      headers["Vary"] = "Origin";
    const origin = this.#allowed(request);
    if (origin === undefined)
      return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = readable;
  }
  preflight({ request }) {
    if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method"))
      return;
    if (this.#allowed(request) === undefined)
      return;
    return { status: 204, headers: preflightHeaders, body: null };
  }
  get #allowsAll() {
    return this.origins.includes("*");
  }
  #allowed({ headers }) {
    const origin = headers.get("origin");
    if (origin === null)
      return;
    if (this.#allowsAll)
      return "*";
    return this.origins.includes(origin) ? origin : undefined;
  }
}
var readable = [
  "Accept",
  "Accept-Patch",
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id"
].join(", ");
var preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id",
  "Access-Control-Max-Age": "7200",
  "Cache-Control": "no-store"
};

// src/http/access/token.ts
function tokenOf(authorization) {
  return /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trimEnd();
}

// src/http/events/readers.ts
class EventReaders {
  mostPerKey;
  #byKey = new Map;
  #isLeaving = false;
  #timer;
  constructor(metrics, mostPerKey) {
    this.mostPerKey = mostPerKey;
    const help = "Streams of events, and requests that wait for one.";
    metrics.watch("gauge", "event_readers", help, () => this.#byKey.values().reduce((sum, readers) => sum + readers.size, 0));
  }
  get isLeaving() {
    return this.#isLeaving;
  }
  enter({ key }, reader) {
    const readers = this.#byKey.get(key) ?? new Set;
    if (readers.size >= this.mostPerKey) {
      const message = `This key has ${readers.size} streams and waiting requests, which is the limit. Close one before you open another.`;
      throw new HttpError("TooManyRequests", message, { "Retry-After": "1" });
    }
    this.#byKey.set(key, readers.add(reader));
    this.#timer ??= setInterval(() => this.#beat(), beatMs);
    if (this.#isLeaving)
      reader.finish();
    return () => {
      readers.delete(reader);
      if (readers.size > 0 || this.#byKey.get(key) !== readers)
        return;
      this.#byKey.delete(key);
      if (this.#byKey.size > 0)
        return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
  leave() {
    this.#isLeaving = true;
    for (const readers of this.#byKey.values()) {
      for (const reader of readers)
        reader.finish();
    }
  }
  #beat() {
    for (const readers of this.#byKey.values()) {
      for (const reader of readers)
        reader.beat?.();
      checkOne(readers);
    }
  }
}
async function checkOne(readers) {
  const [first] = readers;
  try {
    await first?.check();
  } catch (error) {
    for (const reader of readers)
      reader.refuse(error);
  }
}
var beatMs = 450;

// src/http/request/request-id.ts
function requestIdOf({ headers }) {
  const given = headers.get("x-request-id");
  const isFit = given && /^[A-Za-z0-9._:+/=-]{1,128}$/.test(given);
  return isFit && !given.includes("ask_") && given !== tokenOf(headers.get("authorization")) ? given : crypto.randomUUID();
}

// src/http/exchange.ts
class Exchange {
  request;
  listener;
  clients;
  start = performance.now();
  id;
  target;
  path;
  query;
  headers = {};
  ofErrors;
  client;
  caller;
  operation;
  group = "none";
  bodyBytes = 0;
  bodyMs = 0;
  storeMs = 0;
  queueMs = 0;
  idleMs = 0;
  bodyAt = 0;
  storeAt = 0;
  span;
  constructor(request, listener, clients) {
    this.request = request;
    this.listener = listener;
    this.clients = clients;
    this.id = requestIdOf(request);
    this.target = targetOf(request.url);
    const mark = this.target.indexOf("?");
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
    this.query = mark < 0 ? "" : this.target.slice(mark + 1);
  }
  clientAddress() {
    this.client ??= this.clients.of(this.request, this.listener.peerOf(this.request));
    return this.client;
  }
}
function targetOf(url) {
  return url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("://") + 3));
}

// src/http/idempotency/idempotency.ts
init_json();
init_claim();
import { hash as hash3 } from "crypto";

// src/http/idempotency/vault.ts
import { createCipheriv as createCipheriv2, createDecipheriv as createDecipheriv2, hkdfSync, randomBytes as randomBytes5, scrypt as scrypt2 } from "crypto";
import { promisify as promisify2 } from "util";

class Vaults {
  #stretched = new Map;
  #ownSalt = newSalt();
  #lastStretched = Promise.resolve();
  of(token, caller) {
    const key = Buffer.from(token, "latin1");
    const method = caller.key === "environment" ? "scrypt" : "hkdf";
    const secretOf = (salt) => method === "scrypt" ? this.#stretch(key, salt) : derive(key, salt);
    return {
      seal: async (text) => {
        const salt = method === "scrypt" ? this.#ownSalt : newSalt();
        const head = `${version5}.${method}.${salt}`;
        return `${head}.${encrypt(await secretOf(salt), head, text)}`;
      },
      open: async (sealed) => {
        const [, head = "", used, salt = "", hidden = ""] = sealedText.exec(sealed) ?? [];
        return used === method ? decrypt(await secretOf(salt), head, hidden) : undefined;
      }
    };
  }
  #stretch(key, salt) {
    const known = this.#stretched.get(salt);
    if (known)
      return known;
    const secret = this.#lastStretched.then(() => scryptInBackground2(key, saltBytes(salt), secretBytes, stretching2));
    this.#lastStretched = secret.catch(() => this.#stretched.delete(salt));
    this.#stretched.set(salt, secret);
    for (const oldest of this.#stretched.keys()) {
      if (this.#stretched.size <= mostStretched)
        break;
      if (oldest !== this.#ownSalt)
        this.#stretched.delete(oldest);
    }
    return secret;
  }
}
var noVault = {
  seal: async () => {
    return;
  },
  open: async () => {
    return;
  }
};
var version5 = "v2";
var sealedText = /^(v2\.(hkdf|scrypt)\.([\w-]{22}))\.([\w-]{38,})$/;
var stretching2 = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
var mostStretched = 32;
var scryptInBackground2 = promisify2(scrypt2);
function derive(key, salt) {
  return Buffer.from(hkdfSync("sha256", key, saltBytes(salt), "animal-store vault", secretBytes));
}
function newSalt() {
  return randomBytes5(16).toString("base64url");
}
function saltBytes(salt) {
  return Buffer.from(salt, "base64url");
}
var algorithm2 = "aes-256-gcm";
var secretBytes = 32;
var nonceBytes2 = 12;
var tagBytes2 = 16;
function encrypt(secret, head, text) {
  const nonce = randomBytes5(nonceBytes2);
  const cipher = createCipheriv2(algorithm2, secret, nonce).setAAD(Buffer.from(head));
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
}
function decrypt(secret, head, hidden) {
  const bytes = Buffer.from(hidden, "base64url");
  const decipher = createDecipheriv2(algorithm2, secret, bytes.subarray(0, nonceBytes2)).setAAD(Buffer.from(head));
  decipher.setAuthTag(bytes.subarray(nonceBytes2, nonceBytes2 + tagBytes2));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes2 + tagBytes2));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return;
  }
}

// src/http/idempotency/idempotency.ts
class Idempotency {
  clock;
  #underWay = new Set;
  #vaults = new Vaults;
  constructor(clock) {
    this.clock = clock;
  }
  run(store, exchange, operation, caller, body, work) {
    const key = keyOf3(exchange.request);
    return key === undefined ? work(store, noVault) : this.#runOnce(key, store, exchange, operation, caller, body, work);
  }
  async#runOnce(key, store, exchange, operation, caller, body, work) {
    const name = hash3("sha256", [caller.line, operation.id, key].join(`
`), "buffer");
    const claim = {
      name,
      fingerprint: hash3("sha256", `${exchange.path}
${toJson(knownFields(operation, body))}`, "buffer"),
      line: caller.line,
      at: this.clock(),
      onReplay() {
        exchange.headers["Idempotent-Replayed"] = "true";
      }
    };
    const nameText = name.toString("base64");
    if (this.#underWay.has(nameText))
      throw new StillUnderWay;
    this.#underWay.add(nameText);
    try {
      const token = tokenOf(exchange.request.headers.get("authorization")) ?? "";
      return await work(store.once(claim), this.#vaults.of(token, caller));
    } finally {
      this.#underWay.delete(nameText);
    }
  }
}
function knownFields({ body: expected }, body) {
  return Object.fromEntries(Object.keys(expected?.schema.properties ?? {}).map((name) => [name, body[name]]));
}
function idempotencyKeyComplaints({ headers }) {
  const header = headers.get("idempotency-key");
  if (header === null || keyPattern.test(header.trim()))
    return [];
  const expected = "must be given once, as 1 to 255 printable ASCII characters without spaces and quotes";
  return [{ pointer: "Idempotency-Key", message: `Idempotency-Key ${expected}.` }];
}
function keyOf3({ headers }) {
  const [, quoted, plain] = keyPattern.exec(headers.get("idempotency-key")?.trim() ?? "") ?? [];
  return quoted ?? plain;
}
var keyPattern = /^"([\x21\x23-\x7e]{1,255})"$|^([\x21\x23-\x7e]{1,255})$/;
// src/http/lists/page-cache.ts
class PageCache {
  freshness;
  mostBytes;
  #pages = new Map;
  #askedOnce = new Set;
  #hits = 0;
  #misses = 0;
  #bytes = 0;
  #epoch = 0;
  constructor(freshness, mostBytes = 16 * 1024 * 1024) {
    this.freshness = freshness;
    this.mostBytes = mostBytes;
  }
  get bytes() {
    return this.#bytes;
  }
  get hits() {
    return this.#hits;
  }
  get misses() {
    return this.#misses;
  }
  read(target, read) {
    if (!this.freshness || target.length > longestTarget)
      return read();
    const entry = this.#pages.get(target);
    if (!entry && !this.#askedOnce.has(target)) {
      this.#remember(target);
      this.#misses++;
      return read();
    }
    const moment = this.freshness.now();
    if (entry) {
      if (entry.moment.epoch === moment.epoch && (entry.isFull || entry.moment.version === moment.version)) {
        this.#hits++;
        return entry.reply;
      }
      this.#drop(target, entry);
    }
    this.#misses++;
    return mapAwaitable(read(), (reply) => {
      this.#keep(target, { reply: withSharedHeaders(reply), isFull: reply.hasNext === true, moment });
      return reply;
    });
  }
  #keep(target, entry) {
    if (entry.moment.epoch !== this.#epoch || this.#bytes > this.mostBytes)
      this.#clear(entry.moment.epoch);
    const before = this.#pages.get(target);
    if (before)
      this.#drop(target, before);
    this.#pages.set(target, entry);
    this.#bytes += sizeOf2(target, entry);
  }
  #drop(target, entry) {
    this.#pages.delete(target);
    this.#bytes -= sizeOf2(target, entry);
  }
  #clear(epoch) {
    this.#pages.clear();
    this.#bytes = 0;
    this.#epoch = epoch;
  }
  #remember(target) {
    if (this.#askedOnce.size >= mostRemembered2)
      this.#askedOnce = new Set;
    this.#askedOnce.add(target);
  }
}
var longestTarget = 256;
var mostRemembered2 = 4096;
var overheadBytes = 1024;
function withSharedHeaders(reply) {
  const shared = new Headers(reply.shared);
  for (const [name, value] of Object.entries(reply.headers))
    shared.set(name, value);
  return { ...reply, headers: {}, shared, bodyBytes: bodyBytesOf(reply) };
}
function sizeOf2(target, { reply }) {
  return 2 * ((typeof reply.body === "string" ? reply.body.length : 0) + target.length) + overheadBytes;
}

// src/http/lists/shared-reads.ts
class SharedReads {
  #gathering = new Map;
  read(target, time, read) {
    const gathering = this.#gathering.get(target);
    if (gathering)
      return join3(gathering, time);
    const reply = new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#gathering.delete(target);
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#gathering.set(target, { reply, time });
    return reply;
  }
}
function join3({ reply, time }, ofAnother) {
  return reply.finally(() => {
    ofAnother.storeAt = time.storeAt;
    ofAnother.storeMs = time.storeMs;
  });
}

// src/http/log/request-log.ts
init_time_text();
init_errors();

// src/http/monitoring/timing.ts
function timingOf({ bodyMs, queueMs, storeMs }) {
  const parts = { body: bodyMs, queue: queueMs, store: storeMs - queueMs };
  return Object.fromEntries(Object.entries(parts).flatMap(([name, milliseconds]) => milliseconds > 0 ? [[name, rounded(milliseconds)]] : []));
}
function serverTiming(exchange, totalMs) {
  return Object.entries({ ...timingOf(exchange), total: rounded(totalMs) }).map(([name, milliseconds]) => `${name};dur=${milliseconds}`).join(", ");
}
function rounded(milliseconds) {
  return Math.round(milliseconds * 1000) / 1000;
}

// src/http/log/shown-path.ts
function pathToShow(exchange) {
  const { operation, path } = exchange;
  return withoutSecrets(operation?.params ? sentPath(exchange, operation) : path);
}
function sentPath({ path, request: { params = {} } }, operation) {
  const holds = (text) => Object.values(params).every((value) => text.includes(`/${value}`));
  if (holds(path) || holds(decoded(path)))
    return path;
  return basePath + operation.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent((params[name] ?? "").toWellFormed()));
}
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
function withoutSecrets(path) {
  if (path.length < shortestKey)
    return path;
  return path.split("/", 8).map((segment) => segment.length < shortestKey ? segment : "...").join("/");
}
var shortestKey = 16;

// src/http/log/request-log.ts
function logRequest(log, exchange, status, elapsedMs, slowMs, failure) {
  const isSlow = slowMs !== undefined && elapsedMs > slowMs;
  const level = levelOf(exchange, status, isSlow);
  if (!log.takes(level))
    return;
  const { request, id, operation, caller, client, span } = exchange;
  const path = pathToShow(exchange);
  const milliseconds = rounded(elapsedMs);
  if (!failure && !isSlow && !span && !log.isForPeople && operation && caller && isPlain.test(path)) {
    const key = typeof caller.key === "number" ? caller.key : `"${caller.key}"`;
    log.writeLine(`{"time":"${timeText(Date.now())}","level":"${level}","message":"request","requestId":"${id}","method":"${request.method}","path":"${path}","operation":"${operation.id}","key":${key},"status":${status},"milliseconds":${milliseconds}}`);
    return;
  }
  log.write(level, "request", {
    requestId: id,
    traceId: span?.traceId,
    spanId: span?.spanId,
    method: request.method,
    path,
    operation: operation?.id,
    key: caller?.key,
    client: caller ? undefined : client,
    status,
    milliseconds,
    ...isSlow && whereTheTimeWent(exchange),
    cause: failure?.cause === undefined ? undefined : describeCause(failure.cause)
  });
}
function whereTheTimeWent(exchange) {
  return Object.fromEntries(Object.entries(timingOf(exchange)).map(([name, milliseconds]) => [`${name}Milliseconds`, milliseconds]));
}
var isProbe = /^\/(healthz|readyz)/;
var isPlain = /^[\w/.-]*$/;
function levelOf({ path }, status, isSlow) {
  if (isSlow && status < 500)
    return "warn";
  if (status < 400 && isProbe.test(path))
    return "debug";
  if (status < 500)
    return "info";
  return status === 503 ? "warn" : "error";
}
function describeCause(cause) {
  if (cause instanceof ServiceError && cause.cause !== undefined)
    return describeCause(cause.cause);
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause);
}

// src/http/monitoring/page-cache-metrics.ts
function measurePageCache(metrics, pageCache) {
  const help = "Pages of lists that were asked for, by whether they came from memory.";
  metrics.watch("counter", "page_cache_reads_total", help, () => [
    [{ result: "hit" }, pageCache.hits],
    [{ result: "miss" }, pageCache.misses]
  ]);
  metrics.watch("gauge", "page_cache_bytes", "Memory that the pages take.", () => pageCache.bytes);
}

// src/http/monitoring/readiness.ts
function measureReadiness(metrics, store) {
  const kinds = ["reads", "writes"];
  const isReady = new Map;
  metrics.prepare(async () => {
    const asked = kinds.map(async (kind) => isReady.set(kind, await isReadyFor(store, kind)));
    await Promise.all(asked);
  });
  metrics.watch("gauge", "ready", "1 while the store can answer requests of that kind.", () => Array.from(isReady, ([kind, is]) => [{ kind }, is ? 1 : 0]));
}
async function isReadyFor(store, kind) {
  try {
    await store.ready(kind);
    return true;
  } catch {
    return false;
  }
}

// src/http/monitoring/request-metrics.ts
init_registry();
class RequestMetrics {
  #groups = new Map;
  #requests;
  #durations;
  #received;
  #sent;
  #refused;
  #throttled;
  constructor(metrics) {
    const byOperation = ["operation"];
    this.#requests = metrics.counter("requests_total", "Requests that were answered.", ["operation", "status"]);
    this.#durations = metrics.histogram("request_duration_seconds", "From the end of a request's headers to its answer.", durationBounds, byOperation);
    this.#received = metrics.counter("request_bytes_total", "Bytes of bodies that were read.", byOperation);
    this.#sent = metrics.counter("response_bytes_total", "Bytes of bodies that were sent.", byOperation);
    const refused = metrics.counter("refused_total", "Requests that were refused, whatever they asked for.", ["code"]);
    this.#refused = new Map(refusals.map((code) => [code, refused.with(code)]));
    const throttled = metrics.counter("throttled_total", "Requests that were one too many, by what counts them.", [
      "kind"
    ]);
    const kinds = throttleKinds.map((kind) => [kind, throttled.with(kind)]);
    this.#throttled = Object.fromEntries(kinds);
  }
  record(exchange, status, sentBytes, elapsedMs, failure) {
    const group = this.#groupOf(exchange.operation?.id ?? exchange.group);
    group.count(status);
    group.duration.observe(elapsedMs / 1000);
    group.received.add(exchange.bodyBytes);
    group.sent.add(sentBytes);
    if (failure)
      this.#recordFailure(failure);
  }
  #recordFailure(failure) {
    this.#refused.get(failure.code)?.add();
    if (failure.code !== "TooManyRequests")
      return;
    this.#throttled[failure instanceof Throttled ? failure.kind : "idempotency"].add();
  }
  #groupOf(name) {
    let group = this.#groups.get(name);
    if (!group) {
      group = new Group(this.#durations.with(name), this.#received.with(name), this.#sent.with(name), (status) => this.#requests.with(name, String(status)));
      this.#groups.set(name, group);
    }
    return group;
  }
}
var refusals = ["Unauthorized", "Forbidden", "ServiceUnavailable"];

class Group {
  duration;
  received;
  sent;
  countOf;
  #statuses = new Map;
  constructor(duration, received, sent, countOf) {
    this.duration = duration;
    this.received = received;
    this.sent = sent;
    this.countOf = countOf;
  }
  count(status) {
    let count = this.#statuses.get(status);
    if (!count) {
      count = this.countOf(status);
      this.#statuses.set(status, count);
    }
    count.add();
  }
}

// src/http/monitoring/request-trace.ts
function traceRequest(tracer, exchange, status, elapsedMs) {
  const { request, operation, caller, start, id } = exchange;
  const span = tracer.spanOf(request.headers.get("traceparent"), caller !== undefined, start);
  if (!span)
    return;
  exchange.span = span;
  const end = start + elapsedMs;
  for (const [name, begunAt, endedAt] of partsOf3(exchange, end)) {
    span.child(begunAt).end(name, "internal", {}, undefined, endedAt);
  }
  const route = operation && basePath + operation.path;
  const isOurFault = status >= firstOfServer;
  const attributes = {
    "http.request.method": request.method,
    "http.route": route,
    "http.response.status_code": status,
    "url.scheme": request.url.startsWith("https:") ? "https" : "http",
    "url.path": operation && pathToShow(exchange),
    "user_agent.original": request.headers.get("user-agent")?.slice(0, longestUserAgent),
    "error.type": isOurFault ? String(status) : undefined,
    "animal_store.operation": operation?.id,
    "animal_store.request_id": id
  };
  const name = route === undefined ? request.method : `${request.method} ${route}`;
  span.end(name, "server", attributes, isOurFault ? `it was answered with ${status}` : undefined, end);
}
function partsOf3({ operation, bodyAt, bodyMs, storeAt, storeMs, queueMs }, end) {
  const parts = [];
  if (bodyMs > 0)
    parts.push(["body", bodyAt, bodyAt + bodyMs]);
  if (storeMs > 0) {
    const storeEnd = storeAt + storeMs;
    if (queueMs > 0)
      parts.push(["queue", storeAt, storeAt + queueMs]);
    parts.push([operation?.method === "GET" ? "read" : "commit", storeAt + queueMs, storeEnd]);
    parts.push(["answer", storeEnd, end]);
  }
  return parts;
}
var longestUserAgent = 256;
var firstOfServer = 500;

// src/http/reply/encoded.ts
import { promisify as promisify3 } from "util";
import { brotliCompress, constants as constants4, gzip } from "zlib";

// src/http/reply/conditional.ts
init_json();
init_expectation();
function etagOf(body, rest = "") {
  const hash = Bun.hash.xxHash3(body);
  return `"${(rest === "" ? hash : Bun.hash.xxHash3(rest, hash)).toString(36)}"`;
}
function isUnchanged(ifNoneMatch, etag) {
  if (!ifNoneMatch)
    return false;
  if (ifNoneMatch.trim() === "*")
    return true;
  return tagsIn(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, "") === etag);
}
function isExpected(ifMatch, etag) {
  if (ifMatch === null)
    return true;
  return etag !== undefined && (ifMatch.trim() === "*" || tagsIn(ifMatch).includes(etag));
}
function isConditional({ headers }) {
  return headers.has("if-match") || headers.has("if-none-match");
}
function expectationOf({ headers }, current, show) {
  const etag = current && etagOf(toJson(show(current)));
  const isMet = isExpected(headers.get("if-match"), etag) && (etag === undefined || !isUnchanged(headers.get("if-none-match"), etag));
  return isMet ? current ?? null : unmeetable;
}
function tagsIn(header) {
  return splitOutsideQuotes(header, ",").map((tag) => tag.trim()).filter((tag) => tag !== "");
}

// src/http/reply/encoded.ts
class EncodedText {
  type;
  write;
  #text;
  #contents = new Map;
  constructor(type, write) {
    this.type = type;
    this.write = write;
  }
  in(encoding) {
    let content = this.#contents.get(encoding);
    if (!content) {
      this.#text ??= this.write();
      content = compressors[encoding](this.#text).then(contentOf);
      this.#contents.set(encoding, content);
    }
    return content;
  }
}
function contentOf(bytes) {
  return { body: new Blob([bytes]), etag: etagOf(bytes) };
}
async function encodedReply({ headers: sent }, content, headers, shared) {
  const encoding = encodingFor(sent.get("accept-encoding"));
  const { body, etag } = await content.in(encoding);
  const common = { ETag: etag, Vary: "Accept-Encoding", ...headers };
  const rest = shared && { shared };
  if (isUnchanged(sent.get("if-none-match"), etag))
    return { status: 304, headers: common, ...rest, body: null };
  const ofBody = { "Content-Type": content.type, ...encoding !== "identity" && { "Content-Encoding": encoding } };
  return { status: 200, headers: { ...ofBody, ...common }, ...rest, body };
}
function encodingFor(accepted) {
  const encodings = elementsOf(accepted);
  if (weightOf("br", encodings) > 0)
    return "br";
  return weightOf("gzip", encodings) > 0 ? "gzip" : "identity";
}
var compressors = {
  br: (text) => compressBrotli(text, { params: { [constants4.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (text) => compressGzip(text, { level: 9 }),
  identity: async (text) => new TextEncoder().encode(text)
};
var compressBrotli = promisify3(brotliCompress);
var compressGzip = promisify3(gzip);

// src/http/public/pages.ts
class Pages {
  files;
  #contents = new Map;
  constructor(files) {
    this.files = files;
  }
  get paths() {
    return Object.keys(this.files);
  }
  answer(request, path) {
    const file = this.files[path];
    if (!file)
      throw new Error(`There is no page at ${path}.`);
    requireRead(request);
    const content = { type: file.type, in: (encoding) => this.#read(file[encoding]) };
    const headers = { "Cache-Control": path.startsWith(assets) ? forever : "no-cache", ...security };
    return encodedReply(request, content, headers, shared);
  }
  #read(place) {
    let content = this.#contents.get(place);
    if (!content) {
      content = Bun.file(place).bytes().then(contentOf);
      this.#contents.set(place, content);
      content.catch(() => this.#contents.delete(place));
    }
    return content;
  }
}
function isTyped(path) {
  return path !== "/" && !path.includes(".");
}
function withoutSlash({ request, query }, path) {
  requireRead(request);
  const page = `../${path.slice(path.lastIndexOf("/") + 1)}`;
  return { status: 308, headers: { Location: query === "" ? page : `${page}?${query}` }, body: null };
}
var assets = "/assets/";
var forever = "public, max-age=31536000, immutable";
var policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
var security = {
  "Content-Security-Policy": policy,
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY"
};
var shared = new Headers;

// src/http/public/service-endpoints.ts
init_errors();
class ServiceEndpoints {
  #endpoints;
  constructor(store, source, isLeaving) {
    const readyFor = (kinds) => async () => {
      if (isLeaving())
        throw new ServiceError("ServiceUnavailable", "The service is shutting down.");
      try {
        await Promise.all(kinds.map((kind) => store.ready(kind)));
      } catch (error) {
        throw new ServiceError("ServiceUnavailable", "The store is not responding.", error);
      }
      return ok;
    };
    this.#endpoints = {
      "/healthz": () => ok,
      "/readyz": readyFor(["reads", "writes"]),
      "/readyz/reads": readyFor(["reads"]),
      "/readyz/writes": readyFor(["writes"]),
      [`${basePath}/openapi.json`]: documentEndpoint(source, "json"),
      [`${basePath}/openapi.yaml`]: documentEndpoint(source, "yaml")
    };
  }
  get paths() {
    return Object.keys(this.#endpoints);
  }
  answer(request, path) {
    const endpoint = this.#endpoints[path];
    if (!endpoint)
      throw new Error(`There is no endpoint at ${path}.`);
    requireRead(request);
    return endpoint(request);
  }
}
var ok = jsonReply(200, { status: "ok" }, { "Cache-Control": "no-store" });
function documentEndpoint(source, format) {
  let made;
  return (request) => {
    const operations = source.operations.filter((operation) => isInService(operation, source.clock));
    const of = operations.map(({ id }) => id).join(" ");
    if (made?.of !== of) {
      const addresses = source.addresses.length > 0 ? source.addresses : [ownAddress2];
      const document = new EncodedText(`application/${format}`, () => source.describe(operations, addresses, format));
      made = { of, document };
    }
    return encodedReply(request, made.document, documentHeaders);
  };
}
var ownAddress2 = { url: basePath, description: "This server" };
var documentHeaders = { "Cache-Control": "no-cache", Vary: "Accept-Encoding, Origin" };

// src/http/public/html/page.ts
import { hash as hash4 } from "crypto";

// src/http/public/html/style.ts
var style = `
:root { color-scheme: light dark; --ink: light-dark(#17201c, #e6ebe8); --soft: light-dark(#56615c, #a3aea8);
  --ground: light-dark(#f6f7f6, #141716); --paper: light-dark(#ffffff, #1c201e); --line: light-dark(#dadfdc, #343b38);
  --sunken: light-dark(#eef0ef, #232826); --accent: light-dark(#0f6b4f, #4cc398);
  font: 15px / 1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
* { box-sizing: border-box; }
body { margin: 0; }
header { display: flex; gap: 1.5rem; padding: 0.75rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--line); }
header a:first-child { font-weight: 600; }
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 0.75rem; }
h2 { font-size: 1.15rem; margin: 0 0 0.5rem; }
p { margin: 0 0 0.6rem; }
a { color: var(--accent); }
code, pre { font: 0.9em / 1.5 ui-monospace, monospace; background: var(--sunken); border-radius: 6px; }
code { padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
section { padding: 1rem 1.25rem; margin: 1rem 0; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
section:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
nav ul { columns: 14rem; padding: 0 0 0 1.2rem; margin: 1rem 0; }
small { color: var(--soft); font-size: 0.9rem; font-weight: normal; }
`;

// src/http/public/html/page.ts
class Html {
  text;
  constructor(text) {
    this.text = text;
  }
}
function html(texts, ...parts) {
  return new Html(texts.map((text, index) => text + textOf3(parts[index] ?? "")).join(""));
}
function sentence(text) {
  return text.split("`").map((part, index) => index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`);
}
function pageOf2(title, description, content, hasConsole) {
  const links = html`<a href="/">Animal store</a> <a href="/docs">The interface</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} \u2013 Animal store</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header>${hasConsole ? links : "Animal store"}</header>
<main>
${content}
</main>
</body>
</html>
`.text;
}
var pageType = "text/html; charset=utf-8";
var pageHeaders = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash4("sha256", style, "base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY"
};
function textOf3(part) {
  if (part instanceof Html)
    return part.text;
  if (typeof part === "object")
    return part.map(({ text }) => text).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// src/http/public/html/errors-page.ts
function errorsPage(hasConsole) {
  return pageOf2("Errors", "What each error of the animal store means, and what to do about it.", html`<h1>Errors</h1>
<p>Every error has a body with its <code>code</code>, a <code>message</code> for people and the HTTP <code>status</code>.
If you accept <code>application/problem+json</code>, you get an RFC 9457 problem instead, whose <code>type</code> links
here. Go by the code, or by the status if you do not know the code: more may be added.</p>
<nav aria-label="Codes"><ul>
${errorCodes.map((code) => html`<li><a href="#${code}">${errorKinds[code].status} ${code}</a></li>\n`)}</ul></nav>
${errorCodes.map(explanationOf)}`, hasConsole);
}
function explanationOf(code) {
  const { status, meaning, example: message, remedy } = errorKinds[code];
  return html`<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title">${code} <small>${status} ${titleOf(code)}</small></h2>
<p>${sentence(meaning)}</p>
<p>${sentence(remedy)}</p>
<pre><code>${JSON.stringify({ code, message, status })}</code></pre>
</section>
`;
}

// src/http/public/html/not-found-page.ts
function notFoundPage(hasConsole) {
  const ofConsole = html`<li><a href="/">The console</a>, to work with the store</li>
<li><a href="/docs">The API reference</a>, with requests to try</li>
`;
  return pageOf2("Not found", "There is no page at this path of the animal store.", html`<h1>Page not found</h1>
<p>The address may be mistyped, or the page was removed. These pages exist:</p>
<ul>
${hasConsole ? ofConsole : ""}<li><a href="/docs/errors">The errors</a>, explained</li>
<li><a href="${basePath}/openapi.json">The OpenAPI document</a>, for programs</li>
</ul>`, hasConsole);
}

// src/http/public/html/prefers-html.ts
function prefersHtml(accept) {
  const accepted = elementsOf(accept);
  const names = new Set(accepted.map(([range]) => range?.name));
  const ofJson = ["application/json", "application/problem+json"].filter((type) => names.has(type));
  const others = names.has("application/*") ? ["application/*"] : ["*/*"];
  const json = (ofJson.length > 0 ? ofJson : others).map((range) => weightOf(range, accepted));
  return weightOf("text/html", accepted) > Math.max(...json);
}

// src/http/public/written-pages.ts
class WrittenPages {
  #pages;
  #notFound;
  constructor(hasConsole) {
    this.#pages = new Map([["/docs/errors", new EncodedText(pageType, () => errorsPage(hasConsole))]]);
    this.#notFound = {
      status: errorKinds.NotFound.status,
      headers: { "Content-Type": pageType, "Cache-Control": "no-store", ...pageHeaders },
      body: notFoundPage(hasConsole)
    };
  }
  get paths() {
    return this.#pages.keys();
  }
  answer(request, path) {
    const page = this.#pages.get(path);
    if (!page)
      throw new Error(`There is no page at ${path}.`);
    requireRead(request);
    return encodedReply(request, page, { "Cache-Control": "no-cache", ...pageHeaders });
  }
  notFound(request) {
    return isRead(request) && prefersHtml(request.headers.get("accept")) ? this.#notFound : undefined;
  }
}

// src/http/reply/addresses.ts
class Addresses {
  base;
  clock;
  #templates = new Map;
  constructor(base, clock) {
    this.base = base;
    this.clock = clock;
  }
  of(operation, params) {
    const { path, deprecated } = operation;
    if (deprecated && !isInService(operation, this.clock))
      return this.successorOf(operation, params);
    return this.#fill(path, params);
  }
  ofError(code) {
    return `${this.base.slice(0, -basePath.length)}${errorsPage2}#${code}`;
  }
  successorOf({ deprecated }, params) {
    return this.#fill(deprecated?.successor ?? "", params);
  }
  #fill(template, params) {
    let parts = this.#templates.get(template);
    if (!parts) {
      parts = template.split(/:(\w+)|\{(\w+)\}/).filter((part) => part !== undefined);
      this.#templates.set(template, parts);
    }
    let address = this.base;
    for (let index = 0;index < parts.length; index++) {
      const part = parts[index] ?? "";
      address += index % 2 === 0 ? part : encode2(params[part]);
    }
    return address;
  }
}
var errorsPage2 = "/docs/errors";
function encode2(value) {
  return encodeURIComponent(String(value ?? ""));
}

// src/http/request/body.ts
init_deadline();
init_json();
var usualBodyLimits = {
  bytes: bodyLimits.kibibytes * 1024,
  milliseconds: bodyLimits.seconds * 1000
};
async function readBody2(exchange, expected, limits, strict) {
  const { request } = exchange;
  const declared = Number(request.headers.get("content-length"));
  if (declared === 0 && !request.headers.has("transfer-encoding"))
    return ifMissing(expected);
  requireJson(request, expected);
  if (declared > limits.bytes)
    throw tooLarge(limits);
  exchange.bodyAt = performance.now();
  const bytes = await withDeadline(limits.milliseconds, readBytes(request, limits), () => late(limits)).finally(() => {
    exchange.bodyMs = performance.now() - exchange.bodyAt;
  });
  exchange.bodyBytes = bytes.length;
  if (bytes.length === 0)
    return ifMissing(expected);
  const text = decode(bytes);
  return { values: parseObject(text), repeated: strict ? repeatedNames(text) : [] };
}
function ifMissing({ isOptional }) {
  if (isOptional)
    return { values: {}, repeated: [] };
  throw new HttpError("BadRequest", "The body is missing. Send a JSON object.");
}
function requireJson({ method, headers }, { types = plainJson }) {
  if (headers.get("content-type") === types[0] && !headers.has("content-encoding"))
    return;
  const [[type, ...parameters] = [], ...others] = elementsOf(headers.get("content-type"));
  const isUtf8 = parameters.every(({ name, value }) => name !== "charset" || value?.toLowerCase() === "utf-8");
  const taken = { Accept: types.join(", "), ...method === "PATCH" && { "Accept-Patch": types.join(", ") } };
  if (!type || !types.includes(type.name) || !isUtf8 || others.length > 0) {
    const message = `Send the body as JSON in UTF-8, with Content-Type: ${types.join(" or ")}.`;
    throw new HttpError("UnsupportedMediaType", message, taken);
  }
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new HttpError("UnsupportedMediaType", "Send the body uncompressed, without Content-Encoding.", {
      ...taken,
      "Accept-Encoding": "identity"
    });
  }
}
async function readBytes(request, limits) {
  try {
    if (request.headers.has("content-length"))
      return await request.bytes();
    return await readChunks(request, limits);
  } catch (error) {
    if (error instanceof HttpError)
      throw error;
    throw new HttpError("BadRequest", "The body ended before it was complete.");
  }
}
async function readChunks(request, limits) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > limits.bytes)
      throw tooLarge(limits);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
var decoder = new TextDecoder("utf-8", { fatal: true });
function decode(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid UTF-8.");
  }
}
function parseObject(text) {
  if (isTooDeep(text)) {
    throw new HttpError("BadRequest", `The body is nested too deeply. Nest at most ${deepest} arrays and objects.`);
  }
  const value = parse2(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError("BadRequest", "The body must be a JSON object.");
  }
  return value;
}
function parse2(text) {
  try {
    return parseJson(text);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid JSON.");
  }
}
function tooLarge({ bytes }) {
  return new HttpError("PayloadTooLarge", `The body is too large. Send at most ${bytes} bytes.`, lastOfConnection);
}
function late({ milliseconds }) {
  return new HttpError("RequestTimeout", `The body did not arrive within ${milliseconds / 1000} seconds.`, lastOfConnection);
}

// src/http/request/framing.ts
function requireSoundFraming({ url, headers }) {
  if (url.includes("#"))
    throw new HttpError("BadRequest", "Send the request target without a fragment (#).", lastOfConnection);
  const host = headers.get("host");
  if (host !== null && !isKnownHost(host)) {
    throw new HttpError("BadRequest", "Send one Host header: a host name or an address, with or without a port.", lastOfConnection);
  }
  if (headers.has("trailer"))
    throw new HttpError("BadRequest", "Send the body without trailers.", lastOfConnection);
}
async function requireNotAbandoned(request) {
  await endOfTurn();
  if (request.signal.aborted) {
    throw new HttpError("BadRequest", "The connection was closed before the request started. Nothing was changed.");
  }
}
function endOfTurn() {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}
var turn;
function isKnownHost(host) {
  if (knownHosts.has(host))
    return true;
  if (!hostPattern.test(host))
    return false;
  if (knownHosts.size >= mostKnownHosts)
    knownHosts.clear();
  knownHosts.add(host);
  return true;
}
var knownHosts = new Set;
var mostKnownHosts = 100;
var hostPattern = /^(?:(?:[\w.~!$&'()*+;=-]|%[\dA-Fa-f]{2})*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

// src/http/route.ts
init_deadline();
init_errors();
init_expectation();
// src/http/reply/paced-body.ts
class PacedBody {
  stream;
  #reader;
  #controller;
  #piece;
  #isOver = false;
  constructor(reader) {
    this.#reader = reader;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#piece?.resolve(),
      cancel: () => this.leave()
    }, { highWaterMark: 0 });
  }
  get isOver() {
    return this.#isOver;
  }
  async send(bytes) {
    if (this.#isOver)
      throw new ReaderGone;
    const piece = Promise.withResolvers();
    this.#piece = piece;
    this.#controller?.enqueue(bytes);
    const timer = setTimeout(() => this.#giveUp(), this.#reader.patienceMs);
    try {
      await piece.promise;
    } finally {
      clearTimeout(timer);
      this.#piece = undefined;
    }
  }
  hurry() {
    if (this.#piece)
      this.#reader.cutIfStalled();
  }
  end() {
    if (this.#isOver)
      return;
    this.#isOver = true;
    this.#controller?.close();
  }
  fail() {
    if (this.#isOver)
      return;
    this.#controller?.error(new ReaderGone);
    this.leave();
  }
  leave() {
    if (this.#isOver)
      return;
    this.#isOver = true;
    this.#piece?.reject(new ReaderGone);
    this.#reader.onGone?.();
  }
  #giveUp() {
    this.#reader.cutIfStalled();
    this.fail();
  }
}

class ReaderGone extends Error {
  name = "ReaderGone";
}

// src/http/reply/representation.ts
init_json();
init_expectation();

// src/http/lists/cursor.ts
init_int64();
import { hash as hash5 } from "crypto";
function encodeCursor(position, list) {
  const head = version6 + position.toString(radix2);
  return checkOf3(head, list) + head;
}
function decodeCursor(text, list) {
  const [, check, head = "", digits = ""] = /^([A-Za-z0-9_-]{12})(1(-?[0-9a-z]{1,13}))$/.exec(text) ?? [];
  if (check === undefined || check !== checkOf3(head, list))
    return;
  const position = integerFrom(digits);
  return isInt64(position) ? position : undefined;
}
var version6 = "1";
var radix2 = 36;
function checkOf3(head, list) {
  return hash5("sha256", `animal-store cursor
${head}
${list}`, "base64url").slice(0, 12);
}
function integerFrom(digits) {
  if (digits.length <= longestExact2)
    return Number.parseInt(digits, radix2);
  const isNegative = digits.startsWith("-");
  let value = 0n;
  for (const digit of isNegative ? digits.slice(1) : digits)
    value = value * BigInt(radix2) + BigInt(Number.parseInt(digit, radix2));
  return toInt64(isNegative ? -value : value);
}
var longestExact2 = 10;

// src/http/lists/paging.ts
function positionOf2(cursor, operation, query) {
  return decodeCursor(cursor, listName(operation, query));
}
function pageLinks(operation, query, next, addresses) {
  const path = addresses.base + operation.path;
  let kept = "";
  for (const name in operation.query) {
    const value = query[name];
    if (value !== undefined)
      kept += `${kept && "&"}${name}=${encodeURIComponent(String(value))}`;
  }
  const first = `<${path}${kept && `?${kept}`}>; rel="first"`;
  if (next === undefined)
    return first;
  const cursor = encodeCursor(next, listName(operation, query));
  return `<${path}?${kept && `${kept}&`}cursor=${cursor}>; rel="next", ${first}`;
}
function listName(operation, query) {
  let list = operation.id;
  for (const name in operation.query) {
    if (name !== "limit" && query[name] !== undefined)
      list += `
${name}=${query[name]}`;
  }
  return list;
}

// src/http/reply/representation.ts
function representationOf(operation, addresses) {
  const { success } = operation;
  const { status } = success;
  const own = deprecationHeaders(operation);
  if (!hasContent(operation))
    return () => ({ status, headers: { ...own, "Cache-Control": "no-store" }, body: null });
  const shared = sharedHeaders({ ...own, ...operation.method === "GET" ? ofReads : ofWrites });
  if (operation.paged) {
    return (input, result) => ofPage(operation, addresses, input, result, status, shared);
  }
  return (_input, result) => {
    const isNew = result instanceof Created;
    const body = toJson(isNew ? result.result : result);
    const headers = {};
    if (!success.isSecret)
      headers["ETag"] = etagOf(body);
    if (success.location)
      headers["Location"] = addresses.of(success.location.at, success.location.params(result));
    return { status: isNew ? createdStatus : status, shared, body, headers };
  };
}
function onCondition(reply, request) {
  if (!isConditional(request))
    return reply;
  const etag = reply.headers["ETag"] ?? reply.shared?.get("ETag") ?? "";
  if (!isExpected(request.headers.get("if-match"), etag))
    throw changedMeanwhile();
  if (!isUnchanged(request.headers.get("if-none-match"), etag))
    return reply;
  const shared = new Headers(reply.shared);
  shared.delete("Content-Type");
  return { status: notModified.status, headers: reply.headers, shared, body: null };
}
var json = { "Content-Type": "application/json" };
var ofReads = { ...json, "Cache-Control": "private, no-cache" };
var ofWrites = { ...json, "Cache-Control": "no-store" };
function ofPage(operation, addresses, input, { items, next }, status, shared) {
  const body = toJson(items);
  const link = pageLinks(operation, input.given, next, addresses);
  const etag = items.length === 1 && isNamed(operation, input) ? etagOf(body.slice(1, -1)) : etagOf(body, link);
  return { status, shared, body, headers: { ETag: etag, Link: link }, hasNext: next !== undefined };
}
function isNamed({ query = {}, namedBy }, input) {
  if (namedBy === undefined || input.given[namedBy] === undefined || input.after !== undefined)
    return false;
  for (const name in query) {
    if (name !== namedBy && name !== "limit" && input.given[name] !== undefined)
      return false;
  }
  return true;
}

// src/http/request/input.ts
class InputReader {
  #operation;
  #limits;
  #paramFields;
  #params;
  #queryFields;
  #query;
  #queryDefaults;
  #body;
  #bodyDefaults;
  constructor(operation, limits) {
    this.#operation = operation;
    this.#limits = limits;
    this.#paramFields = Object.entries(operation.params ?? {});
    this.#params = new Validator2(operation.params ?? {}, "?");
    const fields = queryFields(operation);
    this.#queryFields = new Map(Object.entries(fields));
    this.#query = new Validator2(fields, "?");
    this.#queryDefaults = defaultsOf(fields, "default");
    this.#body = operation.body && Validator2.ofBody(operation.body.schema);
    this.#bodyDefaults = defaultsOf(operation.body?.schema.properties ?? {}, whenAbsent);
  }
  read(exchange, isStrict) {
    const complaints = [];
    const input = this.#readAddress(exchange, isStrict, complaints);
    if (complaints.length > 0)
      throw badRequest(complaints);
    return input;
  }
  async readWithBody(exchange, isStrict) {
    const { request } = exchange;
    const complaints = [];
    const input = this.#readAddress(exchange, isStrict, complaints);
    if (takesIdempotencyKey(this.#operation))
      complaints.push(...idempotencyKeyComplaints(request));
    const body = this.#body ? await this.#readBody(exchange, this.#body, isStrict, complaints) : nothing2;
    if (complaints.length > 0)
      throw badRequest(complaints);
    return { ...input, body };
  }
  async#readBody(exchange, validator, isStrict, complaints) {
    const { values, repeated } = await readBody2(exchange, this.#operation.body ?? {}, this.#limits, isStrict);
    validator.check(values, complaints);
    if (isStrict)
      complaints.push(...validator.unknown(Object.keys(values)), ...validator.repeated(repeated));
    return fill(values, this.#bodyDefaults);
  }
  #readAddress({ request, query }, isStrict, complaints) {
    const params = this.#paramFields.length > 0 ? this.#readParams(request.params ?? {}) : nothing2;
    if (query === "")
      return { params, query: this.#queryDefaults, given: nothing2, body: nothing2, after: undefined };
    const given = this.#readQuery(query, isStrict, complaints);
    const isPaged = this.#operation.paged && given["cursor"] !== undefined;
    const after = isPaged ? this.#readCursor(given, complaints) : undefined;
    return { params, query: fill(given, this.#queryDefaults), given, body: nothing2, after };
  }
  #readParams(texts) {
    const params = {};
    for (const [name, schema] of this.#paramFields)
      params[name] = valueOfText(schema, texts[name] ?? "");
    const complaints = [];
    this.#params.check(params, complaints);
    const [complaint] = complaints;
    if (complaint)
      throw new HttpError("NotFound", `There is nothing at this path: ${complaint.message}`);
    return params;
  }
  #readQuery(text, isStrict, complaints) {
    const given = {};
    let repeated;
    const parameters = parametersIn2(text);
    for (let index = 0;index < parameters.length; index += 2) {
      const name = parameters[index] ?? "";
      const schema = this.#queryFields.get(name);
      if (!schema)
        continue;
      if (given[name] === undefined)
        given[name] = valueOfText(schema, parameters[index + 1] ?? "");
      else
        repeated = (repeated ?? new Set).add(name);
    }
    this.#query.check(given, complaints);
    for (const name of repeated ?? [])
      complaints.push(this.#query.complain(name, "must be given only once."));
    if (isStrict) {
      const names = parameters.filter((_, index) => index % 2 === 0);
      complaints.push(...this.#query.unknown(new Set(names)));
    }
    return given;
  }
  #readCursor(given, complaints) {
    const cursor = String(given["cursor"]);
    given["cursor"] = undefined;
    const after = positionOf2(cursor, this.#operation, given);
    if (after === undefined && complaints.every(({ pointer }) => pointer === "?limit")) {
      complaints.push(this.#query.reject("cursor"));
    }
    return after;
  }
}
var nothing2 = {};
function defaultsOf(fields, keyword) {
  const given = Object.entries(fields).filter(([, schema]) => schema[keyword] !== undefined);
  return Object.fromEntries(given.map(([name, schema]) => [name, schema[keyword]]));
}
function fill(values, defaults) {
  let filled;
  for (const name in defaults) {
    if (values[name] !== undefined)
      continue;
    filled ??= { ...values };
    filled[name] = defaults[name];
  }
  return filled ?? values;
}
function parametersIn2(text) {
  if (isEncoded.test(text))
    return [...new URLSearchParams(text)].flat();
  const parameters = [];
  for (let start = 0;start < text.length; ) {
    let end = text.indexOf("&", start);
    if (end < 0)
      end = text.length;
    const equals = text.indexOf("=", start);
    if (equals >= 0 && equals < end)
      parameters.push(text.slice(start, equals), text.slice(equals + 1, end));
    else if (start < end)
      parameters.push(text.slice(start, end), "");
    start = end + 1;
  }
  return parameters;
}
var isEncoded = /[%+]|[^\x21-\x7e]/;

// src/http/request/preferences.ts
function prefersStrict(header) {
  if (!header)
    return false;
  const first = elementsOf(header).find(([preference]) => preference?.name === "handling");
  return first?.[0]?.value?.toLowerCase() === "strict";
}
function waitPreferred(header) {
  if (!header)
    return 0;
  const first = elementsOf(header).find(([preference]) => preference?.name === "wait");
  const text = first?.[0]?.value ?? "";
  return /^[0-9]{1,9}$/.test(text) ? Math.min(Number(text), longestWaitSeconds) : 0;
}
var longestWaitSeconds = 30;
var strictApplied = { "Preference-Applied": "handling=strict" };

// src/http/events/formats.ts
var eventFormats = ["json", "cloudevents", "stream"];
var mediaTypes = {
  json: "application/json",
  cloudevents: "application/cloudevents-batch+json",
  stream: "text/event-stream"
};
function formatFor(accept) {
  if (accept === null)
    return "json";
  const accepted = elementsOf(accept);
  const weights = {
    json: weightOf(mediaTypes.json, accepted),
    cloudevents: Math.max(weightOf(mediaTypes.cloudevents, accepted), weightOf("application/cloudevents+json", accepted)),
    stream: weightOf(mediaTypes.stream, accepted)
  };
  return eventFormats.reduce((best, format) => weights[format] > weights[best] ? format : best);
}
function jsonOf2({ events }) {
  return `[${events.map(({ body }) => body).join(",")}]`;
}
function cloudEventsOf({ events }, source) {
  return `[${events.map(({ body }) => cloudEventOf(body, source)).join(",")}]`;
}
function cloudEventOf(body, source) {
  const { id, type, timestamp, subject, actor, request } = JSON.parse(body);
  const attributes = {
    specversion: "1.0",
    id,
    source,
    type,
    time: timestamp,
    subject,
    datacontenttype: "application/json",
    ...actor.id !== null && { actorid: actor.id },
    actorname: actor.name,
    ...request !== null && { requestid: request }
  };
  const [data, previous] = partsOf4(body);
  return `${JSON.stringify(attributes).slice(0, -1)},"data":{"current":${data},"previous":${previous}}}`;
}
function partsOf4(body) {
  const data = body.indexOf(',"data":{') + ',"data":'.length;
  const previous = body.lastIndexOf(',"previous":');
  return [body.slice(data, previous), body.slice(previous + ',"previous":'.length, -1)];
}
function messagesOf(batch) {
  let bytes = messages.get(batch);
  if (bytes === undefined) {
    bytes = encoder2.encode(batch.events.map(messageOf2).join(""));
    messages.set(batch, bytes);
  }
  return bytes;
}
var messages = new WeakMap;
var encoder2 = new TextEncoder;
function messageOf2({ position, id, type, body }) {
  return `id: ${encodeEventCursor(cursorAfter(position, id))}
event: ${type}
data: ${body}

`;
}

// src/http/events/event-stream.ts
class EventStream {
  #source;
  #wait;
  #body;
  #leave;
  #isLeaving = false;
  #sentAt = performance.now();
  constructor(wait, body, first, source) {
    this.#source = source;
    this.#wait = wait;
    this.#body = body;
    try {
      this.#leave = source.enter(this);
    } catch (error) {
      wait.finish();
      throw error;
    }
    this.#run(first);
  }
  close() {
    this.#body.leave();
    this.#wait.finish();
    this.#leave();
  }
  check() {
    return this.#source.check();
  }
  refuse(error) {
    this.#wait.refuse(error);
  }
  beat() {
    if (this.#isQuiet)
      this.#wait.wakeUp();
  }
  finish() {
    this.#isLeaving = true;
    this.#body.hurry();
    this.#wait.finish();
  }
  async#run(first) {
    try {
      await this.#send(opening);
      for (let batch = first;!this.#wait.isOver; batch = await this.#source.read(batch)) {
        if (batch.events.length > 0)
          await this.#send(messagesOf(batch));
        if (!batch.hasMore)
          await this.#untilMore();
      }
      if (this.#isLeaving)
        await this.#send(encoder3.encode(`retry: ${Math.round(500 + Math.random() * 1500)}

`));
    } catch {} finally {
      this.#body.end();
      this.close();
    }
  }
  async#untilMore() {
    await this.#wait.forMore();
    if (this.#isQuiet && !this.#wait.isOver)
      await this.#send(heartbeat);
  }
  get #isQuiet() {
    return performance.now() - this.#sentAt >= heartbeatMs;
  }
  async#send(bytes) {
    this.#sentAt = performance.now();
    await this.#body.send(bytes);
  }
}
var encoder3 = new TextEncoder;
var opening = encoder3.encode(`: events follow

`);
var heartbeat = encoder3.encode(`: still here

`);
var heartbeatMs = 1e4;

// src/http/events/shared-batches.ts
class SharedBatches {
  #batches = new Map;
  read(query, scope, read) {
    const { type, subject, limit, cursor } = query;
    const name = JSON.stringify([type, subject, limit, cursor, scope]);
    const known = this.#batches.get(name);
    if (known)
      return known;
    const batch = read();
    this.#batches.set(name, batch);
    const forget = () => {
      if (this.#batches.get(name) === batch)
        this.#batches.delete(name);
    };
    if (batch instanceof Promise)
      batch.then(forget, forget);
    else
      setImmediate(forget);
    return batch;
  }
  forget() {
    this.#batches.clear();
  }
}

// src/http/events/waiting.ts
class EventWait {
  #end;
  #isMore = false;
  #isOver = false;
  #refusal;
  #wake;
  constructor(log, onMore) {
    this.#end = log.watch(() => {
      this.#isMore = true;
      onMore();
      this.#wake?.();
    });
  }
  async forMore() {
    if (!this.#isMore && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    this.#isMore = false;
    if (this.#refusal !== undefined)
      throw this.#refusal;
  }
  get isOver() {
    return this.#isOver;
  }
  wakeUp() {
    this.#wake?.();
  }
  refuse(error) {
    this.#refusal ??= error;
    this.finish();
  }
  finish() {
    this.#isOver = true;
    this.#end();
    this.#wake?.();
  }
}

// src/http/events/feed-route.ts
function feedRoute(operation, parts) {
  const { store, clock, limits, readers, webhooks, authenticator } = parts;
  const reader = new InputReader(operation, limits.body);
  const batches = new SharedBatches;
  const read = (input, caller) => batches.read(input.query, caller.scope, () => {
    const context = {
      store,
      clock,
      caller,
      vault: noVault,
      webhooks,
      onBehalf: (call) => call()
    };
    return operation.handle(input, context);
  });
  const check = (exchange) => authenticator.authenticate(tokenOf(exchange.request.headers.get("authorization")), exchange, beatMs);
  const waitForMore = () => new EventWait(store.events, () => batches.forget());
  const readAtOnce = async (exchange, caller, input, waitMs) => {
    const first = await read(input, caller);
    if (first.events.length > 0 || waitMs === 0 || readers.isLeaving)
      return first;
    const begunAt = performance.now();
    const wait = waitForMore();
    const leave = readers.enter(caller, {
      check: () => check(exchange),
      refuse(error) {
        delete exchange.headers["Preference-Applied"];
        wait.refuse(error);
      },
      finish: () => wait.finish()
    });
    whenGone(exchange.request, () => wait.finish());
    const timer = setTimeout(() => wait.finish(), waitMs);
    try {
      for (let from = first;; ) {
        from = await read(continued(input, from), caller);
        if (from.events.length > 0 || wait.isOver)
          return from;
        await wait.forMore();
      }
    } finally {
      clearTimeout(timer);
      wait.finish();
      leave();
      exchange.idleMs += performance.now() - begunAt;
    }
  };
  const follow = async (exchange, caller, input) => {
    const { request } = exchange;
    const resumed = request.headers.get("last-event-id");
    const from = resumed ? { ...input, query: { ...input.query, cursor: resumed } } : input;
    const first = await read(from, caller);
    const body = new PacedBody({
      patienceMs: limits.readerPatienceMs,
      cutIfStalled: () => exchange.listener.cutIfStalled(request),
      onGone: () => stream.close()
    });
    const stream = new EventStream(waitForMore(), body, first, {
      read: (batch) => read(continued(input, batch), caller),
      check: () => check(exchange),
      enter: (reader) => readers.enter(caller, reader)
    });
    whenGone(request, () => stream.close());
    return { status: 200, headers: {}, shared: ofStreams, body: body.stream, bodyBytes: 0 };
  };
  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const isStrict = prefersStrict(prefer);
    const format = formatFor(request.headers.get("accept"));
    const isStream = format === "stream" && request.method === "GET";
    const waitSeconds = isStream ? 0 : waitPreferred(prefer);
    const applied = [...isStrict ? ["handling=strict"] : [], ...waitSeconds > 0 ? [`wait=${waitSeconds}`] : []];
    if (applied.length > 0)
      exchange.headers["Preference-Applied"] = applied.join(", ");
    const input = reader.read(exchange, isStrict);
    if (isStream)
      return follow(exchange, caller, input);
    return mapAwaitable(readAtOnce(exchange, caller, input, waitSeconds * 1000), (batch) => {
      const reply = replyOf(operation, parts, input, batch, format === "stream" ? "json" : format);
      return isConditional(request) ? onCondition(reply, request) : reply;
    });
  };
}
function whenGone({ signal }, call) {
  if (signal.aborted)
    call();
  else
    signal.addEventListener("abort", call);
}
function continued(input, { next }) {
  return { ...input, query: { ...input.query, cursor: encodeEventCursor(next) } };
}
function replyOf(operation, { addresses }, { given }, batch, format) {
  const body = format === "json" ? jsonOf2(batch) : cloudEventsOf(batch, addresses.base);
  const query = new URLSearchParams;
  for (const name of ["type", "subject", "limit"]) {
    if (given[name] !== undefined)
      query.set(name, String(given[name]));
  }
  query.set("cursor", encodeEventCursor(batch.next));
  const link = `<${addresses.base}${operation.path}?${query}>; rel="next"`;
  return { status: 200, shared: ofBatches[format], body, headers: { ETag: etagOf(body, link), Link: link } };
}
var ofReads2 = { "Cache-Control": "private, no-cache", Vary: "Accept" };
var ofBatches = {
  json: sharedHeaders({ ...ofReads2, "Content-Type": mediaTypes.json }),
  cloudevents: sharedHeaders({ ...ofReads2, "Content-Type": mediaTypes.cloudevents })
};
var ofStreams = sharedHeaders({
  "Cache-Control": "private, no-cache",
  "Content-Type": mediaTypes.stream,
  Vary: "Accept",
  "X-Accel-Buffering": "no"
});

// src/http/export-route.ts
init_json();
init_expectation();
function exportRoute(operation, { store, clock, webhooks, limits, addresses }) {
  const reader = new InputReader(operation, limits.body);
  const shared = sharedHeaders({
    "Cache-Control": "private, no-cache",
    "Content-Type": operation.success.mediaType ?? ""
  });
  let running = 0;
  return async (exchange, caller) => {
    const isStrict = prefersStrict(exchange.request.headers.get("prefer"));
    if (isStrict)
      Object.assign(exchange.headers, strictApplied);
    const input = reader.read(exchange, isStrict);
    if (!isExpected(exchange.request.headers.get("if-match"), ""))
      throw changedMeanwhile();
    if (running >= mostAtOnce3) {
      throw new HttpError("TooManyRequests", "Too many exports are in progress. Try again in a moment.", {
        "Retry-After": "5"
      });
    }
    const onBehalf = (call) => call();
    const exported = operation.handle(input, { store, clock, caller, vault: noVault, webhooks, onBehalf });
    const body = new PacedBody({
      patienceMs: limits.readerPatienceMs,
      cutIfStalled: () => exchange.listener.cutIfStalled(exchange.request)
    });
    const begun = Promise.withResolvers();
    running++;
    exported.run({
      begin: begun.resolve,
      take: (pets) => body.send(encoder4.encode(pets.map((pet) => `${toJson(pet)}
`).join("")))
    }).then(() => body.end()).catch((error) => {
      begun.reject(error);
      body.fail();
    }).finally(() => running--);
    exchange.request.signal.addEventListener("abort", () => body.leave());
    const end = await begun.promise;
    const cursor = encodeEventCursor(end ? cursorAfter(end.position, end.id) : beforeFirst2);
    const headers = {
      "Event-Cursor": cursor,
      Link: `<${addresses.of(listEvents, {})}?cursor=${cursor}>; rel="monitor"`
    };
    if (exchange.request.method !== "HEAD")
      return { status: 200, shared, headers, body: body.stream, bodyBytes: 0 };
    body.leave();
    return { status: 200, shared, headers, body: null };
  };
}
var encoder4 = new TextEncoder;
var mostAtOnce3 = 2;

// src/http/route.ts
function routeOf(operation, parts) {
  const answer = routeWithoutScope(operation, parts);
  const { scope } = operation;
  const announceEnd = endOf(operation, parts.addresses, parts.clock);
  return (exchange, caller) => {
    exchange.operation = operation;
    announceEnd?.(exchange);
    requireScope(caller, scope);
    return answer(exchange, caller);
  };
}
function routeWithoutScope(operation, parts) {
  if (operation.isFeed)
    return feedRoute(operation, parts);
  if (operation.isExport)
    return exportRoute(operation, parts);
  return operation.method === "GET" ? readRoute(operation, parts) : writeRoute(operation, parts);
}
function readRoute(operation, { store, clock, addresses, pageCache, sharedReads, webhooks, limits }) {
  const reader = new InputReader(operation, limits.body);
  const represent = representationOf(operation, addresses);
  const onBehalf = (call) => call();
  const read = (exchange, caller, isStrict) => {
    const input = reader.read(exchange, isStrict);
    const context = { store, clock, caller, vault: noVault, webhooks, onBehalf };
    const result = onBehalfOf(store, exchange, () => operation.handle(input, context));
    if (!(result instanceof Promise))
      return represent(input, result);
    return timed(exchange, inTime(limits, result)).then((value) => represent(input, value));
  };
  const isAlwaysStrict = operation.isStrict === true;
  const readPlainly = (exchange, caller) => read(exchange, caller, isAlwaysStrict);
  const readPage = pageStep(operation, readPlainly, pageCache, sharedReads);
  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const reply = prefer === null ? readPage(exchange, caller) : read(exchange, caller, followPreference(exchange, prefer) || isAlwaysStrict);
    return isConditional(request) ? mapAwaitable(reply, (done) => onCondition(done, request)) : reply;
  };
}
function pageStep({ paged, isCached }, read, pageCache, sharedReads) {
  if (paged && sharedReads)
    return (exchange, caller) => sharedReads.read(exchange.target, exchange, () => read(exchange, caller));
  return isCached ? (exchange, caller) => pageCache.read(exchange.target, () => read(exchange, caller)) : read;
}
function writeRoute(operation, { store, clock, addresses, authenticator, idempotency, webhooks, limits }) {
  const reader = new InputReader(operation, limits.body);
  const represent = representationOf(operation, addresses);
  const isAlwaysStrict = operation.isStrict === true;
  const perform = async (exchange, caller, input) => {
    const { request } = exchange;
    await requireNotAbandoned(request);
    const acting = store.by(originOf(exchange, caller, clock));
    const onBehalf = (call) => onBehalfOf(store, exchange, call);
    const context = { store: acting, clock, caller, vault: noVault, webhooks, onBehalf };
    const expected = isConditional(request) ? await currentState(request, operation, input, context) : undefined;
    const expecting = expected === undefined ? input : { ...input, expected };
    if (!takesIdempotencyKey(operation)) {
      return await onBehalf(() => operation.handle(expecting, context));
    }
    return await idempotency.run(acting, exchange, operation, caller, input.body, (claimed, vault) => onBehalf(() => operation.handle(expecting, { ...context, store: claimed, vault })));
  };
  return async (exchange, caller) => {
    const { request } = exchange;
    const begunAt = authenticator.stopwatch();
    const prefer = request.headers.get("prefer");
    const isStrict = prefer !== null && followPreference(exchange, prefer) || isAlwaysStrict;
    const input = await reader.readWithBody(exchange, isStrict);
    const isLate = authenticator.stopwatch() - begunAt > promptMs;
    const stillCaller = isLate ? await authenticator.authenticate(tokenOf(request.headers.get("authorization")), exchange) : caller;
    const result = await timed(exchange, inTime(limits, perform(exchange, stillCaller, input)));
    return represent(input, result);
  };
}
var promptMs = 50;
function originOf({ id }, { key, name }, clock) {
  return { actor: { id: key === "environment" ? null : key, name }, request: id, at: clock() };
}
function onBehalfOf({ attribution }, exchange, call) {
  exchange.storeAt = performance.now();
  attribution.request = exchange;
  try {
    return call();
  } finally {
    attribution.request = undefined;
  }
}
function timed(exchange, result) {
  return result.finally(() => {
    if (exchange.storeAt > 0)
      exchange.storeMs = performance.now() - exchange.storeAt;
  });
}
function followPreference(exchange, prefer) {
  if (!prefersStrict(prefer))
    return false;
  Object.assign(exchange.headers, strictApplied);
  return true;
}
async function currentState(request, { current, replaces }, input, context) {
  if (!current) {
    const ifMatch = request.headers.get("if-match");
    if (ifMatch === null || ifMatch.trim() === "*")
      return;
    throw changedMeanwhile();
  }
  const there = await current.read(input, context);
  if (!there && !replaces)
    return null;
  return expectationOf(request, there, (thing) => current.show ? current.show(thing, context) : thing);
}
function inTime({ milliseconds }, result) {
  return withDeadline(milliseconds, result, () => {
    return new ServiceError("ServiceUnavailable", "The store did not respond in time. It is not known whether the request was carried out.");
  });
}

// src/http/app.ts
class App {
  parts;
  places;
  #anonymousLimit;
  #addresses;
  #clients;
  #cors;
  #writtenPages;
  #requestMetrics;
  #readers;
  #isLeaving = false;
  constructor(parts) {
    this.parts = parts;
    const { anonymousQuota, stopwatch, clock } = parts;
    this.#anonymousLimit = anonymousQuota && new AddressLimit(anonymousQuota, stopwatch, "anonymous", "Too many requests without an API key were sent from this IP address. Wait before the next one.");
    this.#addresses = new Addresses(parts.publicPath ?? basePath, clock);
    this.#clients = new ClientAddress(parts.trustedProxies);
    this.#cors = new Cors(parts.corsOrigins);
    this.#writtenPages = new WrittenPages(parts.pages !== undefined);
    this.#requestMetrics = new RequestMetrics(parts.metrics);
    this.#readers = new EventReaders(parts.metrics, parts.mostEventReaders ?? usualMostEventReaders);
    measureReadiness(parts.metrics, parts.store);
    this.places = new Map([...this.#publicPlaces(), ...this.#metricsPlaces(), ...this.#operationPlaces()]);
  }
  leave() {
    this.#isLeaving = true;
    this.#readers.leave();
  }
  fetch(request, listener, place = this.#nowhere) {
    const exchange = new Exchange(request, listener, this.#clients);
    try {
      const reply = this.#answer(exchange, place);
      if (!(reply instanceof Promise))
        return this.#send(exchange, reply);
      return reply.then((done) => this.#send(exchange, done), (error) => this.#fail(exchange, error));
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }
  #answer(exchange, place) {
    requireSoundFraming(exchange.request);
    const preflight = this.#cors.isOn ? this.#letPagesRead(exchange) : undefined;
    return preflight ?? place(exchange);
  }
  #letPagesRead(exchange) {
    if (isUnderBase(exchange))
      this.#cors.mark(exchange);
    const preflight = this.#cors.preflight(exchange);
    if (preflight)
      this.#countAnonymous(exchange);
    return preflight;
  }
  #admit(exchange, next) {
    requireRoom(exchange);
    const token = tokenOf(exchange.request.headers.get("authorization"));
    if (!token)
      this.#countAnonymous(exchange);
    return mapAwaitable(this.parts.authenticator.authenticate(token, exchange), (caller) => {
      exchange.caller = caller;
      return mapAwaitable(this.parts.rateLimit?.count(caller, exchange.headers), () => next(caller));
    });
  }
  #send(exchange, reply, failure) {
    if (this.#isLeaving)
      Object.assign(exchange.headers, lastOfConnection);
    const isHead = exchange.request.method === "HEAD";
    if (isHead)
      exchange.headers["Date"] = new Date().toUTCString();
    const { log, tracer, tellsTiming, slowRequestMs } = this.parts;
    if (tellsTiming)
      exchange.headers["Server-Timing"] = serverTiming(exchange, performance.now() - exchange.start);
    const response = toResponse(reply, exchange);
    const elapsedMs = performance.now() - exchange.start - exchange.idleMs;
    this.#requestMetrics.record(exchange, reply.status, isHead ? 0 : bodyBytesOf(reply), elapsedMs, failure);
    if (tracer)
      traceRequest(tracer, exchange, reply.status, elapsedMs);
    logRequest(log, exchange, reply.status, elapsedMs, slowRequestMs, failure);
    return response;
  }
  #fail(exchange, error) {
    const failure = toServiceError2(error);
    Object.assign(exchange.headers, exchange.ofErrors);
    const accept = exchange.request.headers.get("accept");
    return this.#send(exchange, errorReply(failure, accept, (code) => this.#addresses.ofError(code)), failure);
  }
  *#operationPlaces() {
    const { store, clock, limits, metrics } = this.parts;
    const pageCache = new PageCache(store.freshness);
    measurePageCache(metrics, pageCache);
    const shared = {
      store,
      clock,
      addresses: this.#addresses,
      authenticator: this.parts.authenticator,
      idempotency: new Idempotency(clock),
      pageCache,
      readers: this.#readers,
      sharedReads: store.freshness ? undefined : new SharedReads,
      webhooks: this.parts.webhooks,
      limits: { body: usualBodyLimits, milliseconds: 15000, readerPatienceMs: 30000, ...limits }
    };
    for (const [path, operations] of operationsByPath(this.parts.operations)) {
      const routeFor = routeTable(operations, (operation) => routeOf(operation, shared), clock);
      const answer = (exchange) => this.#admit(exchange, (caller) => routeFor(exchange.request.method)(exchange, caller));
      yield [basePath + path, answer];
    }
  }
  *#publicPlaces() {
    const endpoints = new ServiceEndpoints(this.parts.store, this.parts, () => this.#isLeaving);
    for (const path of endpoints.paths) {
      const answer = ofPublic(({ request }) => endpoints.answer(request, path));
      yield [path, path.startsWith(basePath) ? this.#limited(answer) : answer];
    }
    for (const pages of [this.#writtenPages, this.parts.pages && new Pages(this.parts.pages)]) {
      for (const path of pages?.paths ?? []) {
        yield [path, this.#limited(ofPublic(({ request }) => pages?.answer(request, path) ?? nothingHere()))];
        if (isTyped(path))
          yield [`${path}/`, this.#limited(ofPublic((exchange) => withoutSlash(exchange, path)))];
      }
    }
  }
  *#metricsPlaces() {
    const { metrics, servesMetrics } = this.parts;
    if (!servesMetrics)
      return;
    const answer = (exchange) => {
      exchange.group = "metrics";
      return this.#admit(exchange, (caller) => {
        requireScope(caller, "read");
        requireRead(exchange.request);
        return metricsReply(metrics);
      });
    };
    yield [metricsPath, answer];
  }
  #nowhere = (exchange) => {
    const isOfInterface = isUnderBase(exchange);
    const page = isOfInterface && !isBase(exchange) ? undefined : this.#writtenPages.notFound(exchange.request);
    if (!page && isOfInterface)
      return this.#admit(exchange, nothingHere);
    this.#countAnonymous(exchange);
    if (page)
      return page;
    throw new HttpError("NotFound", `There is nothing at this path. The API is at ${basePath}.`);
  };
  #limited(place) {
    return (exchange) => {
      this.#countAnonymous(exchange);
      return place(exchange);
    };
  }
  #countAnonymous(exchange) {
    requireRoom(exchange);
    this.#anonymousLimit?.count(exchange.clientAddress());
  }
}
var usualMostEventReaders = 100;
function ofPublic(place) {
  return (exchange) => {
    exchange.group = "public";
    return place(exchange);
  };
}
function requireRoom({ listener }) {
  if (!listener.isFull())
    return;
  const message = "The service has too many requests in progress. Try again in a moment.";
  throw new HttpError("ServiceUnavailable", message, lastOfConnection);
}
function isBase({ path }) {
  return path === basePath || path === `${basePath}/`;
}
function isUnderBase({ path }) {
  return path === basePath || path.startsWith(`${basePath}/`);
}
function nothingHere() {
  throw new HttpError("NotFound", "There is nothing at this path.");
}

// src/http/server.ts
import { readdirSync as readdirSync2 } from "fs";
function listen(app, { host, port, mostConnections = Number.POSITIVE_INFINITY, certificate, log }) {
  const servers = [];
  const pendingRequests = () => servers.reduce((sum, server) => sum + server.pendingRequests, 0);
  const openBefore = openFiles();
  const first = open2(app, mostConnections, host, certificate ? freePort(host, port) : port, certificate);
  servers.push(first);
  app.parts.metrics.watch("gauge", "requests_in_flight", "Requests that are being answered.", pendingRequests);
  const timer = setInterval(() => {
    const open = openFiles() - openBefore;
    if (open <= mostConnections)
      return;
    log.write("warn", "too many connections are open, and the idle ones were closed", {
      open,
      closed: servers.reduce((sum, server) => sum + server.closeIdleConnections(), 0)
    });
  }, countEveryMs2);
  return {
    url: first.url,
    renewCertificate(renewed) {
      const old = servers.at(-1);
      servers.push(open2(app, mostConnections, host, first.port ?? port, renewed));
      old?.stop().then(() => servers.splice(servers.indexOf(old), 1));
    },
    async stop(limitMilliseconds) {
      clearInterval(timer);
      for (const server of servers)
        server.stop();
      const end = performance.now() + limitMilliseconds;
      while (pendingRequests() > 0 && performance.now() < end)
        await Bun.sleep(5);
      await Promise.all(servers.map((server) => server.stop(true)));
    }
  };
}
function open2(app, mostConnections, host, port, certificate) {
  const listener = {
    peerOf: (request) => server.requestIP(request)?.address ?? "",
    isFull: () => server.pendingRequests > mostConnections,
    cutIfStalled: (request) => server.timeout(request, 1)
  };
  const server = Bun.serve({
    hostname: host,
    port,
    ...certificate ? { tls: { cert: certificate.cert, key: certificate.key } } : {},
    development: false,
    reusePort: certificate !== undefined,
    idleTimeout: 75,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    routes: Object.fromEntries([...app.places].map(([path, place]) => [path, (request) => app.fetch(request, listener, place)])),
    fetch: (request) => app.fetch(request, listener)
  });
  return server;
}
function freePort(host, port) {
  const server = Bun.serve({ hostname: host, port, reusePort: false, fetch: () => new Response });
  server.stop(true);
  return server.port ?? port;
}
var countEveryMs2 = 1000;
function openFiles() {
  try {
    return readdirSync2("/dev/fd").length;
  } catch (error) {
    return error.code === "EMFILE" ? Number.MAX_SAFE_INTEGER : 0;
  }
}

// src/metrics/process-metrics.ts
init_registry();
function measureProcess(metrics, build) {
  const startedAt = Date.now() / 1000 - process.uptime();
  metrics.watch("gauge", "build_info", "Which program this is, in its labels.", () => [[build, 1]]);
  metrics.watch("gauge", "process_start_time_seconds", "When the process was started, since 1970.", () => startedAt);
  metrics.watch("counter", "process_cpu_seconds_total", "Processor time that the process has used.", () => {
    const { user, system } = process.cpuUsage();
    return [
      [{ mode: "user" }, user / microsecondsPerSecond],
      [{ mode: "system" }, system / microsecondsPerSecond]
    ];
  });
  metrics.watch("gauge", "process_resident_memory_bytes", "Memory of the machine that the process has.", () => process.memoryUsage.rss());
  metrics.watch("gauge", "process_heap_bytes", "Memory that the objects of the program take.", () => {
    return process.memoryUsage().heapUsed;
  });
  return measureEventLoop(metrics);
}
function measureEventLoop(metrics) {
  const help = "How late a timer of the event loop came, which is asked ten times a second.";
  const delay = metrics.histogram("event_loop_delay_seconds", help, durationBounds).with();
  let due = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + sampleEveryMs;
  }, sampleEveryMs);
  return () => clearInterval(timer);
}
var sampleEveryMs = 100;
var microsecondsPerSecond = 1e6;

// src/webhooks/webhook-engine.ts
init_errors();
init_webhook();
import { randomUUID } from "crypto";
import { isIP as isIP4 } from "net";

// src/webhooks/address-guard.ts
import { BlockList as BlockList2, isIP as isIP2 } from "net";

class AddressGuard {
  #named = new BlockList2;
  hasNamed;
  constructor(networks) {
    for (const network of networks)
      add(this.#named, network);
    this.hasNamed = networks.length > 0;
  }
  isNamed(address) {
    return isIn(this.#named, address);
  }
  isAllowed(address) {
    if (this.isNamed(address))
      return true;
    const family = isIP2(address);
    if (family === 4)
      return !isIn(notPublic, address);
    return family === 6 && isIn(publicVersion6, address) && !isIn(notPublic, address);
  }
}
var notPublic = listOf2("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");
var publicVersion6 = listOf2("2000::/3");
function listOf2(...networks) {
  const list = new BlockList2;
  for (const network of networks)
    add(list, network);
  return list;
}
function add(list, network) {
  const [address = "", length] = network.split("/");
  const family = familyOf2(address);
  list.addSubnet(address, Number(length ?? (family === "ipv4" ? 32 : 128)), family);
}
function isIn(list, address) {
  return isIP2(address) !== 0 && !address.includes("%") && list.check(address, familyOf2(address));
}
function familyOf2(address) {
  return isIP2(address) === 6 ? "ipv6" : "ipv4";
}

// src/webhooks/sender.ts
import { lookup as lookup3 } from "dns/promises";
import { request as requestHttp } from "http";
import { request as requestHttps } from "https";
import { isIP as isIP3 } from "net";

// src/webhooks/signature.ts
init_webhook();
import { createHmac } from "crypto";
function signedHeaders(secrets, eventId, at, body) {
  const timestamp = String(Math.floor(at / 1000));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, `${eventId}.${timestamp}.${body}`)).join(" ")
  };
}
function signature(secret, content) {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

// src/webhooks/sender.ts
class Sender {
  #parts;
  constructor(parts) {
    this.#parts = parts;
  }
  async send(url, secrets, event, limitMs, signal) {
    const { stopwatch } = this.#parts;
    const startedAt = stopwatch();
    const limit = new Limit(limitMs, signal);
    try {
      const answer = await this.#attempt(new URL(url), secrets, event, limit);
      return { ...answer, durationMs: Math.max(0, Math.round(stopwatch() - startedAt)) };
    } catch (error) {
      signal?.throwIfAborted();
      const text = limit.isOver ? `The receiver did not answer within ${limitMs / 1000} seconds.` : explain(error);
      const durationMs = Math.max(0, Math.round(stopwatch() - startedAt));
      return { isDelivered: false, isGone: false, status: null, error: text, durationMs, retryAfterMs: 0 };
    } finally {
      limit.end();
    }
  }
  async#attempt(url, secrets, { id, body }, limit) {
    const { clock, ca } = this.#parts;
    const address = await limit.within(this.#checkedAddress(url));
    const bytes = Buffer.from(body);
    const options = {
      method: "POST",
      host: hostOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      agent: false,
      lookup: pinned(address),
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "animal-store",
        ...signedHeaders(secrets, id, clock(), body)
      }
    };
    const request = url.protocol === "https:" ? requestHttps({ ...options, ...ca && { ca } }) : requestHttp(options);
    let answer;
    const judged = (status, retryAfter) => {
      answer = judge3(status, retryAfter, clock());
      return answer;
    };
    try {
      return await limit.within(exchange(request, bytes, judged), () => request.destroy());
    } catch (error) {
      if (answer)
        return answer;
      throw error;
    }
  }
  async#checkedAddress(url) {
    const { guard, resolve = resolveBySystem } = this.#parts;
    const host = hostOf(url);
    const addresses = isIP3(host) ? [host] : await resolve(host);
    const refused = addresses.find((address) => !guard.isAllowed(address));
    if (refused !== undefined) {
      throw new Refusal(`${host} has the address ${refused}, to which webhooks are not sent.`);
    }
    const [address] = addresses.toSorted((one, other) => isIP3(one) - isIP3(other));
    if (address === undefined)
      throw new Refusal(`${host} has no address.`);
    if (url.protocol !== "https:" && !guard.isNamed(address)) {
      throw new Refusal(`${host} must be sent to by https.`);
    }
    return address;
  }
}

class Refusal extends Error {
}

class Limit {
  #end = Promise.withResolvers();
  #timer;
  #signal;
  isOver = false;
  constructor(limitMs, signal) {
    this.#end.promise.catch(() => {});
    this.#signal = signal;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#end.reject(new Error("too late"));
    }, limitMs);
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted)
      this.#abort();
  }
  async within(work, giveUp = () => {}) {
    work.catch(() => {});
    try {
      return await Promise.race([work, this.#end.promise]);
    } catch (error) {
      giveUp();
      throw error;
    }
  }
  end() {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
  }
  #abort = () => this.#end.reject(new Error("aborted"));
}
async function resolveBySystem(host) {
  return (await lookup3(host, { all: true, order: "verbatim" })).map(({ address }) => address);
}
function hostOf({ hostname }) {
  return hostname.replace(/^\[|\]$/g, "");
}
function pinned(address) {
  const family = isIP3(address);
  return (_host, options, callback) => {
    if (options.all)
      callback(null, [{ address, family }]);
    else
      callback(null, address, family);
  };
}
function exchange(request, body, judged) {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const outcome = judged(response.statusCode ?? 0, response.headers["retry-after"]);
      let received = 0;
      response.on("data", (chunk) => {
        received += chunk.length;
        if (received < mostAnswerBytes)
          return;
        request.destroy();
        resolve(outcome);
      });
      response.on("end", () => resolve(outcome));
      response.on("close", () => resolve(outcome));
      response.on("error", () => resolve(outcome));
    });
    request.end(body);
  });
}
var mostAnswerBytes = 4096;
function judge3(status, retryAfter, now) {
  const isDelivered = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? `The receiver answered with ${status}, a redirect, which is not followed.` : `The receiver answered with ${status}.`;
  return {
    isDelivered,
    isGone: status === 410,
    status,
    error: isDelivered ? null : error,
    retryAfterMs: isDelivered ? 0 : retryAfterOf(retryAfter, now)
  };
}
function retryAfterOf(text, now) {
  if (text === undefined)
    return 0;
  if (/^[0-9]{1,9}$/.test(text))
    return Number(text) * 1000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? 0 : Math.max(0, until - now);
}
function explain(error) {
  if (error instanceof Refusal)
    return error.message;
  const { code = "", message } = error;
  const known = reasons[code];
  return known ?? `The receiver could not be reached: ${message}`.slice(0, longestError);
}
var reasons = {
  ECONNREFUSED: "The receiver refused the connection.",
  ECONNRESET: "The receiver closed the connection before it answered.",
  ENOTFOUND: "The host of the receiver has no address.",
  EAI_AGAIN: "The host of the receiver could not be looked up."
};
var longestError = 300;

// src/webhooks/webhook-metrics.ts
init_registry();

class WebhookMetrics {
  #durations;
  constructor(metrics, events, workers) {
    this.#durations = metrics.histogram("webhook_delivery_duration_seconds", "How long attempts to deliver an event to a webhook took, by what came of them.", durationBounds, ["outcome"]);
    for (const outcome of outcomes)
      this.#durations.with(outcome);
    metrics.watch("gauge", "webhook_parked_events", "Events that wait to be sent to a webhook again.", () => workers().reduce((sum, { parkedCount }) => sum + parkedCount, 0));
    let newest = 0;
    metrics.prepare(async () => {
      if (workers().length > 0)
        newest = await readNewest(events) ?? newest;
    });
    metrics.watch("gauge", "webhook_lag_events", "How far the webhook that is furthest behind is from the end of the log.", () => Math.max(0, ...workers().map(({ position }) => newest - position)));
  }
  attempted({ isDelivered, status, durationMs }) {
    const outcome = isDelivered ? "delivered" : status === null ? "unreachable" : "refused";
    this.#durations.with(outcome).observe(durationMs / 1000);
  }
}
var outcomes = ["delivered", "refused", "unreachable"];
async function readNewest(events) {
  try {
    return (await events.ends())?.newest.position;
  } catch {
    return;
  }
}

// src/webhooks/retries.ts
var delaysMs = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"].map((text) => {
  const units = { s: 1000, m: 60000, h: 3600000 };
  return Number.parseInt(text, 10) * (units[text.at(-1) ?? ""] ?? 0);
});
var longestRetryAfterMs = 24 * 3600000;
function retryDelayMs(failures, retryAfterMs) {
  const usual = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0;
  const spread = usual * (0.9 + Math.random() * 0.2);
  return Math.round(Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs)));
}

// src/webhooks/webhook-worker.ts
class WebhookWorker {
  #webhook;
  #secrets;
  #parts;
  #filter;
  #end = new AbortController;
  #parked;
  #ahead = [];
  #subjectsUnderWay = new Set;
  #underWay = new Set;
  #retriesUnderWay = 0;
  #readTo;
  #saved;
  #mayHaveMore = true;
  #reading;
  #saving;
  #isStopping = false;
  #news;
  #failingSince;
  #ticksSinceSaved = 0;
  #hasFailedToSave = false;
  constructor(webhook, secrets, parked, parts) {
    this.#webhook = webhook;
    this.#secrets = secrets;
    this.#parts = parts;
    this.#filter = { types: webhook.types === "" ? undefined : webhook.types.split(",") };
    this.#parked = new Parking(parked);
    this.#readTo = { position: webhook.position, id: webhook.eventId };
    this.#saved = webhook.position;
    this.#failingSince = webhook.failingSince;
    this.#news = noNews();
  }
  get revision() {
    return this.#webhook.revision;
  }
  get parkedCount() {
    return this.#parked.size;
  }
  get position() {
    const [first] = this.#ahead;
    return first ? first.event.position - 1 : this.#readTo.position;
  }
  get hasEnded() {
    return this.#end.signal.aborted;
  }
  async begin() {
    const { position, eventId } = this.#webhook;
    const { events } = this.#parts.store;
    const found = position === 0 ? "" : await events.idAt(position);
    if (found === undefined && await this.#isRemoved(position))
      await this.#checkForGap(position);
    else if (found !== eventId)
      await this.#disable("history");
    if (!this.hasEnded)
      this.wake();
  }
  moreEvents() {
    this.#mayHaveMore = true;
    this.wake();
  }
  tick() {
    this.#ticksSinceSaved++;
    this.wake();
  }
  wake() {
    if (this.hasEnded || this.#isStopping)
      return;
    if (this.#parts.hasLease()) {
      this.#retry();
      this.#sendAhead();
      this.#readSoon();
    }
    this.#saveSoon();
  }
  abort() {
    this.#end.abort();
  }
  async stop(graceMs) {
    this.#isStopping = true;
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, graceMs);
    await Promise.race([Promise.all(this.#underWay), promise]);
    clearTimeout(timer);
    await this.#saving;
    if (!this.hasEnded)
      await this.#save();
    this.abort();
  }
  #retry() {
    const now = this.#parts.clock();
    for (const parked of this.#parked.heads()) {
      if (this.#retriesUnderWay >= mostRetriesUnderWay || this.#underWay.size >= mostUnderWay)
        return;
      if (parked.nextAt > now || this.#subjectsUnderWay.has(parked.subject))
        continue;
      this.#retriesUnderWay++;
      this.#run(parked.subject, async () => {
        try {
          const event = await this.#eventAt(parked.position);
          if (event)
            await this.#deliver(event, parked.attempts);
        } finally {
          this.#retriesUnderWay--;
        }
      });
    }
  }
  #sendAhead() {
    const before = new Set;
    for (const ahead of this.#ahead) {
      const { event, state } = ahead;
      const { subject } = event;
      if (state !== "waiting")
        continue;
      if (this.#parked.has(subject) && !before.has(subject)) {
        if (this.#parked.size < mostParked) {
          this.#park({ position: event.position, subject, attempts: 0, nextAt: this.#parts.clock() });
          ahead.state = "done";
        }
      } else if (!before.has(subject) && !this.#subjectsUnderWay.has(subject) && this.#underWay.size < mostUnderWay) {
        ahead.state = "under way";
        this.#run(subject, async () => {
          try {
            await this.#deliver(event, 0);
            ahead.state = "done";
          } finally {
            if (ahead.state !== "done")
              ahead.state = "waiting";
          }
        });
      }
      before.add(subject);
    }
    this.#ahead = this.#withoutFinished();
  }
  #withoutFinished() {
    const first = this.#ahead.findIndex(({ state }) => state !== "done");
    const finished = this.#ahead.slice(0, first === -1 ? undefined : first);
    const last = finished.at(-1)?.event;
    if (first === -1)
      this.#news.reached = this.#readTo;
    else if (last)
      this.#news.reached = { position: last.position, id: last.id };
    return this.#ahead.slice(finished.length);
  }
  #run(subject, work) {
    this.#subjectsUnderWay.add(subject);
    const running = work().catch((error) => this.#complain(error)).finally(() => {
      this.#underWay.delete(running);
      this.#subjectsUnderWay.delete(subject);
      this.#ahead = this.#withoutFinished();
      this.wake();
    });
    this.#underWay.add(running);
  }
  async#deliver(event, failedBefore) {
    const { sender, clock, answerMs, metrics } = this.#parts;
    const at = clock();
    const attempt = await sender.send(this.#webhook.url, this.#secretsAt(at), event, answerMs, this.#end.signal);
    metrics.attempted(attempt);
    const nextAt = attempt.isDelivered ? null : clock() + retryDelayMs(failedBefore + 1, attempt.retryAfterMs);
    this.#news.deliveries.push(deliveryOf(event, failedBefore + 1, at, attempt, nextAt));
    if (nextAt === null)
      this.#succeeded(event);
    else
      this.#failed(event, failedBefore + 1, nextAt, attempt);
  }
  #secretsAt(now) {
    const { retiresAt } = this.#webhook;
    return retiresAt !== null && now < retiresAt ? this.#secrets : this.#secrets.slice(0, 1);
  }
  #succeeded({ position }) {
    const now = this.#parts.clock();
    if (this.#parked.remove(position)) {
      this.#news.parked.delete(position);
      this.#news.unparked.add(position);
    }
    const wasDown = this.#failingSince !== null && now - this.#failingSince >= outageMs;
    this.#failingSince = null;
    if (wasDown)
      for (const parked of [...this.#parked.heads()])
        this.#park({ ...parked, nextAt: now });
  }
  #failed({ position, subject }, attempts, nextAt, { isGone }) {
    const now = this.#parts.clock();
    this.#failingSince ??= now;
    this.#park({ position, subject, attempts, nextAt });
    if (isGone)
      this.#news.disabled = { reason: "gone", at: now };
    else if (now - this.#failingSince >= longestFailingMs)
      this.#news.disabled = { reason: "failures", at: now };
  }
  #park(parked) {
    this.#parked.put(parked);
    this.#news.unparked.delete(parked.position);
    this.#news.parked.set(parked.position, parked);
  }
  async#eventAt(position) {
    const { events } = await this.#parts.store.events.read({}, position - 1, 1);
    const [event] = events;
    if (event?.position === position)
      return event;
    if (await this.#isRemoved(position))
      await this.#disable("retention");
    return;
  }
  #readSoon() {
    const room = mostAhead - this.#ahead.length;
    if (!this.#mayHaveMore || this.#reading || room <= 0 || this.#parked.size >= mostParked)
      return;
    this.#reading = this.#read(room).catch((error) => {
      this.#mayHaveMore = true;
      this.#complain(error);
    }).finally(() => {
      this.#reading = undefined;
      if (this.#ahead.length > 0 || this.#news.reached)
        this.wake();
    });
  }
  async#read(room) {
    const { store } = this.#parts;
    this.#mayHaveMore = false;
    const { position } = this.#readTo;
    const { events, end } = await store.events.read(this.#filter, position, room);
    await this.#checkForGap(position);
    if (this.hasEnded)
      return;
    const last = events.at(-1);
    const isAll = events.length < room;
    this.#mayHaveMore ||= !isAll;
    for (const event of events)
      this.#ahead.push({ event, state: "waiting" });
    const reached = isAll && end && end.position > (last?.position ?? position) ? end : last;
    if (reached)
      this.#readTo = { position: reached.position, id: reached.id };
    this.#ahead = this.#withoutFinished();
  }
  async#checkForGap(position) {
    const ends = await this.#parts.store.events.ends();
    if (ends && ends.oldest.position > position + 1)
      await this.#disable("retention");
  }
  async#isRemoved(position) {
    const ends = await this.#parts.store.events.ends();
    return ends !== undefined && ends.oldest.position > position;
  }
  async#disable(reason) {
    this.#news.disabled = { reason, at: this.#parts.clock() };
    await this.#saving;
    await this.#save();
  }
  #saveSoon() {
    const { parked, unparked, deliveries, disabled, reached } = this.#news;
    const hasOutcome = parked.size > 0 || unparked.size > 0 || deliveries.length > 0 || disabled !== undefined;
    const hasMoved = (reached?.position ?? this.#saved) !== this.#saved;
    if (!hasOutcome && !(hasMoved && this.#ticksSinceSaved >= ticksUntilSaved))
      return;
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
      if (this.#news.deliveries.length > 0 && !this.#hasFailedToSave)
        this.wake();
    });
  }
  async#save() {
    const news = this.#news;
    const { store, owner, note } = this.#parts;
    const { id, revision } = this.#webhook;
    this.#news = noNews();
    try {
      const isOurs = await store.webhooks.record({ id, owner, revision }, progressOf(news, this.#failingSince));
      this.#hasFailedToSave = false;
      this.#saved = news.reached?.position ?? this.#saved;
      this.#ticksSinceSaved = 0;
      if (!isOurs || news.disabled)
        this.abort();
      if (isOurs && news.disabled)
        note("warn", "a webhook was disabled", { webhook: id, reason: news.disabled.reason });
    } catch (error) {
      this.#news = merged(news, this.#news);
      this.#hasFailedToSave = true;
      this.#complain(error);
    }
  }
  #complain(error) {
    if (this.hasEnded)
      return;
    this.#parts.note("warn", "a webhook could not go on, and will be tried again", {
      webhook: this.#webhook.id,
      cause: String(error)
    });
  }
}
var mostUnderWay = 8;
var mostRetriesUnderWay = 4;
var mostAhead = 100;
var mostParked = 1000;
var outageMs = 5 * 60000;
var longestFailingMs = 5 * 24 * 3600000;
var ticksUntilSaved = 5;

class Parking {
  #bySubject = new Map;
  #subjects = new Map;
  constructor(parked) {
    for (const one of parked)
      this.put(one);
  }
  get size() {
    return this.#subjects.size;
  }
  has(subject) {
    return this.#bySubject.has(subject);
  }
  *heads() {
    for (const [first] of this.#bySubject.values())
      if (first)
        yield first;
  }
  put(parked) {
    const { position, subject } = parked;
    const others = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    this.#subjects.set(position, subject);
    this.#bySubject.set(subject, [...others, parked].sort((one, other) => one.position - other.position));
  }
  remove(position) {
    const subject = this.#subjects.get(position);
    if (subject === undefined)
      return false;
    this.#subjects.delete(position);
    const left = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    if (left.length === 0)
      this.#bySubject.delete(subject);
    else
      this.#bySubject.set(subject, left);
    return true;
  }
}
function noNews() {
  return { reached: undefined, parked: new Map, unparked: new Set, deliveries: [], disabled: undefined };
}
function merged(old, { reached, parked, unparked, deliveries, disabled }) {
  for (const position of unparked)
    old.parked.delete(position);
  for (const position of parked.keys())
    old.unparked.delete(position);
  return {
    reached: reached ?? old.reached,
    parked: new Map([...old.parked, ...parked]),
    unparked: new Set([...old.unparked, ...unparked]),
    deliveries: [...old.deliveries, ...deliveries].slice(-mostUnsavedDeliveries),
    disabled: disabled ?? old.disabled
  };
}
var mostUnsavedDeliveries = 1000;
function progressOf({ reached, parked, unparked, deliveries, disabled }, failingSince) {
  return { reached, parked: [...parked.values()], unparked: [...unparked], deliveries, failingSince, disabled };
}
function deliveryOf({ position, id, type, subject }, attempt, at, { isDelivered, status, error, durationMs }, nextAt) {
  const outcome = isDelivered ? "delivered" : "failed";
  return { position, eventId: id, type, subject, attempt, at, outcome, status, error, durationMs, nextAt };
}

// src/webhooks/webhook-engine.ts
class WebhookEngine {
  #parts;
  #guard;
  #sender;
  #box;
  #metrics;
  #owner = randomUUID();
  #workers = new Map;
  #unreadable = new Set;
  #timer;
  #endWatch;
  #leasing;
  #isAskedAgain = false;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #ticks = 0;
  #isClosed = false;
  #hasFailed = false;
  constructor(parts) {
    const { clock, stopwatch, resolve, ca, key, allowedNetworks = [], metrics } = parts;
    this.#parts = parts;
    this.#guard = new AddressGuard(allowedNetworks);
    this.#sender = new Sender({ guard: this.#guard, clock, stopwatch, resolve, ca });
    this.#metrics = new WebhookMetrics(metrics, parts.store.events, () => [...this.#workers.values()]);
    this.#box = key && new SecretBox(key);
  }
  start() {
    if (!this.#box)
      return;
    this.#timer = setInterval(() => this.#tick(), this.#parts.tickMs ?? usualTickMs);
    this.changed();
  }
  async seal(secret) {
    return await this.#requireBox().seal(secret);
  }
  requireUrl(text) {
    const complain = (problem) => new ServiceError("BadRequest", `url ${problem}`);
    const url = URL.parse(text);
    if (!url)
      throw complain("must be a URL such as https://shop.example/hooks.");
    const { protocol, hostname, username, password, hash } = url;
    if (protocol !== "https:" && !(protocol === "http:" && this.#guard.hasNamed)) {
      throw complain("must begin with https://.");
    }
    if (username || password || hash)
      throw complain("must not contain a user, a password or a fragment.");
    const host = hostname.replace(/^\[|\]$/g, "");
    if (isIP4(host) && !this.#guard.isAllowed(host))
      throw complain(`must not lead to ${host}, which is not a public address.`);
  }
  async test(webhook, eventId, begin) {
    const { store, clock } = this.#parts;
    const secrets = await this.#open(await store.webhooks.secrets(webhook.id));
    const now = clock();
    const begun = await begin(testDelivery(webhook, eventId, now));
    if (begun.eventId !== eventId)
      return await store.webhooks.delivery(begun.id) ?? begun;
    const current = webhook.retiresAt !== null && now < webhook.retiresAt ? secrets : secrets.slice(0, 1);
    const body = testEventBody(webhook, begun);
    const attempt = await this.#sender.send(webhook.url, current, { id: eventId, body }, this.#testAnswerMs);
    this.#metrics.attempted(attempt);
    const { isDelivered, status, error, durationMs } = attempt;
    const ended = { ...begun, outcome: isDelivered ? "delivered" : "failed", status, error, durationMs };
    return await store.webhooks.endDelivery(begun.id, ended) ?? { ...begun, ...ended };
  }
  changed() {
    if (!this.#box || this.#isClosed)
      return;
    if (this.#leasing) {
      this.#isAskedAgain = true;
      return;
    }
    this.#leasing = this.#lease().catch((error) => this.#complain(error)).finally(() => {
      this.#leasing = undefined;
      if (!this.#isAskedAgain)
        return;
      this.#isAskedAgain = false;
      this.changed();
    });
  }
  async close() {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#endWatch?.();
    await this.#leasing;
    const had = this.#workers.size > 0;
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(graceMs)));
    this.#workers.clear();
    if (had)
      await this.#parts.store.webhooks.release(this.#owner).catch(() => {});
  }
  #tick() {
    this.#ticks++;
    if (this.#ticks % ticksUntilReadAgain === 0)
      this.#unreadable.clear();
    if (this.#ticks % ticksPerLease === 0)
      this.changed();
    for (const worker of this.#workers.values())
      worker.tick();
  }
  async#lease() {
    const { store, clock, stopwatch } = this.#parts;
    const askedAt = stopwatch();
    const now = clock();
    const leased = await store.webhooks.lease(this.#owner, now, now + leaseMs, [...this.#unreadable]);
    this.#leasedAt = askedAt;
    this.#hasFailed = false;
    const ids = new Set(leased.map(({ id }) => id));
    for (const [id, worker] of this.#workers) {
      if (ids.has(id))
        continue;
      worker.abort();
      this.#workers.delete(id);
    }
    for (const webhook of leased)
      if (!this.#isClosed && !this.#unreadable.has(webhook.id))
        await this.#workFor(webhook);
    this.#watch();
  }
  async#workFor(webhook) {
    const { store, clock, stopwatch, note, answerMs = usualAnswerMs } = this.#parts;
    const old = this.#workers.get(webhook.id);
    if (old && !old.hasEnded && old.revision === webhook.revision)
      return;
    old?.abort();
    this.#workers.delete(webhook.id);
    const secrets = await this.#open(webhook).catch(() => {
      return;
    });
    if (!secrets) {
      this.#unreadable.add(webhook.id);
      note("error", "the secret of a webhook was sealed with another key, so that nothing is delivered to it", {
        webhook: webhook.id
      });
      return;
    }
    const worker = new WebhookWorker(webhook, secrets, await store.webhooks.parked(webhook.id), {
      store,
      sender: this.#sender,
      clock,
      stopwatch,
      metrics: this.#metrics,
      note,
      owner: this.#owner,
      answerMs,
      hasLease: () => stopwatch() - this.#leasedAt < leaseMs
    });
    this.#workers.set(webhook.id, worker);
    await worker.begin();
  }
  async#open(sealed) {
    const box = this.#requireBox();
    const texts = [sealed?.secret, sealed?.previousSecret].filter((text) => typeof text === "string");
    const [secret, ...previous] = await Promise.all(texts.map((text) => box.open(text)));
    if (secret === undefined) {
      throw new ServiceError("Conflict", "The secret of this webhook was sealed with another ANIMAL_STORE_WEBHOOK_KEY. Ask the operator of the store to set that one, or rotate the secret.");
    }
    return [secret, ...previous.filter((text) => text !== undefined)];
  }
  #requireBox() {
    if (this.#box)
      return this.#box;
    throw new ServiceError("Conflict", "Webhooks are not set up: the service has no key for their secrets. Ask the operator of the store to set ANIMAL_STORE_WEBHOOK_KEY.");
  }
  #watch() {
    if (this.#workers.size === 0) {
      this.#endWatch?.();
      this.#endWatch = undefined;
    } else if (!this.#isClosed) {
      this.#endWatch ??= this.#parts.store.events.watch(() => {
        for (const worker of this.#workers.values())
          worker.moreEvents();
      });
    }
  }
  get #testAnswerMs() {
    return Math.min(this.#parts.answerMs ?? usualAnswerMs, longestTestMs);
  }
  #complain(error) {
    if (!this.#hasFailed)
      this.#parts.note("warn", "webhooks could not be looked at", { cause: String(error) });
    this.#hasFailed = true;
  }
}
var usualTickMs = 1000;
var ticksPerLease = 3;
var ticksUntilReadAgain = 300;
var leaseMs = 1e4;
var usualAnswerMs = 15000;
var longestTestMs = 1e4;
var graceMs = 2000;

// src/cli/service.ts
class Service {
  #parts;
  #clock;
  #authenticator;
  #rateLimit;
  #webhooks;
  #app;
  #server;
  #endMeasuring;
  #timers;
  #tidying;
  #stopping;
  constructor(parts) {
    const {
      store,
      stopwatch,
      host,
      port,
      environmentKey,
      mostWrongKeys,
      mostConnections,
      certificate,
      log,
      metrics,
      tidyEveryMs = usualTidyEveryMs
    } = parts;
    this.#parts = parts;
    const clock = parts.clock ?? store.clock;
    this.#clock = clock;
    this.#authenticator = new Authenticator(store.keys, clock, stopwatch, environmentKey, mostWrongKeys);
    this.#rateLimit = parts.quota && rateLimitOf(parts.quota, store, clock, stopwatch);
    const authenticator = this.#authenticator;
    const note = (level, message, fields) => log.write(level, message, fields);
    this.#webhooks = new WebhookEngine({ ...parts.webhooks, store, clock, stopwatch, metrics, note });
    const [rateLimit, webhooks] = [this.#rateLimit, this.#webhooks];
    this.#app = new App({ ...parts, clock, operations, describe: describe4, authenticator, rateLimit, webhooks });
    this.#server = listen(this.#app, { host, port, mostConnections, certificate, log });
    this.#webhooks.start();
    this.#endMeasuring = measureProcess(metrics, { version: version3, bun: process.versions.bun });
    this.#timers = [
      setInterval(() => this.recordUses(), recordUsesEveryMs),
      setInterval(() => this.tidy(), tidyEveryMs)
    ];
  }
  get url() {
    return this.#server.url;
  }
  renewCertificate(certificate) {
    this.#server.renewCertificate(certificate);
  }
  stop(limitMilliseconds, delayMilliseconds = 0) {
    this.#stopping ??= this.#stop(limitMilliseconds, delayMilliseconds);
    return this.#stopping;
  }
  async#stop(limitMilliseconds, delayMilliseconds) {
    this.#app.leave();
    if (delayMilliseconds > 0)
      await setTimeout4(delayMilliseconds);
    const delivered = this.#webhooks.close();
    await this.#server.stop(limitMilliseconds);
    await delivered;
    for (const timer of this.#timers)
      clearInterval(timer);
    this.#endMeasuring();
    await withDeadline(longestCloseMs3, this.#close(), () => new Error("the store could not be closed in time"));
  }
  async#close() {
    await this.recordUses();
    await this.#rateLimit?.close();
    await this.#tidying;
    await this.#parts.store.close();
  }
  recordUses() {
    return this.#try("the times when keys were last used could not be saved", () => this.#authenticator.recordUses());
  }
  async tidy() {
    const { store } = this.#parts;
    this.#tidying ??= this.#try("expired data could not be removed", () => store.tidy(this.#clock()));
    await this.#tidying;
    this.#tidying = undefined;
  }
  async#try(complaint, work) {
    try {
      await work();
    } catch (error) {
      this.#parts.log.write("warn", complaint, { cause: describeCause(error) });
    }
  }
}
function rateLimitOf(quota, { quotas }, clock, stopwatch) {
  return quotas ? new SharedRateLimit(quota, quotas, clock) : new OwnRateLimit(quota, stopwatch);
}
var describe4 = (operations, addresses, format) => documentText(openApiDocument(operations, addresses), format);
var recordUsesEveryMs = 1e4;
var usualTidyEveryMs = 1e4;
var longestCloseMs3 = 7000;

// src/cli/welcome.ts
function readyNotice(url, hasPages) {
  const address = reachable(url);
  const ready = `animal-store is ready: the API is at ${address}${basePath}, its OpenAPI document at ${address}${basePath}/openapi.json`;
  return hasPages ? `${ready}
Open ${address} in a browser to work with the store.` : ready;
}
function firstKeyNotice(key, url, hasPages) {
  const pets = `${reachable(url)}${basePath}/pets`;
  return `
  This store had no API key yet, so one was created, with the scope admin.
  It is shown only once: keep it somewhere safe.

    ${key}

  ${hasPages ? "Sign in with it, or add an animal from here" : "Add an animal with it"}:

    curl ${pets} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -H 'Idempotency-Key: first-animal' -d '{"name": "Rex", "categoryId": 7}'

  List the animals:

    curl ${pets} -H 'Authorization: Bearer ${key}'
`;
}
function reachable(url) {
  const host = url.hostname === "0.0.0.0" || url.hostname === "[::]" ? "localhost" : url.hostname;
  return `${url.protocol}//${host}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

// src/cli/serve.ts
var serveCommand = {
  name: "serve",
  usage: "serve [settings]",
  summary: "Start the service.",
  settings: serveSettings,
  async run(args) {
    const given = readSettings(serveSettings, args);
    const { host, port, database, replicas, poolSize, drainDelay, apiKey, publicUrl, stagingUrl, logLevel } = given;
    if (given.metricsHost !== undefined && given.metricsPort === undefined) {
      throw new SettingsError(["--metrics-host goes with --metrics-port, which was not given."]);
    }
    const tlsFiles = certificateFiles(given.tlsCert, given.tlsKey);
    const certificate = tlsFiles && readCertificate(tlsFiles);
    const log = new Log(logLevel, Boolean(process.stderr.isTTY));
    process.on("SIGUSR2", () => log.toggleDebug());
    for (const complaint of ignoredSettings(serveSettings, args)) {
      log.write("warn", "a setting is ignored", { cause: complaint });
    }
    const metrics = new Registry;
    const tracing = openTracing(given, version3, log);
    const toldToStop = untilToldToStop2(() => die(log, "stopped at once by a second signal"));
    const death = Promise.withResolvers();
    let isDead = false;
    const note = (level, message, fields) => log.write(level, message, fields);
    const store = await openStore(withReplicas(database, replicas), {
      poolSize,
      claimLimits: claimLimits(given.mostClaims),
      eventRetentionMs: given.eventRetentionMs,
      onDeath(reason) {
        log.write("error", `the database can no longer be written to: ${reason}`);
        isDead = true;
        death.resolve("death");
      },
      note,
      metrics,
      slowStatementMs: given.slowStatement
    });
    const metricsServer = await startMetrics(metrics, given, store, log);
    const addresses = configuredAddresses(publicUrl, stagingUrl);
    const { quota, anonymousQuota, mostConnections, trustedProxies = [], corsOrigins = [] } = given;
    const pages = await importPages();
    if (!pages)
      log.write("warn", "the console was not built: run npm run build");
    const parts = {
      store,
      log,
      metrics,
      tracer: tracing?.tracer,
      servesMetrics: metricsServer === undefined,
      tellsTiming: given.serverTiming === "on",
      slowRequestMs: given.slowRequest,
      stopwatch: () => performance.now(),
      host,
      port,
      certificate,
      addresses,
      publicPath: publicUrl && new URL(publicUrl).pathname,
      environmentKey: apiKey,
      quota,
      anonymousQuota,
      mostConnections,
      trustedProxies,
      corsOrigins,
      webhooks: { key: given.webhookKey, allowedNetworks: given.webhookNetworks },
      pages
    };
    const service = await start(parts, metricsServer);
    if (certificate)
      warnOfExpiry(certificate, log);
    if (tlsFiles)
      process.on("SIGHUP", () => renewCertificate(service, tlsFiles, log));
    if (apiKey !== undefined && looksGuessable(apiKey)) {
      log.write("warn", "ANIMAL_STORE_API_KEY looks easy to guess: set a random one, for example with openssl rand -hex 24");
    }
    const firstKey = apiKey === undefined ? await makeFirstKey(store) : undefined;
    const hasPages = pages !== undefined;
    console.log(readyNotice(service.url, hasPages));
    if (firstKey)
      console.log(firstKeyNotice(firstKey, service.url, hasPages));
    const cause = await Promise.race([toldToStop, death.promise]);
    if (cause !== "death")
      log.write("info", `stopping on ${cause}`);
    const hasStopped = cause === "death" ? await stop(service, log, farewellMilliseconds) : await stop(service, log, drainMilliseconds, drainDelay * 1000);
    await metricsServer?.stop();
    await tracing?.close();
    log.flush();
    return hasStopped && !isDead ? exitCodes.success : exitCodes.failure;
  }
};
function renewCertificate(service, files, log) {
  try {
    const certificate = readCertificate(files);
    service.renewCertificate(certificate);
    log.write("info", "the TLS certificate was read again", { expires: certificate.expiresAt.toISOString() });
    warnOfExpiry(certificate, log);
  } catch (error) {
    const cause = error.message.replaceAll(`
`, " ");
    log.write("error", "the TLS certificate could not be renewed, and the old one is still used", { cause });
  }
}
function warnOfExpiry({ expiresAt }, log) {
  if (expiresAt.getTime() > Date.now())
    return;
  log.write("warn", "the TLS certificate has expired: renew it, then send SIGHUP", {
    expires: expiresAt.toISOString()
  });
}
var drainMilliseconds = 1e4;
var farewellMilliseconds = 1000;
var echoMilliseconds = 1000;
async function startMetrics(metrics, {
  host,
  metricsPort,
  metricsHost
}, store, log) {
  if (metricsPort === undefined)
    return;
  const hostFlag = metricsHost === undefined ? "--host" : "--metrics-host";
  const hostName = metricsHost ?? host;
  try {
    const server = listenForMetrics(metrics, hostName, metricsPort);
    log.write("info", "metrics are served", { url: server.url.href });
    return server;
  } catch (error) {
    await store.close();
    const reason = await listenFailure(error, hostName);
    throw new SettingsError([`--metrics-port ${metricsPort} cannot be used on ${hostFlag} ${hostName}: ${reason}.`]);
  }
}
async function start(parts, metricsServer) {
  try {
    return new Service(parts);
  } catch (error) {
    await metricsServer?.stop();
    await parts.store.close();
    const reason = await listenFailure(error, parts.host);
    throw new SettingsError([`--port ${parts.port} cannot be used on --host ${parts.host}: ${reason}.`]);
  }
}
async function makeFirstKey(store) {
  const key = generateKey();
  const description = { name: "first", scope: "admin", createdAt: store.clock(), expiresAt: null };
  return await store.keys.createFirst(description, { hash: hashKey(key) }) ? key : undefined;
}
function untilToldToStop2(onImpatience) {
  return new Promise((resolve) => {
    let first = Number.POSITIVE_INFINITY;
    const listener = (signal) => {
      if (performance.now() - first > echoMilliseconds)
        onImpatience();
      first = Math.min(first, performance.now());
      resolve(signal);
    };
    for (const signal of ["SIGTERM", "SIGINT"])
      process.on(signal, listener);
  });
}
async function stop(service, log, limitMs, delayMs = 0) {
  try {
    await service.stop(limitMs, delayMs);
    log.write("info", "stopped");
    return true;
  } catch (error) {
    log.write("error", "stopped before the store was closed: writes in progress may or may not have been saved", {
      cause: String(error)
    });
    return false;
  }
}
function die(log, reason) {
  log.write("error", reason);
  log.flush();
  process.exit(exitCodes.failure);
}
function configuredAddresses(publicUrl, stagingUrl) {
  return [
    ...publicUrl ? [{ url: publicUrl, description: "Production" }] : [],
    ...stagingUrl ? [{ url: stagingUrl, description: "Staging" }] : []
  ];
}

// src/main.ts
process.exit(await runProgram([
  serveCommand,
  keysCommand,
  healthCommand,
  doctorCommand,
  migrateCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  copyCommand,
  openApiCommand
], process.argv.slice(2)));
