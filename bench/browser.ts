import { join } from "node:path";
import { type CDPSession, chromium, type Page } from "playwright-core";
import { describeSearch, findBrowser, thisMachine } from "../test/support/find-browser.ts";
import { makeCatalogue } from "./catalogue.ts";
import { percentile } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import type { Section } from "./report.ts";
import { key, startService } from "./targets.ts";

const rowHeight = 44;
const scrollSeconds = 6;
const scrollSpeeds = [500, 2_000];

/** Measures how smoothly the console's table scrolls, how much memory the page holds, and how soon it shows changes by other users. */
export async function runBrowser(folder: string, plan: Plan): Promise<Section[]> {
  const search = await findBrowser(thisMachine, showProgress);
  if (search.path === undefined) throw new Error(describeSearch(search));
  const cataloguePath = join(folder, "catalogue.db");
  showProgress(`Making a catalogue of ${plan.animals} animals`);
  await makeCatalogue({ kind: "sqlite", path: cataloguePath }, plan.animals);
  await using service = await startService(`sqlite:${cataloguePath}`, { log: join(folder, "service.log") });
  await using browser = await chromium.launch({ executablePath: search.path });
  const catalogueTitle = `${plan.animals.toLocaleString("en")} animals in Chromium ${browser.version()}`;
  const openPage = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    return await signIn(await context.newPage(), service.url.origin);
  };
  return [
    await measureScrolling(catalogueTitle, openPage),
    await measureMemory(catalogueTitle, openPage),
    await measurePropagation(catalogueTitle, openPage, plan.rounds * 12),
  ];
}

async function signIn(page: Page, origin: string): Promise<Page> {
  await page.goto(`${origin}/animals`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page
    .getByRole("button", { name: /^Animal \d+$/ })
    .first()
    .waitFor();
  return page;
}

async function measureScrolling(catalogueTitle: string, openPage: () => Promise<Page>): Promise<Section> {
  const rows: (string | number)[][] = [];
  for (const speed of scrollSpeeds) {
    showProgress(`Scrolling at ${speed} rows a second`);
    const page = await openPage();
    const scrollResult = page.evaluate(`(${watchForGapsSource})(${scrollSeconds * 1_000})`) as Promise<ScrollResult>;
    await scrollByWheel(page, speed);
    const { gaps, frames, top } = await scrollResult;
    rows.push([
      speed.toLocaleString("en"),
      top / rowHeight / scrollSeconds,
      frames / scrollSeconds,
      gaps.length,
      Math.max(0, ...gaps),
      percentile([0, ...gaps], 0.5),
    ]);
    await page.context().close();
  }
  return {
    title: `Scrolling through ${catalogueTitle}, for ${scrollSeconds} seconds`,
    columns: ["rows per s, wanted", "reached", "frames per s", "gaps", "longest gap ms", "middle gap ms"],
    rows,
    notes: ["A gap is a time during which any of three places of the table, checked in every frame, shows no animal."],
  };
}

async function scrollByWheel(page: Page, speed: number): Promise<void> {
  await page.mouse.move(600, 500);
  const start = performance.now();
  for (let scrolledRows = 0; performance.now() - start < scrollSeconds * 1_000; ) {
    const dueRows = ((performance.now() - start) / 1_000) * speed;
    await page.mouse.wheel(0, (dueRows - scrolledRows) * rowHeight);
    scrolledRows = dueRows;
  }
}

interface ScrollResult {
  /** Duration of each gap in milliseconds. */
  readonly gaps: readonly number[];
  readonly frames: number;
  /** Scroll position at the end, in pixels. */
  readonly top: number;
}

/** The source of a function that runs in the page. The function checks in every frame if three places of the table show rows. */
const watchForGapsSource = `async (milliseconds) => {
  const isBlank = (place) => {
    const { left } = document.querySelector(".table").getBoundingClientRect();
    const element = document.elementFromPoint(left + 200, 100 + (innerHeight - 120) * place);
    return !element?.closest(".row")?.querySelector("button");
  };
  const gaps = [];
  const end = performance.now() + milliseconds;
  let [frames, gapStart] = [0, undefined];
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    frames++;
    const isGap = [0.1, 0.5, 0.95].some(isBlank);
    if (isGap) gapStart ??= performance.now();
    else if (gapStart !== undefined) {
      gaps.push(performance.now() - gapStart);
      gapStart = undefined;
    }
  }
  if (gapStart !== undefined) gaps.push(performance.now() - gapStart);
  return { gaps, frames, top: scrollY };
}`;

/** The row to scroll to, so far down that a memory leak of rows would be noticeable. */
const targetRow = 60_000;

async function measureMemory(catalogueTitle: string, openPage: () => Promise<Page>): Promise<Section> {
  const page = await openPage();
  const session = await page.context().newCDPSession(page);
  const atStart = await measureHeapMegabytes(session);
  showProgress(`Scrolling to row ${targetRow}`);
  const start = performance.now();
  await page.evaluate(`(async () => {
    const scroller = document.scrollingElement;
    while (scroller.scrollTop < ${targetRow * rowHeight}) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
  })()`);
  const elapsedSeconds = (performance.now() - start) / 1_000;
  const atEnd = await measureHeapMegabytes(session);
  // Waits until the console has removed invisible pages of the list from its memory, which takes 5 seconds.
  await Bun.sleep(8_000);
  const afterwards = await measureHeapMegabytes(session);
  await page.context().close();
  return {
    title: `Memory of the page with ${catalogueTitle}, scrolled to row ${targetRow.toLocaleString("en")}`,
    columns: ["MB at first", "MB there", "MB 8 s later", "s to get there", "rows per s"],
    rows: [[atStart, atEnd, afterwards, elapsedSeconds, targetRow / elapsedSeconds]],
  };
}

/** Changes animals in one browser context, and measures how soon the list in another context shows each change. */
async function measurePropagation(
  catalogueTitle: string,
  openPage: () => Promise<Page>,
  changeCount: number,
): Promise<Section> {
  showProgress(`Changing ${changeCount} animals in one browser, and watching another`);
  const [editingPage, watchingPage] = [await openPage(), await openPage()];
  await editingPage.evaluate(`addEventListener("click", () => { window.pressedAt = ${systemTimeExpression}; }, true)`);
  const latencies: number[] = [];
  for (let change = 1; change <= changeCount; change++) {
    const name = `Shared ${change}`;
    const shownAt = watchingPage.evaluate(`(${waitForNameSource})(${JSON.stringify(name)})`) as Promise<number>;
    await editingPage
      .locator("button.open")
      .nth(change % visibleRowCount)
      .click();
    await editingPage.getByRole("dialog").getByLabel("Name").fill(name);
    await editingPage.getByRole("button", { name: "Save" }).click();
    latencies.push((await shownAt) - ((await editingPage.evaluate("window.pressedAt")) as number));
    await editingPage.getByRole("dialog").waitFor({ state: "detached" });
  }
  await Promise.all([editingPage.context().close(), watchingPage.context().close()]);
  return {
    title: `From one browser to another, with ${catalogueTitle}`,
    columns: ["changes", "p50 ms", "p99 ms", "longest ms"],
    rows: [[changeCount, percentile(latencies, 0.5), percentile(latencies, 0.99), Math.max(...latencies)]],
    notes: ["From the press of Save in one browser until the list in the other has the new name in its document."],
  };
}

const visibleRowCount = 10;

/** A JavaScript expression for the time in milliseconds. Both browser contexts use the same clock. */
const systemTimeExpression = "performance.timeOrigin + performance.now()";

/** The source of a function that runs in the page. The function waits until the list shows a name, and returns the time. */
const waitForNameSource = `(name) => new Promise((resolve) => {
  const check = () => {
    if (![...document.querySelectorAll("button.open")].some(({ textContent }) => textContent === name)) return;
    observer.disconnect();
    resolve(${systemTimeExpression});
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
})`;

async function measureHeapMegabytes(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / 1_000_000;
}
