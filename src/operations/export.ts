import type { ExportVisitor } from "../store/store.ts";

/** A result that is too large to be held: it is given to a visitor piece by piece. */
export class Export {
  constructor(readonly run: (visitor: ExportVisitor) => Promise<void>) {}
}
