import { pageType } from "../../pages/page.ts";
import { respondEncoded } from "../response/encoded.ts";
import type { Endpoint } from "../route-parts.ts";
import { Described } from "./described.ts";
import type { DocumentSource } from "./document-source.ts";
import { revalidated, type WebFiles } from "./web-files.ts";

/** The reference of the interface, which the service writes itself, and whose script and style were built with the console. */
export function referenceEndpoint(source: DocumentSource, files: WebFiles): Endpoint {
  const named = (name: string) => {
    const path = pathOf(name, files);
    if (!path) throw new Error(`The pages lack ${name}.`);
    return path;
  };
  const assets = { script: named(assetNames.script), style: named(assetNames.style), icon: named(assetNames.icon) };
  const page = new Described(source, pageType, (operations, addresses) => source.show(operations, addresses, assets));
  return ({ request }) => respondEncoded(request, page.current, revalidated);
}

/** The files that the reference needs and that are not there, as they were called before their hash was added. */
export function findMissingAssets(files: WebFiles): string[] {
  return Object.values(assetNames).filter((name) => pathOf(name, files) === undefined);
}

const assetNames = { script: "reference.js", style: "reference.css", icon: "icon.svg" } as const;

function pathOf(name: string, files: WebFiles): string | undefined {
  const [stem, extension] = name.split(".");
  const pattern = new RegExp(`/${stem}-\\w+\\.${extension}$`);
  return Object.keys(files).find((path) => pattern.test(path));
}
