import type { Clock } from "../../base/clock.ts";
import { basePath, isInService, type Operation } from "../../operations/operation.ts";
import { type CompressedContent, createCompressedText, respondCompressed } from "../response/compressed.ts";
import type { HeaderFields } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";

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

/** Creates the endpoint of a document about the operations in service, which is rendered again when an operation goes out of service. */
export function createDocumentEndpoint(
  { operations: allOperations, addresses, clock }: DocumentSource,
  type: string,
  headers: HeaderFields,
  render: (operations: readonly Operation[], addresses: readonly ServerAddress[]) => string,
): Endpoint {
  let rendered: { readonly ids: string; readonly content: CompressedContent } | undefined;
  return ({ request }) => {
    const operations = allOperations.filter((operation) => isInService(operation, clock));
    const ids = operations.map(({ id }) => id).join(" ");
    if (rendered?.ids !== ids) {
      const shownAddresses = addresses.length > 0 ? addresses : [ownAddress];
      rendered = { ids, content: createCompressedText(type, () => render(operations, shownAddresses)) };
    }
    return respondCompressed(request, rendered.content, headers);
  };
}

/** A relative URL, which OpenAPI resolves against the URL of the document. */
const ownAddress: ServerAddress = { url: basePath, description: "This server" };
