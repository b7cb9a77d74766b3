import { SettingsError } from "../../config.ts";
import type { PageFiles } from "../../http/public/pages.ts";
import { missingAssets } from "../../http/public/reference.ts";

/** Returns the console, or undefined if it was not built. Throws SettingsError if it was built from other sources. */
export async function importPages(): Promise<PageFiles | undefined> {
  const pages = await builtPages();
  const missing = pages ? missingAssets(pages) : [];
  if (missing.length === 0) return pages;
  throw new SettingsError([
    `The pages in dist/ are stale: they were built from other sources, and lack ${missing.join(", ")}. Run npm run build.`,
  ]);
}

async function builtPages(): Promise<PageFiles | undefined> {
  try {
    return (await import("../../../dist/pages.ts")).pages;
  } catch {
    return undefined;
  }
}
