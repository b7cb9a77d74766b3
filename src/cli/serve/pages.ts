import { SettingsError } from "../../config.ts";
import { findMissingAssets } from "../../http/public/html-pages.ts";
import type { WebFiles } from "../../http/public/web-files.ts";

/** Returns the console, or undefined if it was not built. Throws SettingsError if it was built from other sources. */
export async function importPages(): Promise<WebFiles | undefined> {
  const pages = await import("../../../dist/pages.ts").then((module) => module.pages).catch(() => undefined);
  const missing = pages ? findMissingAssets(pages) : [];
  if (missing.length === 0) return pages;
  throw new SettingsError(
    `The pages in dist/ are stale: they were built from other sources, and lack ${missing.join(", ")}. Run npm run build.`,
  );
}
