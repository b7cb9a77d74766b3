import type { Clock } from "../../base/clock.ts";
import { basePath, isInService, type Operation } from "../../operations/operation.ts";
import { type CompressedContent, compressedText } from "../response/compressed.ts";

export interface ServerAddress {
  readonly url: string;
  readonly description: string;
}

export type DocumentFormat = "json" | "yaml";

export interface ReferenceAssets {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

export interface DocumentSource {
  readonly operations: readonly Operation[];
  readonly addresses: readonly ServerAddress[];
  readonly clock: Clock;
  renderDocument(operations: readonly Operation[], addresses: readonly ServerAddress[], format: DocumentFormat): string;
  renderReference(
    operations: readonly Operation[],
    addresses: readonly ServerAddress[],
    assets: ReferenceAssets,
  ): string;
}

/** A document about the operations in service, rendered once for all clients, and again when an operation goes out of service. */
export class RenderedDocument {
  #rendered: { readonly ids: string; readonly content: CompressedContent } | undefined;

  constructor(
    readonly source: DocumentSource,
    readonly type: string,
    readonly render: (operations: readonly Operation[], addresses: readonly ServerAddress[]) => string,
  ) {}

  get current(): CompressedContent {
    const { addresses, clock } = this.source;
    const operations = this.source.operations.filter((operation) => isInService(operation, clock));
    const ids = operations.map(({ id }) => id).join(" ");
    if (this.#rendered?.ids !== ids) {
      const content = compressedText(this.type, () =>
        this.render(operations, addresses.length > 0 ? addresses : [ownAddress]),
      );
      this.#rendered = { ids, content };
    }
    return this.#rendered.content;
  }
}

/** A relative URL, which OpenAPI resolves against the URL of the document. */
const ownAddress: ServerAddress = { url: basePath, description: "This server" };
