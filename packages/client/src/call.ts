import type { Operations } from "./generated.ts";

export type OperationId = keyof Operations;
export type ResultOf<Id extends OperationId> = Operations[Id]["result"];

/** Headers that the OpenAPI document requires are always present. */
export interface ResponseHeaders<Always extends string> extends Omit<Headers, "get"> {
  get<Name extends string>(name: Name): Name extends Always ? string : string | null;
}

export interface ApiResponse<Id extends OperationId, Data = ResultOf<Id>> {
  readonly data: Data;
  readonly status: Operations[Id]["status"];
  readonly headers: ResponseHeaders<Operations[Id]["headers"]>;
  /** Identifies the request in the operator's log. */
  readonly requestId: string;
}

/** A pending call: a promise of its result or, through `withResponse`, of the whole response. */
export class Call<Id extends OperationId, Data = ResultOf<Id>> implements Promise<Data> {
  readonly [Symbol.toStringTag] = "Call";
  readonly #response: Promise<ApiResponse<Id, Data>>;

  constructor(response: Promise<ApiResponse<Id, Data>>) {
    this.#response = response;
  }

  withResponse(): Promise<ApiResponse<Id, Data>> {
    return this.#response;
  }

  readonly catch: Promise<Data>["catch"] = (onRejected) => this.#data.catch(onRejected);
  readonly finally: Promise<Data>["finally"] = (onFinally) => this.#data.finally(onFinally);
  // biome-ignore lint/suspicious/noThenProperty: a call is a promise.
  readonly then: Promise<Data>["then"] = (onFulfilled, onRejected) => this.#data.then(onFulfilled, onRejected);

  get #data(): Promise<Data> {
    return this.#response.then(({ data }) => data);
  }
}
