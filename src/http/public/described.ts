import { basePath, isInService, type Operation } from "../../operations/operation.ts";
import { type Encoded, encodedText } from "../response/encoded.ts";
import type { DocumentSource, ServerAddress } from "./document-source.ts";

/**
 * What is written of the operations in service, once for all callers: it is no small work, and anybody may ask. It is written
 * anew when an operation goes out of service.
 */
export class Described {
  #written: { readonly of: string; readonly text: Encoded } | undefined;

  constructor(
    readonly source: DocumentSource,
    readonly type: string,
    readonly write: (operations: readonly Operation[], addresses: readonly ServerAddress[]) => string,
  ) {}

  get current(): Encoded {
    const { operations: all, addresses, clock } = this.source;
    const operations = all.filter((operation) => isInService(operation, clock));
    const of = operations.map(({ id }) => id).join(" ");
    if (this.#written?.of !== of) {
      const text = encodedText(this.type, () =>
        this.write(operations, addresses.length > 0 ? addresses : [ownAddress]),
      );
      this.#written = { of, text };
    }
    return this.#written.text;
  }
}

/** Relative: OpenAPI resolves it against the address that the document came from, by whatever name that was called. */
const ownAddress: ServerAddress = { url: basePath, description: "This server" };
