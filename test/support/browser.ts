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
import {
  browserSkipReason,
  describeSearch,
  findBrowser,
  findConfiguredBrowser,
  thisMachine,
  throwBrowserError,
} from "./find-browser.ts";
import { startService, type TestService } from "./service.ts";
import { pause, until } from "./wait.ts";

/** Time limit of a wait, reached only if the awaited event never happens. */
const maxWaitMs = 60_000;

/** The suite finds the browser once and passes its path on; a test file that runs alone finds the browser itself. */
const configuredSearch = findConfiguredBrowser(process.env);
const search = configuredSearch ?? (await findBrowser(thisMachine, console.log));
if (!configuredSearch?.path) console.log(describeSearch(search));

/** Declares a test that needs a browser. Without one, the test is skipped, and its name says how to install a browser. */
export function test(name: string, body: () => Promise<void>): void {
  testUnless(browserSkipReason(search), name, body);
}

export async function step(name: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly service: TestService;
  readonly url: string;
  /** Patterns of console messages that do not fail the test. */
  readonly expectedErrors: RegExp[];
  /** Wraps a step that expects console messages. The browser logs a failed request before the page handles the failure. */
  withExpectedErrors(errors: readonly RegExp[], body: () => Promise<void>): () => Promise<void>;
  open(key?: string): Promise<void>;
  /** Opens the console already signed in, by storing the key, in half the time of `open` and `signIn`. */
  enter(key?: string): Promise<void>;
  signIn(key?: string): Promise<void>;
  openTab(path: string, key?: string): Promise<Page>;
}

export interface VisitOptions extends Omit<BrowserContextOptions, "reducedMotion"> {
  readonly path?: string;
  readonly animals?: number;
  readonly parts?: Partial<ServiceParts>;
  readonly expectedErrors?: readonly RegExp[];
  /** True if no later visit may reuse the tab, because the test changes the tab irreversibly, such as the tab's clock. */
  readonly hasOwnTab?: boolean;
}

/** Starts a service and opens a tab. The disposal fails on console errors, requests to other origins, and undocumented responses. */
export async function visit(given: VisitOptions = {}): Promise<Visit> {
  const {
    path: initialPath = "/animals",
    animals = 0,
    parts,
    hasOwnTab = false,
    expectedErrors: initialErrors = [],
    ...options
  } = given;
  const service = await startOnLastPort({ ...parts, pages });
  if (animals > 0) await service.database.fill(animals);
  const url = service.service.url.origin;
  const tab = await takeTab(options, hasOwnTab);
  const { context, page } = tab;
  const problems: string[] = [];
  const expectedErrors = [...initialErrors];
  const recordProblem = (problem: string) => {
    if (!expectedErrors.some((expected) => expected.test(problem))) problems.push(problem);
  };
  const checks: Promise<boolean>[] = [];
  const watch = (page: Page) => {
    page.setDefaultTimeout(maxWaitMs);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") recordProblem(message.text());
    });
    page.on("pageerror", ({ message }) => recordProblem(message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:")) {
        recordProblem(`a request to ${request.url()}`);
      }
    });
    page.on("response", (response) => {
      if (response.url().startsWith(`${url}/v1/`)) checks.push(checkResponse(service, response));
    });
  };
  context.on("page", watch);
  watch(page);
  const open = async (opened: Page, path: string, key?: string) => {
    const scriptArguments = { key, storageName: keyStorageName, isFirst: opened === page };
    await using _ = await opened.addInitScript(({ key, storageName, isFirst }) => {
      // Removes the data of earlier visits.
      if (isFirst) for (const storage of [localStorage, sessionStorage]) storage.clear();
      if (key !== undefined) sessionStorage.setItem(storageName, key);
    }, scriptArguments);
    await opened.goto(url + path);
  };
  const untilSignedIn = () => page.getByRole("navigation", { name: "Views" }).waitFor();
  return {
    page,
    service,
    url,
    expectedErrors,
    withExpectedErrors: (errors, body) => async () => {
      expectedErrors.push(...errors);
      try {
        await body();
      } finally {
        expectedErrors.splice(0, Number.POSITIVE_INFINITY, ...expectedErrors.filter((each) => !errors.includes(each)));
      }
    },
    open: (key) => open(page, initialPath, key),
    async enter(key = service.client.key) {
      await open(page, initialPath, key);
      await untilSignedIn();
    },
    async signIn(key = service.client.key) {
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await untilSignedIn();
    },
    async openTab(path, key) {
      const opened = await context.newPage();
      await open(opened, path, key);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      await releaseTab(tab);
      const results = await Promise.all(checks);
      await service[Symbol.asyncDispose]();
      expect(problems).toEqual([]);
      if (results.length > 0) expect(results).toContain(true);
    },
  };
}

export async function enterConsole(options: VisitOptions = {}): Promise<Visit> {
  const visitor = await visit(options);
  await visitor.enter();
  return visitor;
}

/** Reuses the port of the previous service, because browsers cache compiled scripts by origin. A new port makes a visit 50 % slower. */
async function startOnLastPort(parts: Partial<ServiceParts>): Promise<TestService> {
  const service = await startService({ port, ...parts }, "sqlite").catch((error) => {
    // Another process may have received the port in the meantime.
    if (error.code !== "EADDRINUSE") throw error;
    return startService(parts, "sqlite");
  });
  port = Number(service.service.url.port);
  return service;
}

/** The port of the previous service; at first 0, which means any port. */
let port = 0;

const keyStorageName = "animal-store-key";

export async function openPage(address: string): Promise<{ page: Page; messages: string[] } & AsyncDisposable> {
  const context = await createContext({});
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", ({ message }) => messages.push(message));
  await page.goto(address);
  return { page, messages, [Symbol.asyncDispose]: () => context.close() };
}

/** Intercepts matching requests, starting with the next one; `page.route` alone returns before the interception begins. */
export async function intercept(page: Page, pattern: string, handle: (route: Route) => unknown): Promise<void> {
  const [probe, marker] = ["/healthz", "intercepted"];
  await page.route(pattern, handle);
  await page.route(`**${probe}`, (route) => route.fulfill({ body: marker }));
  const timeout = AbortSignal.timeout(maxWaitMs);
  while ((await page.evaluate(async (path) => await (await fetch(path)).text(), probe)) !== marker) {
    if (timeout.aborted) throw new Error(`The requests of ${page.url()} were never intercepted.`);
    await pause();
  }
  await page.unroute(`**${probe}`);
}

/** Holds matching requests of a page, starting with the next one. Returns a function that releases the requests. */
export async function holdRequests(page: Page, pattern: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await intercept(page, pattern, async (route) => {
    await released;
    // The page may have cancelled the request in the meantime.
    await route.continue().catch(() => {});
  });
  return release;
}

export function failedRequestPattern(status: number): RegExp {
  return new RegExp(`Failed to load resource.*${status}`);
}

export async function findAxeViolations(page: Page): Promise<string[]> {
  // Loads axe only once per page, because loading its half a megabyte takes a quarter of the time of a check.
  const isLoaded = await page.evaluate(() => "axe" in globalThis);
  if (!isLoaded) await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  return await page.evaluate(async () => {
    // WCAG 2.2 requires this rule, but axe disables it by default.
    const rules = { "target-size": { enabled: true } };
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({ rules });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

/** Looks of a page: the theme affects contrast, and the width affects the layout. */
const looks = [
  { colorScheme: "dark", width: 360 },
  { colorScheme: "light", width: 1440 },
] as const;

/** Returns the accessibility violations in each look, and the windows for which the page is too wide. */
export async function findAxeViolationsByLook(page: Page): Promise<string[]> {
  const violations: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    // When the second frame begins, the page has been painted in its new look.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    const pageWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
    const problems = [
      ...(pageWidth === width ? [] : [`It is ${pageWidth} pixels wide.`]),
      ...(await findAxeViolations(page)),
    ];
    violations.push(...problems.map((problem) => `${colorScheme}, ${width} pixels: ${problem}`));
  }
  return violations;
}

/** Waits until the elements have these texts, because a page may render a list before all names are loaded. */
export async function untilTexts(elements: Locator, expected: readonly string[]): Promise<void> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  let texts: string[] = [];
  await until(async () => {
    texts = await elements.allInnerTexts();
    return Bun.deepEquals(texts, expected) || timeout.aborted;
  });
  expect(texts).toEqual([...expected]);
}

export function rowOf(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
}

/** Checks a response against the OpenAPI document. Returns false if its body is no longer available. */
async function checkResponse({ client }: TestService, response: Response): Promise<boolean> {
  const { pathname, search } = new URL(response.url());
  const bodyAndHeaders = await Promise.all([response.text(), response.allHeaders()]).catch(() => undefined);
  // The page may have been left before the body was received.
  if (!bodyAndHeaders) return false;
  const [text, headers] = bodyAndHeaders;
  await client.check(response.request().method(), pathname + search, response.status(), new Headers(headers), text);
  return true;
}

/** A browser tab, which visits reuse because creating a tab takes longer than most visits. */
interface BrowserTab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  readonly kind: string;
}

const freeTabs: BrowserTab[] = [];

const singleUseKind = "single use";

/** Disables animations, for which the tests would have to wait. */
const reducedMotion = "reduce";

async function takeTab(
  {
    viewport = { width: 1280, height: 800 },
    colorScheme = "light",
    permissions = [],
    ...contextOptions
  }: BrowserContextOptions,
  isSingleUse: boolean,
): Promise<BrowserTab> {
  const kind = isSingleUse ? singleUseKind : JSON.stringify(contextOptions);
  const index = freeTabs.findIndex((tab) => tab.kind === kind && !tab.page.isClosed());
  const [tab = await createTab(contextOptions, kind)] = index < 0 ? [] : freeTabs.splice(index, 1);
  if (viewport) await tab.page.setViewportSize(viewport);
  await tab.page.emulateMedia({ media: null, colorScheme, reducedMotion });
  await tab.context.clearPermissions();
  await tab.context.grantPermissions(permissions);
  return tab;
}

async function createTab(options: BrowserContextOptions, kind: string): Promise<BrowserTab> {
  const context = await createContext({ reducedMotion, ...options });
  const page = await context.newPage();
  return { context, page, session: await context.newCDPSession(page), kind };
}

/** Resets a tab for the next visit, except for its storage, which the next visit clears before its first page runs. */
async function releaseTab(tab: BrowserTab): Promise<void> {
  const { context, page, session, kind } = tab;
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of ["page", "request", "requestfailed", "response"]) context.removeAllListeners(event);
  if (page.isClosed() || kind === singleUseKind) return await context.close();
  for (const event of ["console", "dialog", "download", "pageerror", "request", "requestfailed", "response"]) {
    page.removeAllListeners(event);
  }
  await context.unrouteAll();
  await page.unrouteAll();
  await context.setOffline(false);
  // Some views ask for confirmation before the user leaves them.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto("about:blank");
  page.removeAllListeners("dialog");
  await session.send("Page.resetNavigationHistory");
  freeTabs.push(tab);
}

let browser: Promise<Browser> | undefined;

async function createContext(given: BrowserContextOptions): Promise<BrowserContext> {
  // The tests must not depend on the language of the machine.
  const options = { locale: "en-US", ...given };
  try {
    return await (await launchBrowser()).newContext(options);
  } catch {
    // A test that hung may have closed the browser, so a new browser is launched.
    browser = undefined;
    return await (await launchBrowser()).newContext(options);
  }
}

function launchBrowser(): Promise<Browser> {
  if (!search.path) throw new Error(describeSearch(search));
  // The arguments that @sparticuz/chromium recommends would disable features that the tests cover.
  browser ??= chromium
    .launch({ executablePath: search.path, args: browserArguments })
    .catch((error) => throwBrowserError(search, error));
  return browser;
}

afterAll(async () => {
  await (await browser?.catch(() => undefined))?.close();
  browser = undefined;
});
