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

// src/domain/expectation.ts
function requireExpected(current, expected) {
  if (expected === undefined)
    return;
  if (expected === null ? current === undefined : current !== undefined && isSame(current, expected))
    return;
  throw changedMeanwhile();
}
function changedMeanwhile() {
  return new ServiceError("PreconditionFailed", "The resource does not match If-Match or If-None-Match. Read it again, then decide.");
}
function isSame(one, other) {
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
var longestKeyName = 100, keyStates, lastTime2;
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
var petStatuses, defaultPetStatus = "available", petTransitions, mostCounted = 1000;
var init_pet = __esm(() => {
  init_errors();
  petStatuses = ["available", "pending", "sold"];
  petTransitions = {
    available: ["pending"],
    pending: ["available", "sold"],
    sold: ["available"]
  };
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
  return secretPrefix + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
}
var webhookStatuses, disabledReasons, deliveryOutcomes, testEventType = "webhook.test", secretPrefix = "whsec_", mostNewLeases = 8;
var init_webhook = __esm(() => {
  init_time_text();
  init_errors();
  init_expectation();
  webhookStatuses = ["enabled", "disabled"];
  disabledReasons = ["request", "gone", "failures", "retention", "history"];
  deliveryOutcomes = ["pending", "delivered", "failed"];
});

// src/domain/event.ts
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
    randomPool = Buffer.from(crypto.getRandomValues(new Uint8Array(bytesOfId * 256)).buffer);
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

// src/domain/folded-name.ts
function foldName(name) {
  return foldUnlessAscii(name) ?? name.toLowerCase();
}
function foldUnlessAscii(name) {
  if (isAscii.test(name))
    return null;
  const lower = name.normalize("NFKD").toLowerCase().normalize("NFKD").replaceAll("\u03C2", "\u03C3");
  return [...lower.replace(marks, "") || lower].slice(0, longestFolded).join("");
}
function endOfPrefix(prefix) {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastPoint)
    points.pop();
  const last = points.pop();
  if (last === undefined)
    return;
  const next = last === beforeSurrogates ? afterSurrogates : last + 1;
  return String.fromCodePoint(...points, next);
}
var isAscii, marks, longestFolded = 255, lastPoint = 1114111, beforeSurrogates = 55295, afterSurrogates = 57344;
var init_folded_name = __esm(() => {
  isAscii = /^[\0-\x7f]*$/;
  marks = /\p{M}/gu;
});

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
  return insertsOf(database, "events", ["id", "type", "subject", "at", "body"]);
}
function addEvent(values, change, id, origin) {
  const eventId = newEventId();
  const body = bodyOf(partsOf(eventId, change, origin), id);
  values.push(eventId, change.type, `${change.kind}/${id}`, origin.at, body);
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
  #forward;
  #back;
  #idAt;
  #oldest;
  #newest;
  constructor(database) {
    this.#forward = new EventWalk(database, "position > ?", "position");
    this.#back = new EventWalk(database, "position > 0 AND position <= ?", "position DESC");
    this.#idAt = database.prepare("SELECT id FROM events WHERE position = ? AND position > 0");
    this.#oldest = database.prepare("SELECT position, id FROM events WHERE position > 0 ORDER BY position LIMIT 1");
    this.#newest = database.prepare("SELECT position, id FROM events WHERE position > 0 ORDER BY position DESC LIMIT 1");
  }
  read(filter, after, limit) {
    const events = this.#forward.read(filter, after, limit, (one, other) => one.position - other.position);
    return { events, end: this.#newest.get() ?? undefined };
  }
  readBack(filter, from = Number.MAX_SAFE_INTEGER, limit) {
    return this.#back.read(filter, from, limit, (one, other) => other.position - one.position);
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

class EventWalk {
  #all;
  #ofType;
  #ofSubject;
  #ofSubjectAndTypes;
  constructor(database, isOnIt, order) {
    const columns = "position, id, type, subject, body";
    const rest = `ORDER BY ${order} LIMIT ? + 0`;
    this.#all = database.prepare(`SELECT ${columns} FROM events WHERE ${isOnIt} ${rest}`);
    this.#ofType = database.prepare(`SELECT ${columns} FROM events INDEXED BY events_by_type WHERE type = ? AND ${isOnIt} ${rest}`);
    const ofSubject = `SELECT ${columns} FROM events INDEXED BY events_by_subject WHERE subject = ? AND ${isOnIt}`;
    this.#ofSubject = database.prepare(`${ofSubject} ${rest}`);
    this.#ofSubjectAndTypes = database.prepare(`${ofSubject} AND type IN (SELECT value FROM json_each(?)) ${rest}`);
  }
  read({ types, subject }, start, limit, inOrder) {
    if (subject === undefined) {
      if (!types)
        return this.#all.all(start, limit);
      return merge(types.map((type) => this.#ofType.all(type, start, limit)), limit, inOrder);
    }
    if (!types)
      return this.#ofSubject.all(subject, start, limit);
    return this.#ofSubjectAndTypes.all(subject, start, JSON.stringify(types), limit);
  }
}
function merge(lists, limit, inOrder) {
  const [only] = lists;
  if (only && lists.length === 1)
    return only;
  return lists.flat().sort(inOrder).slice(0, limit);
}
var init_events = __esm(() => {
  init_event();
  init_conclusion();
});

// src/domain/page.ts
function pageOf(items, limit) {
  if (items.length <= limit)
    return { items };
  items.length = limit;
  return { items, next: items[limit - 1]?.id };
}
function pageByName(found, limit) {
  const page = pageOf(found.map(({ item }) => item), limit);
  return page.next === undefined ? page : { ...page, nextName: found[limit - 1]?.foldedName };
}

// src/store/sqlite/pages.ts
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
  list(conditions, { limit, after, isDescending = false }) {
    const statements = this.#statementsFor(conditions, after !== undefined, isDescending);
    const values = [];
    for (const way of statements.isChoice ? [chosen(conditions)] : waysAlong(conditions)) {
      for (const value of way)
        values.push(value);
      if (after !== undefined)
        values.push(after);
    }
    values.push(limit + 1);
    return pageOf(this.#read(statements, values), limit);
  }
  select(text, values) {
    return this.#read(this.#statements.get(text) ?? this.#prepare(text, text, false), values);
  }
  get(id) {
    const row = this.#one.get(id);
    if (row === null)
      return;
    return this.#isExact(row) ? row : this.#read(this.#statementsFor([["id", id]], false, false), [id, 1])[0];
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
  #statementsFor(conditions, isBehind, isDescending) {
    let name = (isBehind ? ">" : "") + (isDescending ? "-" : "");
    for (const [column, value] of conditions)
      name += `${column}=${Array.isArray(value) ? value.length : ""}`;
    const known = this.#statements.get(name);
    return known ?? this.#prepare(name, this.#textFor(conditions, isBehind, isDescending), isChoice(conditions));
  }
  #prepare(name, sql, isChoice) {
    const statements = {
      isChoice,
      plain: this.database.prepare(sql),
      exact: this.database.prepare(sql).safeIntegers(true)
    };
    this.#statements.set(name, statements);
    return statements;
  }
  #textFor(conditions, isBehind, isDescending) {
    const columns = conditions.map(([column]) => column);
    const isAmong = isChoice(conditions);
    const tests = columns.map((column) => `${column} ${isAmong ? "IN (SELECT value FROM json_each(?))" : "= ?"}`);
    if (isBehind)
      tests.push(isDescending ? "id < ?" : "id > ?");
    const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : "";
    const walk = `SELECT ${this.columns} FROM ${this.table} ${wayTo(this.table, columns)} ${where}`;
    const walks = isAmong ? [walk] : waysAlong(conditions).map(() => walk);
    return `${walks.join(" UNION ALL ")} ORDER BY id${isDescending ? " DESC" : ""} ${boundLimit}`;
  }
}
function isChoice(conditions) {
  return conditions.some(([column]) => column === "id") && conditions.some(([, value]) => Array.isArray(value));
}
function chosen(conditions) {
  return conditions.map(([, value]) => toJson(Array.isArray(value) ? value : [value]));
}
function waysAlong(conditions) {
  let ways = [[]];
  for (const [, value] of conditions) {
    if (isSeveral(value))
      ways = ways.flatMap((way) => value.map((one) => [...way, one]));
    else
      for (const way of ways)
        way.push(value);
  }
  return ways;
}
function isSeveral(value) {
  return Array.isArray(value);
}
function wayTo(table, columns) {
  if (columns.length === 0 || columns.includes("id"))
    return "NOT INDEXED";
  const nouns = columns.map((column) => column.replace(/_id$/, ""));
  return `INDEXED BY ${table}_by_${nouns.join("_and_")}`;
}
var boundLimit = "LIMIT ? + 0";
var init_pages = __esm(() => {
  init_int64();
  init_json();
});

// src/store/sqlite/pets.ts
function petReader(database) {
  return new PageReader(database, "pets", "id, name, category_id AS categoryId, status", "categoryId");
}
function preparePetWrites(database) {
  const pets = petReader(database);
  const insert = database.prepare(`INSERT INTO pets (${insertedColumns}) VALUES (?, ?, ?, ?) RETURNING id`);
  const insertAll = insertsOf(database, "pets", insertedColumns);
  const update = database.prepare("UPDATE pets SET name = ?2, category_id = ?3, status = ?4, folded_name = ?5 WHERE id = ?1");
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
      const row = insert.get(name, categoryId, status, foldUnlessAscii(name));
      if (!row)
        throw new Error("An insert returned no id.");
      log([{ ...petCreated({ name, categoryId, status }), id: row.id }]);
      return { id: row.id, name, categoryId, status };
    },
    createPets(batch, log) {
      const count = countOf(batch);
      if (count === 0)
        return [];
      let lastId = 0;
      for (let from = 0;from < batch.length; from += atATime * fieldsOfPet) {
        const some = batch.slice(from, from + atATime * fieldsOfPet);
        lastId = insertAll(some);
        const changes = [];
        let id = lastId - countOf(some);
        for (let at = 0;at < some.length; at += fieldsOfPet) {
          const [name, categoryId, status] = some.slice(at, at + fieldsOfPet);
          changes.push({ ...petCreated({ name, categoryId, status }), id: ++id });
        }
        log(changes);
      }
      return [[lastId - count + 1, count]];
    },
    updatePet({ id, changes, expected }, log) {
      const pet = find(id, expected);
      const changed = changePet(pet, changes, openOrder.get(pet.id)?.id);
      update.run(changed.id, changed.name, changed.categoryId, changed.status, foldUnlessAscii(changed.name));
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
function flatten(pets) {
  const flat = [];
  for (const { name, categoryId, status } of pets)
    flat.push(name, categoryId, status, foldUnlessAscii(name));
  return flat;
}
function countOf(pets) {
  return pets.length / fieldsOfPet;
}
var insertedColumns, fieldsOfPet, atATime = 256;
var init_pets = __esm(() => {
  init_event();
  init_expectation();
  init_folded_name();
  init_pet();
  init_pages();
  insertedColumns = ["name", "category_id", "status", "folded_name"];
  fieldsOfPet = insertedColumns.length;
});

// src/store/sqlite/additions.ts
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
  const insert = insertsOf(database, "pets", insertedColumns);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fields;
    const pets = [];
    for (let at = 0;at < additions.length; at += fields) {
      pets.push(...additions.slice(at, at + 3), foldUnlessAscii(additions[at]));
    }
    const firstId = insert(pets) - count + 1;
    const events = [];
    for (let index = 0;index < count; index++) {
      const [name, categoryId, status, actorId, actorName, request, at] = additions.slice(index * fields, (index + 1) * fields);
      const origin = { actor: { id: actorId, name: actorName }, request, at };
      addEvent(events, petCreated({ name, categoryId, status }), firstId + index, origin);
    }
    append(events);
    return { firstId, count };
  };
}
var fields = 7;
var init_additions = __esm(() => {
  init_event();
  init_folded_name();
  init_events();
  init_pets();
});

// src/domain/category.ts
function noSuchCategory(id) {
  return new ServiceError("NotFound", `No category has the id ${id}.`);
}
var init_category = __esm(() => {
  init_errors();
});

// src/store/sqlite/categories.ts
function categoryReader(database) {
  return new PageReader(database, "categories", "id, name", "id");
}
function prepareCategoryWrites(database) {
  const categories = categoryReader(database);
  const put = database.prepare("INSERT INTO categories (id, name, folded_name) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name");
  const remove = database.prepare("DELETE FROM categories WHERE id = ?");
  return {
    putCategory({ category, expected }, log) {
      const current = categories.get(category.id);
      requireExpected(current, expected);
      put.run(category.id, category.name, foldUnlessAscii(category.name));
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
var init_categories = __esm(() => {
  init_category();
  init_event();
  init_expectation();
  init_folded_name();
  init_pages();
});

// src/base/awaitable.ts
function mapAwaitable(value, next) {
  return value instanceof Promise ? value.then(next) : next(value);
}

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

// src/store/sqlite/claims.ts
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
var sharers = 1, countingStep = 5000;
var init_claims = __esm(() => {
  init_clock();
  init_claim_room();
  init_conclusion();
});

// src/store/sqlite/connect.ts
import { Database } from "bun:sqlite";
function connectWriter(path, isBulk = false) {
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA fullfsync = ON");
  database.run(`PRAGMA cache_size = -${isBulk ? bulkCacheKib : writerCacheKib}`);
  if (isBulk)
    database.run(`PRAGMA wal_autocheckpoint = ${bulkCheckpointPages}`);
  return database;
}
function connectReader(path) {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 100");
  database.run("PRAGMA query_only = ON");
  return database;
}
var bulkCheckpointPages = 16384, writerCacheKib, bulkCacheKib;
var init_connect = __esm(() => {
  writerCacheKib = 16 * 1024;
  bulkCacheKib = 6 * 1024;
});

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
var init_paths = () => {};

// src/store/sqlite/file/log.ts
import { closeSync, openSync, readSync } from "fs";
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
var logHeaderBytes = 32, frameHeaderBytes = 24;
var init_log = __esm(() => {
  init_paths();
});

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
var init_log_index = __esm(() => {
  init_paths();
});

// src/store/sqlite/file/guard.ts
import { statSync as statSync2 } from "fs";

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
    if (!isSame2(file, this.#file))
      throw new FileLost("its file was removed or replaced");
    const log = statSync2(this.#logPath, orNothing);
    if (!log)
      throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame2(log, this.#log))
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
function isSame2(one, other) {
  return one?.ino === other.ino && one.dev === other.dev;
}
var FileLost, orNothing;
var init_guard = __esm(() => {
  init_log();
  init_log_index();
  init_paths();
  FileLost = class FileLost extends Error {
    name = "FileLost";
  };
  orNothing = { throwIfNoEntry: false };
});

// src/store/sqlite/errors.ts
import { SQLiteError } from "bun:sqlite";
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
function otherError(failure, whenPassing, whenDamaged) {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (isDamage(failure)) {
    const advice = "stop the service, and restore a backup with animal-store restore FILE --replace";
    return new ServiceError("ServiceUnavailable", whenDamaged, `${cause}; ${advice}`);
  }
  return passing.some((name) => code.startsWith(name)) ? new ServiceError("ServiceUnavailable", whenPassing, cause) : new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}
var ReportedFailure, cannotWriteText = "The store cannot be reached now. Nothing was saved; try again.", unknownOutcomeText = "The store did not respond in time. It is not known whether the request was carried out.", damagedText = "The store's database is damaged, and must be restored.", fileLost = "FILE_LOST", passing;
var init_errors2 = __esm(() => {
  init_errors();
  init_guard();
  ReportedFailure = class ReportedFailure extends Error {
    failure;
    constructor(failure) {
      super(failure.message);
      this.failure = failure;
    }
  };
  passing = [
    fileLost,
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PROTOCOL"
  ];
});

// src/store/sqlite/keys.ts
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
var KeyReader, keyColumns = "id, name, scope, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, rotated_at AS rotatedAt, last_used_at AS lastUsedAt, coalesce(line, id) AS line";
var init_keys = __esm(() => {
  init_clock();
  init_event();
  init_expectation();
  init_key();
  init_pages();
  KeyReader = class KeyReader extends PageReader {
    #byHash;
    constructor(database) {
      super(database, "keys", keyColumns);
      this.#byHash = database.prepare(`SELECT ${keyColumns} FROM keys WHERE hash = ?`);
    }
    find(hash) {
      return this.#byHash.get(hash) ?? undefined;
    }
  };
});

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
var init_orders = __esm(() => {
  init_event();
  init_expectation();
  init_order();
  init_pages();
  init_pets();
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
        ["status", "text"],
        ["folded_name", "text"]
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
        ["name", "text"],
        ["folded_name", "text"]
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

// src/store/sqlite/transfer.ts
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
var init_transfer = __esm(() => {
  init_int64();
  init_tables();
});

// src/store/webhooks.ts
var mostDeliveries = 100, longestLeaseMs = 60000;

// src/store/sqlite/webhooks.ts
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
function parkedValues({ position, subject, attempts, nextAt }) {
  return [position, subject, attempts, nextAt];
}
function deliveryValues(delivery) {
  const { position, eventId, type, subject, attempt, at, outcome, status, error, durationMs, nextAt } = delivery;
  return [position, eventId, type, subject, attempt, at, outcome, status, error, durationMs, nextAt];
}
var WebhookReader, webhookColumns = "id, url, types, description, status, disabled_reason AS disabledReason, failing_since AS failingSince, retires_at AS retiresAt, created_at AS createdAt, updated_at AS updatedAt", secretColumns = "secret, previous_secret AS previousSecret", leasedColumns, parkedColumns, deliveryColumns;
var init_webhooks = __esm(() => {
  init_event();
  init_webhook();
  init_pages();
  WebhookReader = class WebhookReader extends PageReader {
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
  };
  leasedColumns = `${webhookColumns}, ${secretColumns}, position, event_id AS eventId, revision`;
  parkedColumns = {
    names: "position, subject, attempts, next_at",
    select: "position, subject, attempts, next_at AS nextAt"
  };
  deliveryColumns = {
    names: "position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at",
    select: "id, webhook, position, event_id AS eventId, type, subject, attempt, at, outcome, status, error, duration_ms AS durationMs, next_at AS nextAt",
    count: 11
  };
});

// src/store/sqlite/writer-worker.ts
init_conclusion();
init_additions();
init_categories();
init_claims();
init_connect();
init_errors2();
init_events();
init_guard();
init_keys();
init_orders();
init_pets();
init_transfer();
init_webhooks();
var commit;
var check;
var close;
self.onmessage = ({ data }) => {
  try {
    if ("writes" in data)
      reply({ answers: checkAndCommit(data.writes) });
    else if ("open" in data)
      answer(() => open(data.open, data.claimLimits, data.isBulk));
    else
      answer("check" in data ? check : close);
  } catch (error) {
    reply({ fault: error instanceof Error ? error.message : String(error) });
  }
};
function checkAndCommit(batch) {
  try {
    check();
  } catch (error) {
    const failure = toFailure(error);
    const answers = batch.flatMap(separate).map(() => ({ failure }));
    if (!(error instanceof FileLost))
      return answers;
    reply({ answers });
    throw error;
  }
  return commit(batch);
}
function answer(work) {
  try {
    work();
    reply({ answers: [] });
  } catch (error) {
    if (error instanceof FileLost)
      throw error;
    reply({ failure: toFailure(error) });
  }
}
function open(path, claimLimits, isBulk) {
  const database = connectWriter(path, isBulk);
  const writes = prepareWrites(database);
  const settle = prepareClaims(database, claimLimits);
  const changes = database.prepare("SELECT total_changes() AS count");
  const append = prepareAppend(database);
  const attempt = ({ name, argument, origin }) => {
    const before = changes.get()?.count;
    const log = (done) => {
      const events = [];
      for (const change of done)
        addEvent(events, change, change.id, origin);
      append(events);
    };
    try {
      return { result: writes[name](argument, log) };
    } catch (error) {
      const refusal = asRefusal(error);
      if (changes.get()?.count !== before)
        throw new LateRefusal(error);
      return refusal;
    }
  };
  const add = prepareAdditions(database);
  const perform = (write) => {
    if ("additions" in write)
      return add(write);
    return write.claim ? settle(write.claim, () => attempt(write)) : attempt(write);
  };
  const together = database.transaction((batch) => batch.map(perform)).immediate;
  const guard = new FileGuard(path, database);
  check = () => guard.check();
  commit = (batch) => {
    try {
      return together(batch);
    } catch (error) {
      const failure = toFailure(error);
      const single = batch.flatMap(separate);
      if (single.length > 1 && isOwnFault(failure))
        return single.flatMap((write) => commit([write]));
      return single.map(() => ({ failure }));
    }
  };
  close = () => {
    database.close(true);
    guard.close();
  };
}
function prepareWrites(database) {
  return {
    ...preparePetWrites(database),
    ...prepareOrderWrites(database),
    ...prepareCategoryWrites(database),
    ...prepareKeyWrites(database),
    ...prepareClaimWrites(database),
    ...prepareEventWrites(database),
    ...prepareWebhookWrites(database),
    ...prepareTransferWrites(database)
  };
}
function reply(message) {
  self.postMessage(message);
}
