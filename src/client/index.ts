export { AnimalStore, type AnimalStoreOptions } from "./animal-store.ts";
export type { ApiResponse, Call, ResponseHeaders } from "./call.ts";
export * from "./errors.ts";
export type { EventStream } from "./event-stream.ts";
export type * from "./generated.ts";
export type { ItemOf, List, Page } from "./list.ts";
export type { PetExport } from "./pet-export.ts";
export type { CallOptions, Logger } from "./sender.ts";
export { verifyWebhook, type WebhookHeaders } from "./webhook.ts";
