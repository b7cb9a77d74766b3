// Generated from openapi.json by scripts/client-types.ts; `npm run client-types` writes it anew.

/** A 64-bit integer: a number if it is a safe integer, otherwise a bigint. */
export type Int64 = number | bigint;

/** Availability of the animal. */
export type PetStatus = "available" | "pending" | "sold";

/** An animal to add. */
export interface NewPet {
  /** The animal's name, kept exactly as it was sent. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. The category need not exist. */
  readonly categoryId: Int64;
  /** Availability status. Default: `available`. */
  readonly status?: PetStatus | undefined;
}

/** The fields of an animal to change (RFC 7396). Omitted fields stay as they are. */
export interface PetPatch {
  /** The animal's name, kept exactly as it was sent. */
  readonly name?: string | undefined;
  /** Identifier of the category the animal belongs to. The category need not exist. */
  readonly categoryId?: Int64 | undefined;
  readonly status?: PetStatus | undefined;
}

/** An animal of the store. */
export interface Pet {
  /** Unique identifier assigned by the service on creation. Ascends from 1 and is never reused. */
  readonly id: number;
  /** The animal's name, kept exactly as it was sent. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. The category need not exist. */
  readonly categoryId: Int64;
  readonly status: PetStatus;
}

/** A page of animals. */
export type Pets = readonly Pet[];

/** Animals to add in one request. */
export interface NewPetBatch {
  /** The animals, in the order in which they are added: their ids ascend. */
  readonly pets: readonly NewPet[];
  /** True to add either all animals or none, false to add the valid ones. Default: `true`. */
  readonly atomic?: boolean | undefined;
}

/** The results of adding the animals of one request. */
export interface PetBatch {
  /** The number of animals that were added. */
  readonly created: number;
  /** The number of animals that were not added. */
  readonly failed: number;
  /** The result for each animal, in the order of the request. */
  readonly results: readonly {
    /** The index in the request. */
    readonly index: number;
    /** The animal that was added. */
    readonly pet?: Pet | undefined;
    /** The reason why the animal was not added. */
    readonly error?: Error | undefined;
  }[];
}

/** `placed` means open; `completed` and `cancelled` are final. */
export type OrderStatus = "placed" | "completed" | "cancelled";

/** An order to place. */
export interface NewOrder {
  /** Identifier of the animal to order. It must be `available`. */
  readonly petId: Int64;
}

/** An order for one animal. */
export interface Order {
  /** Unique identifier assigned by the service. Ascends from 1 and is never reused. */
  readonly id: number;
  /** Identifier of the animal. Once the order is completed or cancelled, the animal may have been deleted. */
  readonly petId: number;
  readonly status: OrderStatus;
  /** When the order was placed. */
  readonly createdAt: string;
  /** When the order last changed. */
  readonly updatedAt: string;
}

/** A page of orders. */
export type Orders = readonly Order[];

/** The number of animals with each status. */
export interface Inventory {
  /** Animals that can be ordered. */
  readonly available: number;
  /** Animals that are reserved. */
  readonly pending: number;
  /** Animals that are sold. */
  readonly sold: number;
}

/** The name to give to a category. */
export interface NewCategory {
  /** The category's name, kept exactly as it was sent. Several categories may have the same name. */
  readonly name: string;
}

/** A category that has a name. */
export interface Category {
  /** The `categoryId` of its animals. */
  readonly id: Int64;
  /** The category's name, kept exactly as it was sent. Several categories may have the same name. */
  readonly name: string;
}

/** A page of categories, ascending by `id` or, if you filter by `name`, in the order of their names. */
export type Categories = readonly Category[];

/** What has happened. */
export type EventType =
  | "pet.created"
  | "pet.updated"
  | "pet.deleted"
  | "order.placed"
  | "order.completed"
  | "order.cancelled"
  | "category.named"
  | "category.unnamed"
  | "key.created"
  | "key.rotated"
  | "key.revoked"
  | "webhook.disabled";

/** Random identifier of the event. */
export type EventId = string;

/** The API key that made the change. A key that is not stored has no `id`: `environment` is the key that the operator has configured, `operator` stands for the command line and the service itself. */
export interface Actor {
  /** Identifier of the key; null if it is not stored. */
  readonly id: number | null;
  /** Name of the key at that time. */
  readonly name: string;
}

/** An animal was added. */
export interface PetCreatedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "pet.created";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Pet;
  /** Null, because the resource was created or deleted. */
  readonly previous: null;
}

/** An animal was changed, by a request to it or by an order for it. */
export interface PetUpdatedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "pet.updated";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Pet;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "name" | "categoryId" | "status"]?: unknown } | null;
}

/** An animal was deleted. `data` is its last state. */
export interface PetDeletedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "pet.deleted";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Pet;
  /** Null, because the resource was created or deleted. */
  readonly previous: null;
}

/** An order was placed. The event of its animal, which became `pending`, precedes it, with the same `request`. */
export interface OrderPlacedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "order.placed";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Order;
  /** Null, because the resource was created or deleted. */
  readonly previous: null;
}

/** An order was completed. The event of its animal, which became `sold`, precedes it, with the same `request`. */
export interface OrderCompletedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "order.completed";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Order;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "status" | "updatedAt"]?: unknown } | null;
}

/** An order was cancelled. The event of its animal, which became `available`, precedes it, with the same `request`. */
export interface OrderCancelledEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "order.cancelled";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Order;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "status" | "updatedAt"]?: unknown } | null;
}

/** A category was named, or its name was changed. */
export interface CategoryNamedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "category.named";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Category;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "name"]?: unknown } | null;
}

/** A category lost its name. `data` is its last state; its animals stay. */
export interface CategoryUnnamedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "category.unnamed";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Category;
  /** Null, because the resource was created or deleted. */
  readonly previous: null;
}

/** A key was created, possibly as the successor of another one. */
export interface KeyCreatedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "key.created";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Key;
  /** Null, because the resource was created or deleted. */
  readonly previous: null;
}

/** A key was rotated. The event of its successor follows, with the same `request`. */
export interface KeyRotatedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "key.rotated";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Key;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "state" | "expiresAt" | "rotatedAt"]?: unknown } | null;
}

/** A key was revoked. */
export interface KeyRevokedEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "key.revoked";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Key;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "state" | "revokedAt"]?: unknown } | null;
}

/** A webhook was disabled, by a request or because it could not continue; `disabledReason` states the reason. */
export interface WebhookDisabledEvent {
  readonly id: EventId;
  /** What has happened. */
  readonly type: "webhook.disabled";
  /** When the change happened. */
  readonly timestamp: string;
  /** The path of the changed resource, relative to the base path. */
  readonly subject: string;
  readonly actor: Actor;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly request: string | null;
  readonly data: Webhook;
  /** The previous values of the changed fields; null if the resource is new. */
  readonly previous: { readonly [Name in "status" | "disabledReason"]?: unknown } | null;
}

/** An event of any type. The bytes of an event never change. */
export type Event =
  | PetCreatedEvent
  | PetUpdatedEvent
  | PetDeletedEvent
  | OrderPlacedEvent
  | OrderCompletedEvent
  | OrderCancelledEvent
  | CategoryNamedEvent
  | CategoryUnnamedEvent
  | KeyCreatedEvent
  | KeyRotatedEvent
  | KeyRevokedEvent
  | WebhookDisabledEvent;

/** A page of events. */
export type Events = readonly Event[];

/** An event in the format of CloudEvents 1.0. */
export interface CloudEvent {
  readonly specversion: "1.0";
  /** Identifies the event. */
  readonly id: string;
  /** The base path of the API. */
  readonly source: string;
  readonly type: EventType;
  /** When the change happened. */
  readonly time: string;
  /** The resource that was changed. */
  readonly subject: string;
  readonly datacontenttype: "application/json";
  /** Identifier of the key, if it is stored. */
  readonly actorid?: Int64 | undefined;
  /** Name of the key that made the change. */
  readonly actorname?: string | undefined;
  /** The `X-Request-Id` of the request, if there was one. */
  readonly requestid?: string | undefined;
  /** The state of the resource, and the previous values of its changed fields. */
  readonly data: {
    /** `data` of the event. */
    readonly current: Readonly<Record<string, unknown>>;
    /** `previous` of the event. */
    readonly previous: Readonly<Record<string, unknown>> | null;
  };
}

/** A page of events in the batch format of CloudEvents. */
export type CloudEvents = readonly CloudEvent[];

/** The permissions of a key; each scope includes those before it. */
export type Scope = "read" | "write" | "admin";

/** `active` and `retiring` keys work; a `retiring` one has a successor and will expire. */
export type KeyState = "active" | "retiring" | "expired" | "revoked";

/** A key to create. */
export interface NewKey {
  /** The user or program that the key is for. */
  readonly name: string;
  readonly scope: Scope;
  /** When the key stops working, in UTC; null for never. It cannot outlive the key that creates it. */
  readonly expiresAt?: string | null | undefined;
}

/** The settings for rotating a key. */
export interface KeyRotation {
  /** The time for which the old key keeps working. Default: 86400 seconds, one day. */
  readonly overlapSeconds?: number | undefined;
  /** When the new key stops working, in UTC; null for never. By default, it has the same lifetime as the old one, but never outlives the key that creates it. */
  readonly expiresAt?: string | null | undefined;
}

/** An API key, without the key itself. */
export interface Key {
  /** Identifier of the key, as shown by `animal-store keys` and in the log. */
  readonly id: number;
  /** The user or program that the key is for. */
  readonly name: string;
  readonly scope: Scope;
  readonly state: KeyState;
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key stops working; null for never. */
  readonly expiresAt: string | null;
  /** When the key was given a successor; null if it has none. */
  readonly rotatedAt: string | null;
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: string | null;
  /** When the key was last used, to the minute. The `ETag` does not depend on it. */
  readonly lastUsedAt: string | null;
}

/** The API key of the request, without the key itself. A key that the operator has configured is not stored: it is called `environment`, and has no `id` and no times. */
export interface CurrentKey {
  /** Identifier of the key; null if it is not stored. */
  readonly id: number | null;
  /** The user or program that the key is for. */
  readonly name: string;
  readonly scope: Scope;
  readonly state: KeyState;
  /** When the key was created; null if it is not stored. */
  readonly createdAt: string | null;
  /** When the key stops working; null for never. */
  readonly expiresAt: string | null;
  /** When the key was given a successor; null if it has none. */
  readonly rotatedAt: string | null;
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: string | null;
  /** When the key was last used, to the minute. The `ETag` does not depend on it. */
  readonly lastUsedAt: string | null;
}

/** A new API key, with the key itself, which is shown only once. */
export interface CreatedKey {
  /** Identifier of the key, as shown by `animal-store keys` and in the log. */
  readonly id: number;
  /** The user or program that the key is for. */
  readonly name: string;
  readonly scope: Scope;
  readonly state: KeyState;
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key stops working; null for never. */
  readonly expiresAt: string | null;
  /** When the key was given a successor; null if it has none. */
  readonly rotatedAt: string | null;
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: string | null;
  /** When the key was last used, to the minute. The `ETag` does not depend on it. */
  readonly lastUsedAt: string | null;
  /** The key. It cannot be shown again. */
  readonly key: string;
}

/** A page of keys, ascending by `id`. */
export type Keys = readonly Key[];

/** While a webhook is `disabled`, its events wait for as long as the log keeps them. */
export type WebhookStatus = "enabled" | "disabled";

/** A webhook to create. */
export interface NewWebhook {
  /** The URL to which events are sent by `POST`. It must be `https` and lead to public addresses, unless the operator allows others. */
  readonly url: string;
  /** The types of events to send. Empty for all types, including future ones. */
  readonly types?:
    | readonly (
        | "pet.created"
        | "pet.updated"
        | "pet.deleted"
        | "order.placed"
        | "order.completed"
        | "order.cancelled"
        | "category.named"
        | "category.unnamed"
        | "key.created"
        | "key.rotated"
        | "key.revoked"
        | "webhook.disabled"
      )[]
    | undefined;
  /** The purpose of the webhook. */
  readonly description?: string | null | undefined;
}

/** The fields of a webhook to change (RFC 7396). Omitted fields stay as they are. */
export interface WebhookPatch {
  /** The URL to which events are sent by `POST`. It must be `https` and lead to public addresses, unless the operator allows others. */
  readonly url?: string | undefined;
  /** The types of events to send. Empty for all types, including future ones. */
  readonly types?:
    | readonly (
        | "pet.created"
        | "pet.updated"
        | "pet.deleted"
        | "order.placed"
        | "order.completed"
        | "order.cancelled"
        | "category.named"
        | "category.unnamed"
        | "key.created"
        | "key.rotated"
        | "key.revoked"
        | "webhook.disabled"
      )[]
    | undefined;
  /** The purpose of the webhook. */
  readonly description?: string | null | undefined;
  readonly status?: WebhookStatus | undefined;
}

/** The settings for rotating the secret of a webhook. */
export interface WebhookRotation {
  /** The time for which the old secret signs events as well. Default: 86400 seconds, one day. */
  readonly overlapSeconds?: number | undefined;
}

/** The position from which to send events again. */
export interface WebhookReplay {
  /** `beginning` sends everything that the log still has, `end` nothing that has happened so far, and a cursor of the list of events everything after it. */
  readonly from: string;
}

/** A receiver of events, without its secret. */
export interface Webhook {
  /** Identifier of the webhook. */
  readonly id: number;
  /** The URL to which events are sent by `POST`. It must be `https` and lead to public addresses, unless the operator allows others. */
  readonly url: string;
  /** The types of events to send. Empty for all types, including future ones. */
  readonly types: readonly string[];
  /** The purpose of the webhook. */
  readonly description: string | null;
  readonly status: WebhookStatus;
  /** The reason why the webhook is disabled: `request` if a client disabled it, `gone` if the receiver responded with 410, `failures` if every attempt failed for 5 days, `retention` if events that the receiver had not received were removed from the log, `history` if the log was replaced by another one. Null if the webhook is enabled. */
  readonly disabledReason: "request" | "gone" | "failures" | "retention" | "history" | null;
  /** Every attempt since this time has failed. The `ETag` does not depend on it. */
  readonly failingSince: string | null;
  /** The end of the overlap after a rotation; null if there was none. */
  readonly oldSecretExpiresAt: string | null;
  /** When the webhook was created. */
  readonly createdAt: string;
  /** When the webhook was last changed. */
  readonly updatedAt: string;
}

/** A webhook with a new secret, which is shown only once. */
export interface CreatedWebhook {
  /** Identifier of the webhook. */
  readonly id: number;
  /** The URL to which events are sent by `POST`. It must be `https` and lead to public addresses, unless the operator allows others. */
  readonly url: string;
  /** The types of events to send. Empty for all types, including future ones. */
  readonly types: readonly string[];
  /** The purpose of the webhook. */
  readonly description: string | null;
  readonly status: WebhookStatus;
  /** The reason why the webhook is disabled: `request` if a client disabled it, `gone` if the receiver responded with 410, `failures` if every attempt failed for 5 days, `retention` if events that the receiver had not received were removed from the log, `history` if the log was replaced by another one. Null if the webhook is enabled. */
  readonly disabledReason: "request" | "gone" | "failures" | "retention" | "history" | null;
  /** Every attempt since this time has failed. The `ETag` does not depend on it. */
  readonly failingSince: string | null;
  /** The end of the overlap after a rotation; null if there was none. */
  readonly oldSecretExpiresAt: string | null;
  /** When the webhook was created. */
  readonly createdAt: string;
  /** When the webhook was last changed. */
  readonly updatedAt: string;
  /** The secret that signs events. It cannot be shown again. */
  readonly secret: string;
}

/** A page of webhooks, ascending by `id`. */
export type Webhooks = readonly Webhook[];

/** An attempt to deliver an event. */
export interface WebhookDelivery {
  /** Identifier of the delivery. */
  readonly id: number;
  /** Identifier of the event, which the receiver gets as `webhook-id`. */
  readonly eventId: string;
  /** Type of the event; `webhook.test` for a test. */
  readonly type: string;
  /** The subject of the event. */
  readonly subject: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** When the attempt began. */
  readonly at: string;
  /** `pending` until the attempt has ended; `delivered` for 200 to 299. */
  readonly outcome: "pending" | "delivered" | "failed";
  /** The HTTP status code; null if there was no response. */
  readonly responseStatus: number | null;
  /** The reason for the failure; null if there was none. */
  readonly error: string | null;
  /** Null until the attempt has ended. */
  readonly durationMs: number | null;
  /** When the event is sent again; null if it is not. */
  readonly nextAttemptAt: string | null;
}

/** The latest attempts, newest first. */
export type WebhookDeliveries = readonly WebhookDelivery[];

/** The body of every error response. */
export interface Error {
  /** Machine-readable error code: BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, RequestTimeout, Conflict, Gone, PreconditionFailed, PayloadTooLarge, UnsupportedMediaType, UnprocessableContent, TooManyRequests, RequestHeaderFieldsTooLarge, InternalServerError, NotImplemented, ServiceUnavailable, HttpVersionNotSupported, InsufficientStorage. More may be added; fall back to the status for codes that you do not know. */
  readonly code: string;
  /** Human-readable description. */
  readonly message: string;
  /** The HTTP status code. */
  readonly status: number;
}

/** RFC 9457: the error body of clients that accept `application/problem+json`. */
export interface Problem {
  /** The page that explains the code. */
  readonly type: string;
  /** The name of the HTTP status. */
  readonly title: string;
  /** The HTTP status code. */
  readonly status: number;
  /** Human-readable description: the message of the Error body. */
  readonly detail: string;
  /** Machine-readable error code: BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, RequestTimeout, Conflict, Gone, PreconditionFailed, PayloadTooLarge, UnsupportedMediaType, UnprocessableContent, TooManyRequests, RequestHeaderFieldsTooLarge, InternalServerError, NotImplemented, ServiceUnavailable, HttpVersionNotSupported, InsufficientStorage. More may be added; fall back to the status for codes that you do not know. */
  readonly code: string;
  /** Every invalid part of the request. */
  readonly errors?:
    | readonly {
        /** The part of the request: `#/name` for a field of the body (RFC 6901), `?limit` for a query parameter, `Idempotency-Key` for the header. */
        readonly pointer: string;
        /** The problem with that part, and what to send instead. */
        readonly message: string;
      }[]
    | undefined;
}

/** The arguments and the results of each operation. */
export interface Operations {
  listPets: {
    arguments: [query?: Operations["listPets"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** Returns only animals with this status, or with one of several that are separated by commas (beta). */
      readonly status?: PetStatus | readonly PetStatus[] | undefined;
      /** Returns only the animal with this identifier: an array of one or none. Without other filters, the response carries the animal's own `ETag`, for `If-Match`. Up to 100 identifiers, separated by commas (beta), return those of the animals that exist. */
      readonly id?: Int64 | readonly Int64[] | undefined;
      /** Returns only animals of this category. */
      readonly categoryId?: Int64 | undefined;
      /** The order of the items: `id` for the oldest first, which is the default, or `-id` for the newest first. */
      readonly sort?: "id" | "-id" | undefined;
      /** Returns only animals whose names start with this text, ignoring case and accents: `re` finds Rex and Rémy. The list is in the order of the names. `name` cannot be combined with other filters or with `sort`. Names are compared after compatibility decomposition (NFKD) and full case folding, with `ı` as `i`, and without marks after Latin, Greek and Cyrillic letters: `strasse` finds Straße. Other marks, such as vowel signs, count; a Hangul syllable is found by its first letters. */
      readonly name?: string | undefined;
      /** The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Pets;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag" | "Link";
  };
  createPet: {
    arguments: [body: NewPet];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewPet;
    status: 201;
    result: Pet;
    headers:
      | "X-Request-Id"
      | "X-Content-Type-Options"
      | "Content-Security-Policy"
      | "Cache-Control"
      | "ETag"
      | "Location";
  };
  createPets: {
    arguments: [body: NewPetBatch];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewPetBatch;
    status: 200;
    result: PetBatch;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control";
  };
  getPet: {
    arguments: [petId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Pet;
    headers:
      | "X-Request-Id"
      | "X-Content-Type-Options"
      | "Content-Security-Policy"
      | "Cache-Control"
      | "ETag"
      | "Deprecation"
      | "Sunset"
      | "Link";
  };
  updatePet: {
    arguments: [petId: Int64, body: PetPatch];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: PetPatch;
    status: 200;
    result: Pet;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  deletePet: {
    arguments: [petId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 204;
    result: undefined;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control";
  };
  exportPets: {
    arguments: [];
    query: Readonly<Record<never, never>>;
    options: {
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: string;
    headers:
      | "X-Request-Id"
      | "X-Content-Type-Options"
      | "Content-Security-Policy"
      | "Cache-Control"
      | "Event-Cursor"
      | "Link";
  };
  listOrders: {
    arguments: [query?: Operations["listOrders"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** Returns only orders with this status, or with one of several that are separated by commas. */
      readonly status?: OrderStatus | readonly OrderStatus[] | undefined;
      /** Returns only orders for this animal. */
      readonly petId?: Int64 | undefined;
      /** The order of the items: `id` for the oldest first, which is the default, or `-id` for the newest first. */
      readonly sort?: "id" | "-id" | undefined;
      /** The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Orders;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag" | "Link";
  };
  placeOrder: {
    arguments: [body: NewOrder];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewOrder;
    status: 201;
    result: Order;
    headers:
      | "X-Request-Id"
      | "X-Content-Type-Options"
      | "Content-Security-Policy"
      | "Cache-Control"
      | "ETag"
      | "Location";
  };
  getOrder: {
    arguments: [orderId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Order;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  completeOrder: {
    arguments: [orderId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Order;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  cancelOrder: {
    arguments: [orderId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Order;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  getInventory: {
    arguments: [query?: Operations["getInventory"]["query"]];
    query: {
      /** Counts only animals of this category, up to 1000 with each status: a count of 1000 stands for that many or more. */
      readonly categoryId?: Int64 | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Inventory;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  listCategories: {
    arguments: [query?: Operations["listCategories"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** Returns only categories whose names start with this text, ignoring case and accents: `do` finds Dogs. The list is in the order of the names. Names are compared after compatibility decomposition (NFKD) and full case folding, with `ı` as `i`, and without marks after Latin, Greek and Cyrillic letters: `strasse` finds Straße. Other marks, such as vowel signs, count; a Hangul syllable is found by its first letters. */
      readonly name?: string | undefined;
      /** The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Categories;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag" | "Link";
  };
  getCategory: {
    arguments: [categoryId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Category;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  putCategory: {
    arguments: [categoryId: Int64, body: NewCategory];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `*`: the response is 412 if the resource already exists. */
      readonly ifNoneMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewCategory;
    status: 200 | 201;
    result: Category;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  deleteCategory: {
    arguments: [categoryId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 204;
    result: undefined;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control";
  };
  listEvents: {
    arguments: [query?: Operations["listEvents"]["query"]];
    query: {
      /** Returns only events of this type, or of one of several types that are separated by commas. */
      readonly type?: EventType | readonly EventType[] | undefined;
      /** Returns only events of this resource: `pets/12` gives the history of animal 12. */
      readonly subject?: string | undefined;
      /** The order of the events: `position` for the order in which they happened, which is the default, or `-position` for the newest first, which neither streams nor waiting requests support. */
      readonly sort?: "position" | "-position" | undefined;
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** The position from which to continue. Opaque: follow the `next` URL in the `Link` header, or use the `id` of a message of the stream. `latest` starts after the newest event. Default: the start of the list. A cursor is a position in the log, and can be used with any filter and in both orders. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `wait=20` (RFC 7240): if there is no event yet, wait for one for that many seconds, at most 30. `handling=strict`: unknown query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** The `id` of the last message that you received: the stream continues after that message. Clients for server-sent events send this header automatically. */
      readonly lastEventId?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Events;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "Vary";
  };
  listKeys: {
    arguments: [query?: Operations["listKeys"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Keys;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag" | "Link";
  };
  createKey: {
    arguments: [body: NewKey];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewKey;
    status: 201;
    result: CreatedKey;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "Location";
  };
  getCurrentKey: {
    arguments: [];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: CurrentKey;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  getKey: {
    arguments: [keyId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Key;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  rotateKey: {
    arguments: [keyId: Int64, body?: KeyRotation | undefined];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: KeyRotation | undefined;
    status: 201;
    result: CreatedKey;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "Location";
  };
  revokeKey: {
    arguments: [keyId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Key;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  listWebhooks: {
    arguments: [query?: Operations["listWebhooks"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
      /** The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400. */
      readonly cursor?: string | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Webhooks;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag" | "Link";
  };
  createWebhook: {
    arguments: [body: NewWebhook];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: NewWebhook;
    status: 201;
    result: CreatedWebhook;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "Location";
  };
  getWebhook: {
    arguments: [webhookId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: Webhook;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  updateWebhook: {
    arguments: [webhookId: Int64, body: WebhookPatch];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: WebhookPatch;
    status: 200;
    result: Webhook;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  deleteWebhook: {
    arguments: [webhookId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 204;
    result: undefined;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control";
  };
  rotateWebhookSecret: {
    arguments: [webhookId: Int64, body?: WebhookRotation | undefined];
    query: Readonly<Record<never, never>>;
    options: {
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: WebhookRotation | undefined;
    status: 200;
    result: CreatedWebhook;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control";
  };
  testWebhook: {
    arguments: [webhookId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: WebhookDelivery;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  listWebhookDeliveries: {
    arguments: [webhookId: Int64, query?: Operations["listWebhookDeliveries"]["query"]];
    query: {
      /** Maximum number of items returned. */
      readonly limit?: number | undefined;
    };
    options: {
      /** The `ETag` of a representation that you have. The response is 304 if it is still current. */
      readonly ifNoneMatch?: string | undefined;
      /** The `ETag` of the version that you have read. The response is 412 if it is no longer current. */
      readonly ifMatch?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: WebhookDeliveries;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  retryWebhookDelivery: {
    arguments: [webhookId: Int64, deliveryId: Int64];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: undefined;
    status: 200;
    result: WebhookDelivery;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
  replayWebhook: {
    arguments: [webhookId: Int64, body: WebhookReplay];
    query: Readonly<Record<never, never>>;
    options: {
      /** A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429. */
      readonly idempotencyKey?: string | undefined;
      /** `handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored. */
      readonly prefer?: string | undefined;
      /** An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id. */
      readonly requestId?: string | undefined;
    };
    body: WebhookReplay;
    status: 200;
    result: Webhook;
    headers: "X-Request-Id" | "X-Content-Type-Options" | "Content-Security-Policy" | "Cache-Control" | "ETag";
  };
}

/** The parts of a request that are the same for every call of an operation. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  /** The argument that follows the parameters of the path. */
  readonly payload?: "body" | "query";
  /** The media type of the body. */
  readonly mediaType?: string;
  readonly takesKey?: true;
  readonly isPaged?: true;
}

export const operations = {
  listPets: { method: "GET", path: "/pets", payload: "query", isPaged: true },
  createPet: { method: "POST", path: "/pets", payload: "body", mediaType: "application/json", takesKey: true },
  createPets: { method: "POST", path: "/pets:batch", payload: "body", mediaType: "application/json", takesKey: true },
  getPet: { method: "GET", path: "/pets/{petId}" },
  updatePet: { method: "PATCH", path: "/pets/{petId}", payload: "body", mediaType: "application/merge-patch+json" },
  deletePet: { method: "DELETE", path: "/pets/{petId}" },
  exportPets: { method: "GET", path: "/export" },
  listOrders: { method: "GET", path: "/store/orders", payload: "query", isPaged: true },
  placeOrder: { method: "POST", path: "/store/orders", payload: "body", mediaType: "application/json", takesKey: true },
  getOrder: { method: "GET", path: "/store/orders/{orderId}" },
  completeOrder: { method: "POST", path: "/store/orders/{orderId}/complete", takesKey: true },
  cancelOrder: { method: "POST", path: "/store/orders/{orderId}/cancel", takesKey: true },
  getInventory: { method: "GET", path: "/store/inventory", payload: "query" },
  listCategories: { method: "GET", path: "/categories", payload: "query", isPaged: true },
  getCategory: { method: "GET", path: "/categories/{categoryId}" },
  putCategory: { method: "PUT", path: "/categories/{categoryId}", payload: "body", mediaType: "application/json" },
  deleteCategory: { method: "DELETE", path: "/categories/{categoryId}" },
  listEvents: { method: "GET", path: "/events", payload: "query", isPaged: true },
  listKeys: { method: "GET", path: "/keys", payload: "query", isPaged: true },
  createKey: { method: "POST", path: "/keys", payload: "body", mediaType: "application/json", takesKey: true },
  getCurrentKey: { method: "GET", path: "/keys/current" },
  getKey: { method: "GET", path: "/keys/{keyId}" },
  rotateKey: {
    method: "POST",
    path: "/keys/{keyId}/rotate",
    payload: "body",
    mediaType: "application/json",
    takesKey: true,
  },
  revokeKey: { method: "POST", path: "/keys/{keyId}/revoke", takesKey: true },
  listWebhooks: { method: "GET", path: "/webhooks", payload: "query", isPaged: true },
  createWebhook: { method: "POST", path: "/webhooks", payload: "body", mediaType: "application/json", takesKey: true },
  getWebhook: { method: "GET", path: "/webhooks/{webhookId}" },
  updateWebhook: {
    method: "PATCH",
    path: "/webhooks/{webhookId}",
    payload: "body",
    mediaType: "application/merge-patch+json",
  },
  deleteWebhook: { method: "DELETE", path: "/webhooks/{webhookId}" },
  rotateWebhookSecret: {
    method: "POST",
    path: "/webhooks/{webhookId}/rotate",
    payload: "body",
    mediaType: "application/json",
    takesKey: true,
  },
  testWebhook: { method: "POST", path: "/webhooks/{webhookId}/test", takesKey: true },
  listWebhookDeliveries: { method: "GET", path: "/webhooks/{webhookId}/deliveries", payload: "query" },
  retryWebhookDelivery: { method: "POST", path: "/webhooks/{webhookId}/deliveries/{deliveryId}/retry", takesKey: true },
  replayWebhook: {
    method: "POST",
    path: "/webhooks/{webhookId}/replay",
    payload: "body",
    mediaType: "application/json",
    takesKey: true,
  },
} as const satisfies Readonly<Record<keyof Operations, OperationFacts>>;

/** The base path of all operations. */
export const basePath = "/v1";

/** The options of calls that are sent as headers. */
export const headerOptions = {
  ifNoneMatch: "If-None-Match",
  ifMatch: "If-Match",
  prefer: "Prefer",
  requestId: "X-Request-Id",
  idempotencyKey: "Idempotency-Key",
  lastEventId: "Last-Event-ID",
} as const;
