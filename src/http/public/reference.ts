import { encodedReply } from "../reply/encoded.ts";
import type { Reply } from "../reply/reply.ts";
import { requireRead } from "../router.ts";
import { Described } from "./described.ts";
import type { DocumentSource, ReferenceAssets } from "./document-source.ts";
import { pageType } from "./html/page.ts";
import { type PageFiles, revalidated } from "./pages.ts";

/** The reference of the interface, which the service writes itself, and whose script and style were built with the console. */
export class Reference {
  readonly paths = ["/docs"];
  readonly #page: Described;

  constructor(source: DocumentSource, files: PageFiles) {
    const assets = assetsIn(files);
    this.#page = new Described(source, pageType, (operations, addresses) => source.show(operations, addresses, assets));
  }

  /** Throws MethodNotAllowed. */
  answer(request: Request): Promise<Reply> {
    requireRead(request);
    return encodedReply(request, this.#page.current, revalidated);
  }
}

function assetsIn(files: PageFiles): ReferenceAssets {
  const paths = Object.keys(files);
  const named = (pattern: RegExp) => {
    const path = paths.find((each) => pattern.test(each));
    if (!path) throw new Error(`The pages lack ${pattern}: they were built from other sources. Run npm run build.`);
    return path;
  };
  return {
    script: named(/\/reference-\w+\.js$/),
    style: named(/\/reference-\w+\.css$/),
    icon: named(/\/icon-\w+\.svg$/),
  };
}
