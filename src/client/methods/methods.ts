import type { Call, OperationId } from "../call.ts";
import type { Operations } from "../generated.ts";
import { List, type ListId } from "../list.ts";
import type { Input, OptionsOf, Sender } from "../sender.ts";

export type Path<Id extends OperationId, Name extends keyof Operations[Id]["path"]> = Operations[Id]["path"][Name];
export type Query<Id extends OperationId> = Operations[Id]["query"];
export type Body<Id extends OperationId> = Operations[Id]["body"];
export type Options<Id extends OperationId> = OptionsOf<Id>;

/** What groups of methods are made of. */
export abstract class Methods {
  protected readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  protected call<Id extends OperationId>(id: Id, input: Input, options: OptionsOf<Id> | undefined): Call<Id> {
    return this.sender.call(id, input, options ?? ({} as OptionsOf<Id>));
  }

  protected listOf<Id extends ListId>(id: Id, query: Query<Id>, options: OptionsOf<Id> | undefined): List<Id> {
    return new List(this.sender, id, query, options ?? ({} as OptionsOf<Id>));
  }
}
