import { afterAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import type axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
  type Response,
  type Route,
} from "playwright-core";
import { pages } from "../../dist/pages.ts";
import type { ServiceParts } from "../../src/cli/serve/service.ts";
import { browserArguments } from "./browser-arguments.ts";
import { testUnless } from "./conditional-test.ts";
import { askedBrowser, describeSearch, findBrowser, refuse, thisMachine, withoutBrowser } from "./find-browser.ts";
import { startService, type TestService } from "./service.ts";
import { pause, until } from "./wait.ts";

/** Only what never comes takes so long. */
const guardMs = 60_000;

/** The suite finds the browser once and hands its path on; a test file that is run alone finds it by itself. */
const search = askedBrowser(process.env) ?? (await findBrowser(thisMachine, console.log));
if (!askedBrowser(process.env)?.path) console.log(describeSearch(search));

/** A test that needs the browser. Where there is none it is skipped, and says how to have one. */
export function test(name: string, body: () => Promise<void>): void {
  testUnless(withoutBrowser(search), name, body);
}

/** A part of a test that has a name, which is told if it fails. */
export async function step(name: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

/** A person in front of a real browser, at a real service. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly service: TestService;
  readonly url: string;
  /** Messages on the browser's console that are part of what the test does from here on. */
  readonly expectedErrors: RegExp[];
  /** The same, of a step alone. The console hears of a request that failed before its page does, so that nothing comes late. */
  expecting(errors: readonly RegExp[], body: () => Promise<void>): () => Promise<void>;
  /** Opens the page that the visit begins with, in a tab that has a key already or, without one, has none. */
  open(key?: string): Promise<void>;
  /** Opens the console signed in, which costs half of what signing in by the form does. */
  enter(key?: string): Promise<void>;
  /** Signs in by the form that is open. */
  signIn(key?: string): Promise<void>;
  /** Another tab at a path, with a key or without one. */
  another(at: string, key?: string): Promise<Page>;
}

export interface VisitOptions extends Omit<BrowserContextOptions, "reducedMotion"> {
  /** The path of the page that it begins with. */
  readonly at?: string;
  readonly animals?: number;
  readonly parts?: Partial<ServiceParts>;
  /** Whether no other visit is to come in the same tab, since something is done to it that cannot be undone, as to its clock. */
  readonly hasOwnTab?: boolean;
}

/**
 * Comes to a service of its own, in a tab in which nothing is open yet. At the end of the visit, nothing must have gone wrong that
 * the person did not see: no error on the browser's console, no request to another origin, no answer that the document does not
 * give.
 */
export async function visit({
  at = "/animals",
  animals = 0,
  parts,
  hasOwnTab = false,
  ...options
}: VisitOptions = {}): Promise<Visit> {
  const service = await startWhereTheLastWas({ ...parts, pages });
  if (animals > 0) await service.database.fill(animals);
  const url = service.service.url.origin;
  const seat = await takeSeat(options, hasOwnTab);
  const { context, page } = seat;
  const problems: string[] = [];
  const expectedErrors: RegExp[] = [];
  const note = (problem: string) => {
    if (!expectedErrors.some((expected) => expected.test(problem))) problems.push(problem);
  };
  const checks: Promise<boolean>[] = [];
  const watch = (page: Page) => {
    page.setDefaultTimeout(guardMs);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") note(message.text());
    });
    page.on("pageerror", ({ message }) => note(message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:")) {
        note(`a request to ${request.url()}`);
      }
    });
    page.on("response", (response) => {
      if (response.url().startsWith(`${url}/v1/`)) checks.push(check(service, response));
    });
  };
  context.on("page", watch);
  watch(page);
  const open = async (tab: Page, path: string, key?: string) => {
    const before = { key, place: placeOfKey, isFirst: tab === page };
    await using _ = await tab.addInitScript(({ key, place, isFirst }) => {
      // Nothing of an earlier visit.
      if (isFirst) for (const storage of [localStorage, sessionStorage]) storage.clear();
      if (key !== undefined) sessionStorage.setItem(place, key);
    }, before);
    await tab.goto(url + path);
  };
  const untilSignedIn = () => page.getByRole("navigation", { name: "Views" }).waitFor();
  return {
    page,
    service,
    url,
    expectedErrors,
    expecting: (errors, body) => async () => {
      expectedErrors.push(...errors);
      try {
        await body();
      } finally {
        expectedErrors.splice(0, Number.POSITIVE_INFINITY, ...expectedErrors.filter((each) => !errors.includes(each)));
      }
    },
    open: (key) => open(page, at, key),
    async enter(key = service.client.key) {
      await open(page, at, key);
      await untilSignedIn();
    },
    async signIn(key = service.client.key) {
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await untilSignedIn();
    },
    async another(path, key) {
      const tab = await context.newPage();
      await open(tab, path, key);
      return tab;
    },
    async [Symbol.asyncDispose]() {
      await leave(seat);
      const judged = await Promise.all(checks);
      await service[Symbol.asyncDispose]();
      expect(problems).toEqual([]);
      if (judged.length > 0) expect(judged).toContain(true);
    },
  };
}

/** What a browser has compiled of a page, it knows by its address: without it, a visit costs half as much again. */
async function startWhereTheLastWas(parts: Partial<ServiceParts>): Promise<TestService> {
  const service = await startService({ port, ...parts }, "sqlite").catch((error) => {
    // Somebody else may have been given the port meanwhile.
    if (error.code !== "EADDRINUSE") throw error;
    return startService(parts, "sqlite");
  });
  port = Number(service.service.url.port);
  return service;
}

/** Any, to begin with. */
let port = 0;

/** Where the console and the reference keep the key of a tab. */
const placeOfKey = "animal-store-key";

/** A page that is not the console, and what its console says. */
export async function openPage(address: string): Promise<{ page: Page; messages: string[] } & AsyncDisposable> {
  const context = await newContext({});
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", ({ message }) => messages.push(message));
  await page.goto(address);
  return { page, messages, [Symbol.asyncDispose]: () => context.close() };
}

/**
 * Handles the requests of a page whose addresses match, from the next one on. `page.route` alone returns a little too early: a
 * request that is made right after it may slip past.
 */
export async function intercept(page: Page, pattern: string, handle: (route: Route) => unknown): Promise<void> {
  const [probe, caught] = ["/healthz", "intercepted"];
  await page.route(pattern, handle);
  await page.route(`**${probe}`, (route) => route.fulfill({ body: caught }));
  const guard = AbortSignal.timeout(guardMs);
  while ((await page.evaluate(async (path) => await (await fetch(path)).text(), probe)) !== caught) {
    if (guard.aborted) throw new Error(`The requests of ${page.url()} were never intercepted.`);
    await pause();
  }
  await page.unroute(`**${probe}`);
}

/** The browser's own words about an answer that is no success. */
export function failedRequest(status: number): RegExp {
  return new RegExp(`Failed to load resource.*${status}`);
}

/** What a checker of accessibility has to say against what is on the page. */
export async function violationsOn(page: Page): Promise<string[]> {
  // It is half a megabyte, which costs a quarter of what judging does.
  const isThere = await page.evaluate(() => "axe" in globalThis);
  if (!isThere) await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  return await page.evaluate(async () => {
    // Not on by itself, though the Web Content Accessibility Guidelines 2.2 ask for it.
    const rules = { "target-size": { enabled: true } };
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({ rules });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

/** How people see a page: what colours contrast with depends on the theme, and what has room on the width. */
const looks = [
  { colorScheme: "dark", width: 360 },
  { colorScheme: "light", width: 1440 },
] as const;

/** What there is to say against the page in each of the looks: that it is too wide, or what the checker of accessibility says. */
export async function violationsInAnyLook(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    // Until it is drawn as it is now.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    const whole = await page.evaluate<number>("document.documentElement.scrollWidth");
    const complaints = [...(whole === width ? [] : [`It is ${whole} pixels wide.`]), ...(await violationsOn(page))];
    found.push(...complaints.map((complaint) => `${colorScheme}, ${width} pixels: ${complaint}`));
  }
  return found;
}

/** Waits until these are what the elements say: a list may be there before all of its names are. */
export async function untilTexts(elements: Locator, expected: readonly string[]): Promise<void> {
  const guard = AbortSignal.timeout(guardMs);
  let texts: string[] = [];
  await until(async () => {
    texts = await elements.allInnerTexts();
    return Bun.deepEquals(texts, expected) || guard.aborted;
  });
  expect(texts).toEqual([...expected]);
}

/** The row of the catalogue that an animal is on. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
}

/** Returns whether there was anything to judge. */
async function check({ client }: TestService, response: Response): Promise<boolean> {
  const { pathname, search } = new URL(response.url());
  const read = await Promise.all([response.text(), response.allHeaders()]).catch(() => undefined);
  // What was cut off before it was read, by a page that was left, cannot be judged.
  if (!read) return false;
  const [text, headers] = read;
  await client.check(response.request().method(), pathname + search, response.status(), new Headers(headers), text);
  return true;
}

/** A tab of the browser, which visits use one after the other: a new one costs more than most visits do. */
interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  readonly kind: string;
}

const freeSeats: Seat[] = [];

/** The kind of a seat that is never free again. */
const forOne = "for one";

/** What moves only makes the tests wait for it. */
const reducedMotion = "reduce";

async function takeSeat(
  { viewport = { width: 1280, height: 800 }, colorScheme = "light", permissions = [], ...fixed }: BrowserContextOptions,
  isForOne: boolean,
): Promise<Seat> {
  const kind = isForOne ? forOne : JSON.stringify(fixed);
  const index = freeSeats.findIndex((seat) => seat.kind === kind && !seat.page.isClosed());
  const [seat = await makeSeat(fixed, kind)] = index < 0 ? [] : freeSeats.splice(index, 1);
  if (viewport) await seat.page.setViewportSize(viewport);
  await seat.page.emulateMedia({ media: null, colorScheme, reducedMotion });
  await seat.context.clearPermissions();
  await seat.context.grantPermissions(permissions);
  return seat;
}

async function makeSeat(options: BrowserContextOptions, kind: string): Promise<Seat> {
  const context = await newContext({ reducedMotion, ...options });
  const page = await context.newPage();
  return { context, page, session: await context.newCDPSession(page), kind };
}

/** Leaves nothing of a visit for the next but what is stored, which is cleared before the next page runs. */
async function leave(seat: Seat): Promise<void> {
  const { context, page, session, kind } = seat;
  for (const tab of context.pages()) if (tab !== page) await tab.close();
  for (const event of ["page", "request", "requestfailed", "response"]) context.removeAllListeners(event);
  if (page.isClosed() || kind === forOne) return await context.close();
  for (const event of ["console", "dialog", "download", "pageerror", "request", "requestfailed", "response"]) {
    page.removeAllListeners(event);
  }
  await context.unrouteAll();
  await page.unrouteAll();
  await context.setOffline(false);
  // Some views ask before they are left.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto("about:blank");
  page.removeAllListeners("dialog");
  await session.send("Page.resetNavigationHistory");
  freeSeats.push(seat);
}

let browser: Promise<Browser> | undefined;

async function newContext(given: BrowserContextOptions): Promise<BrowserContext> {
  // Not the language of whoever runs the tests.
  const options = { locale: "en-US", ...given };
  try {
    return await (await theBrowser()).newContext(options);
  } catch {
    // A test that hangs takes the browser along; the next one is not to fail for that.
    browser = undefined;
    return await (await theBrowser()).newContext(options);
  }
}

/** One browser for all tests of a process. */
function theBrowser(): Promise<Browser> {
  if (!search.path) throw new Error(describeSearch(search));
  // Not the arguments that come with the npm package, which turn off much of what the tests are about.
  browser ??= chromium
    .launch({ executablePath: search.path, args: browserArguments })
    .catch((error) => refuse(search, error));
  return browser;
}

afterAll(async () => {
  await (await browser?.catch(() => undefined))?.close();
  browser = undefined;
});
