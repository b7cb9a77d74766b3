import { join } from "node:path";
import { type CDPSession, chromium, type Page } from "playwright-core";
import { describeSearch, findBrowser, thisMachine } from "../test/support/find-browser.ts";
import { makeCatalogue } from "./catalogue.ts";
import { percentile } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import type { Section } from "./report.ts";
import { key, startService } from "./targets.ts";

const rowHeight = 44;
const seconds = 6;
const speeds = [500, 2_000];

/** Measures how smoothly the console's table scrolls, how much memory the page holds, and how soon it shows changes by other users. */
export async function runBrowser(folder: string, plan: Plan): Promise<Section[]> {
  const search = await findBrowser(thisMachine, showProgress);
  if (search.path === undefined) throw new Error(describeSearch(search));
  const catalogue = join(folder, "catalogue.db");
  showProgress(`Making a catalogue of ${plan.animals} animals`);
  await makeCatalogue({ kind: "sqlite", path: catalogue }, plan.animals);
  await using service = await startService(`sqlite:${catalogue}`, { log: join(folder, "service.log") });
  await using browser = await chromium.launch({ executablePath: search.path });
  const animals = `${plan.animals.toLocaleString("en")} animals in Chromium ${browser.version()}`;
  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    return await signIn(await context.newPage(), service.url.origin);
  };
  return [
    await measureScrolling(animals, open),
    await measureMemory(animals, open),
    await measurePropagation(animals, open, plan.rounds * 12),
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

async function measureScrolling(animals: string, open: () => Promise<Page>): Promise<Section> {
  const rows: (string | number)[][] = [];
  for (const speed of speeds) {
    showProgress(`Scrolling at ${speed} rows a second`);
    const page = await open();
    const scrollResult = page.evaluate(`(${watchForGaps})(${seconds * 1_000})`) as Promise<ScrollResult>;
    await scrollByWheel(page, speed);
    const { gaps, frames, top } = await scrollResult;
    rows.push([
      speed.toLocaleString("en"),
      top / rowHeight / seconds,
      frames / seconds,
      gaps.length,
      Math.max(0, ...gaps),
      percentile([0, ...gaps], 0.5),
    ]);
    await page.context().close();
  }
  return {
    title: `Scrolling through ${animals}, for ${seconds} seconds`,
    columns: ["rows per s, wanted", "reached", "frames per s", "gaps", "longest gap ms", "middle gap ms"],
    rows,
    notes: ["A gap is a time during which any of three places of the table, checked in every frame, shows no animal."],
  };
}

async function scrollByWheel(page: Page, speed: number): Promise<void> {
  await page.mouse.move(600, 500);
  const start = performance.now();
  for (let scrolled = 0; performance.now() - start < seconds * 1_000; ) {
    const due = ((performance.now() - start) / 1_000) * speed;
    await page.mouse.wheel(0, (due - scrolled) * rowHeight);
    scrolled = due;
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
const watchForGaps = `async (milliseconds) => {
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
const farRow = 60_000;

async function measureMemory(animals: string, open: () => Promise<Page>): Promise<Section> {
  const page = await open();
  const session = await page.context().newCDPSession(page);
  const atStart = await heapMegabytes(session);
  showProgress(`Scrolling to row ${farRow}`);
  const start = performance.now();
  await page.evaluate(`(async () => {
    const scroller = document.scrollingElement;
    while (scroller.scrollTop < ${farRow * rowHeight}) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
  })()`);
  const elapsedSeconds = (performance.now() - start) / 1_000;
  const atEnd = await heapMegabytes(session);
  // Waits until the console has removed invisible pages of the list from its memory, which takes 5 seconds.
  await Bun.sleep(8_000);
  const afterwards = await heapMegabytes(session);
  await page.context().close();
  return {
    title: `Memory of the page with ${animals}, scrolled to row ${farRow.toLocaleString("en")}`,
    columns: ["MB at first", "MB there", "MB 8 s later", "s to get there", "rows per s"],
    rows: [[atStart, atEnd, afterwards, elapsedSeconds, farRow / elapsedSeconds]],
  };
}

/** Changes animals in one browser context, and measures how soon the list in another context shows each change. */
async function measurePropagation(animals: string, open: () => Promise<Page>, changes: number): Promise<Section> {
  showProgress(`Changing ${changes} animals in one browser, and watching another`);
  const [here, there] = [await open(), await open()];
  await here.evaluate(`addEventListener("click", () => { window.pressedAt = ${systemTime}; }, true)`);
  const latencies: number[] = [];
  for (let change = 1; change <= changes; change++) {
    const name = `Shared ${change}`;
    const shownAt = there.evaluate(`(${waitForName})(${JSON.stringify(name)})`) as Promise<number>;
    await here
      .locator("button.open")
      .nth(change % visibleRowCount)
      .click();
    await here.getByRole("dialog").getByLabel("Name").fill(name);
    await here.getByRole("button", { name: "Save" }).click();
    latencies.push((await shownAt) - ((await here.evaluate("window.pressedAt")) as number));
    await here.getByRole("dialog").waitFor({ state: "detached" });
  }
  await Promise.all([here.context().close(), there.context().close()]);
  return {
    title: `From one browser to another, with ${animals}`,
    columns: ["changes", "p50 ms", "p99 ms", "longest ms"],
    rows: [[changes, percentile(latencies, 0.5), percentile(latencies, 0.99), Math.max(...latencies)]],
    notes: ["From the press of Save in one browser until the list in the other has the new name in its document."],
  };
}

const visibleRowCount = 10;

/** A JavaScript expression for the time in milliseconds. Both browser contexts use the same clock. */
const systemTime = "performance.timeOrigin + performance.now()";

/** The source of a function that runs in the page. The function waits until the list shows a name, and returns the time. */
const waitForName = `(name) => new Promise((resolve) => {
  const check = () => {
    if (![...document.querySelectorAll("button.open")].some(({ textContent }) => textContent === name)) return;
    observer.disconnect();
    resolve(${systemTime});
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
})`;

async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / 1_000_000;
}
