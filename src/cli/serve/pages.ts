import type { PageFiles } from "../../http/public/pages.ts";

/** What browsers are shown; undefined if it was not built. Without it, programs are still served. */
export async function importPages(): Promise<PageFiles | undefined> {
  try {
    return (await import("../../../dist/pages.ts")).pages;
  } catch {
    return undefined;
  }
}
