/** Takes the screenshots of the console for the guides, with a real browser and a real service. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { pages } from "../dist/pages.ts";
import { describeSearch, findBrowser, thisMachine } from "../test/support/find-browser.ts";
import { startService } from "../test/support/service.ts";
import { fillPicturedStore, openAnimalId, pictureTime } from "./pictured-store.ts";

const folder = join(import.meta.dir, "../docs/images");
const pictures = [
  { name: "overview", path: "/overview", expectedTexts: ["in all", "last 4 weeks", "was sold", "Ziggy"] },
  { name: "animals", path: `/animals?animal=${openAnimalId}`, expectedTexts: ["19 animals", "Added by"] },
  { name: "activity", path: "/activity", expectedTexts: ["Yesterday", "was sold"] },
] as const;

const search = await findBrowser(thisMachine, console.log);
if (search.path === undefined) throw new Error(describeSearch(search));
mkdirSync(folder, { recursive: true });
let time = pictureTime;
await using service = await startService({ clock: () => time, pages }, "sqlite");
const { origin } = service.service.url;
const key = await fillPicturedStore(origin, service.client.key, (at) => {
  time = at;
});
await using browser = await chromium.launch({
  executablePath: search.path,
  // Makes screenshots reproducible: partial rasterisation is not deterministic.
  args: ["--disable-partial-raster", "--force-color-profile=srgb"],
});
for (const colorScheme of ["light", "dark"] as const) {
  const page = await signIn(browser, colorScheme);
  for (const { name, path, expectedTexts } of pictures) {
    await page.goto(origin + path);
    for (const text of expectedTexts) await page.getByText(text).first().waitFor();
    await page.evaluate("document.fonts.ready");
    const file = `${name}-${colorScheme}.png`;
    const { length } = await page.screenshot({ path: join(folder, file), animations: "disabled", caret: "hide" });
    console.log(`docs/images/${file}: ${length.toLocaleString("en")} bytes`);
  }
  await page.context().close();
}

async function signIn(browser: Browser, colorScheme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 760 },
    colorScheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  await context.clock.setFixedTime(pictureTime);
  const page = await context.newPage();
  await page.goto(origin);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  return page;
}
