import { expect } from "bun:test";
import type { ElementHandle, Page } from "playwright-core";
import {
  failedRequestPattern,
  findAxeViolations,
  step,
  test,
  type Visit,
  type VisitOptions,
  visit,
} from "../support/browser.ts";

async function visitWithKey(path: string, options: VisitOptions = {}): Promise<Visit> {
  const visitor = await visit({ path, ...options });
  await visitor.open(visitor.service.client.key);
  return visitor;
}

async function tryOut({ page, url }: Visit, id: string) {
  await page.goto(`${url}/docs#${id}`);
  await page.locator(`#${id} button.try`).click();
  // Finds elements by CSS selector, because a search by role would examine all 12,000 elements of the page each time.
  return page.locator("dialog[open]");
}

test("the API reference uses the key of the console's session, and links back to the console", async () => {
  await using visitor = await visit();
  const { page, service, url } = visitor;
  await visitor.enter();
  await page.goto(`${url}/docs`);
  await page.locator("header.bar").getByText("(admin)").waitFor();
  const drawer = await tryOut(visitor, "createPet");
  await drawer.getByLabel("Body").fill('{ "name": "Moby", "categoryId": 9007199254740993 }');
  await drawer.getByRole("button", { name: "Send" }).click();
  await drawer.getByText("201 Created").waitFor();
  const shownBody = await drawer.getByLabel("Body of the response").textContent();
  expect(shownBody).toBe(
    '{\n  "id": 1,\n  "name": "Moby",\n  "categoryId": 9007199254740993,\n  "status": "available"\n}',
  );
  expect(await drawer.locator("dl.headers").textContent()).toContain("location/v1/pets/1");
  expect((await service.client.call("/v1/pets")).text).toContain("9007199254740993");
  await drawer.getByRole("button", { name: "Close" }).click();
  await page.locator("header.bar").getByRole("link", { name: "Console" }).click();
  await page.getByText("Moby").first().waitFor();
});

test("the API reference sends a request with the entered values, and shows the response", async () => {
  await using visitor = await visitWithKey("/docs#listPets", { animals: 3 });
  const { page, service, expectedErrors } = visitor;

  await step("filters have no default values, and only entered values are sent", async () => {
    const drawer = await tryOut(visitor, "listPets");
    const values = await drawer
      .locator("input, select")
      .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => value !== "")).toEqual([]);
    const nextResponse = () =>
      page
        .waitForResponse((received) => new URL(received.url()).pathname === "/v1/pets")
        .then(async (received) => {
          const { search } = new URL(received.url());
          return [search, ((await received.json()) as unknown[]).length];
        });
    let response = nextResponse();
    await drawer.getByRole("button", { name: "Send" }).click();
    expect(await response).toEqual(["", 3]);
    await drawer.getByLabel("limit").fill("2");
    await drawer.getByText("/v1/pets?limit=2").waitFor();
    response = nextResponse();
    await drawer.getByLabel("limit").press("Enter");
    expect(await response).toEqual(["?limit=2", 2]);
    await drawer.getByRole("button", { name: "Close" }).click();
  });

  await step("the drawer shows an error response unchanged", async () => {
    expectedErrors.push(failedRequestPattern(400), failedRequestPattern(404));
    const drawer = await tryOut(visitor, "createPet");
    await drawer.getByLabel("Body").fill('{"name":""}');
    await drawer.getByRole("button", { name: "Send" }).click();
    await drawer.getByText("400 Bad Request").waitFor();
    const body = drawer.getByLabel("Body of the response");
    expect(await body.textContent()).toContain('"code": "BadRequest"');
    await drawer.getByRole("button", { name: "Close" }).click();
    const other = await tryOut(visitor, "getPet");
    // The browser reports a missing required value before anything is sent.
    await other.getByRole("button", { name: "Send" }).click();
    expect(await other.getByLabel("petId").evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(
      true,
    );
    await other.getByLabel("petId").fill("12");
    await other.getByRole("button", { name: "Send" }).click();
    await other.getByText("404 Not Found").waitFor();
    await other.getByRole("button", { name: "Close" }).click();
  });

  await step("the drawer shows each event of a stream when it arrives, until the user stops the stream", async () => {
    const drawer = await tryOut(visitor, "listEvents");
    await drawer.getByLabel("Accept", { exact: true }).selectOption("text/event-stream");
    await drawer.getByRole("button", { name: "Send" }).click();
    await drawer.getByText("200 OK").waitFor();
    await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    await drawer.getByText("event: pet.created").waitFor();
    await drawer.getByRole("button", { name: "Stop" }).click();
    await drawer.getByText("You have stopped reading here.").waitFor();
  });
});

test("a user can sign in to the API reference with a valid key", async () => {
  await using visitor = await visit({ path: "/docs#getInventory" });
  const { page, service, url, open, expectedErrors } = visitor;
  expectedErrors.push(failedRequestPattern(401));
  await open();
  const drawer = await tryOut(visitor, "getInventory");
  await drawer.getByRole("button", { name: "Send" }).click();
  await drawer.getByText("401 Unauthorized").waitFor();
  await drawer.getByRole("button", { name: "Sign in" }).click();
  const signIn = page.getByRole("dialog", { name: "Sign in" });
  await signIn.getByLabel("API key").fill("ask_wrong");
  await signIn.getByLabel("API key").press("Enter");
  await signIn.getByRole("alert").filter({ hasText: "key" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await signIn.getByLabel("API key").fill(service.client.key);
  await signIn.getByRole("button", { name: "Sign in" }).click();
  await signIn.waitFor({ state: "detached" });
  await drawer.getByRole("button", { name: "Send" }).click();
  await drawer.getByText("200 OK").waitFor();
  await drawer.getByRole("button", { name: "Close" }).click();
  await page.goto(url);
  await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" });
  await page.goto(`${url}/docs`);
  await page.locator("header.bar").getByRole("button", { name: "Sign out" }).click();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.goto(url);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("an operation in the API reference can be found, read and tried with the keyboard alone", async () => {
  await using visitor = await visitWithKey("/docs");
  const { page, url } = visitor;
  const search = page.getByRole("searchbox", { name: "Search the contents" });
  await search.waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("count");
  const matches = page.getByRole("navigation", { name: "Contents" }).getByRole("listitem");
  expect(await matches.allTextContents()).toEqual(["GET Count the animals\n".trim()]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  expect(page.url()).toBe(`${url}/docs#getInventory`);
  expect(await search.inputValue()).toBe("");
  const button = await page.getByRole("button", { name: "Try it: Count the animals" }).elementHandle();
  for (let count = 0; count < 10 && !(await isFocused(button)); count++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const drawer = page.locator("dialog[open]");
  const send = await drawer.getByRole("button", { name: "Send" }).elementHandle();
  for (let count = 0; count < 10 && !(await isFocused(send)); count++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await drawer.getByText("200 OK").waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  expect(await isFocused(button)).toBe(true);
});

test("the chosen language applies to all code samples, and a code sample is copied exactly as shown", async () => {
  await using visitor = await visit({ path: "/docs#createPet", permissions: ["clipboard-read", "clipboard-write"] });
  const { page, url, open } = visitor;
  await open();
  const section = page.locator("#createPet");
  await section.getByRole("button", { name: "TypeScript client" }).click();
  await page.locator("#listPets .sample.client").waitFor();
  await section.locator(".sample.client").getByRole("button", { name: "Copy" }).click();
  await section.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`baseUrl: "${url}"`);
  expect(copied).toEndWith('const result = await store.pets.create({ name: "Rex", categoryId: 7 });');
  // The API reference applies the theme that the user chose in the console.
  await page.evaluate(() => localStorage.setItem("animal-store-theme", "dark"));
  await page.reload();
  await page.locator(":root[data-theme=dark] #createPet .sample.client").waitFor();
  expect(await page.locator("#createPet .sample.curl").isVisible()).toBe(false);
});

test("the API reference and its drawer are readable at any width, in light and dark", async () => {
  await using visitor = await visit({ path: "/docs#updatePet" });
  const { page, url, open } = visitor;
  await open();
  await page.locator("#updatePet .tabs").waitFor();
  const atEachWidth = async (id: string, check: (width: number) => Promise<void>) => {
    for (const [width, colorScheme] of [
      [360, "dark"],
      [768, "light"],
      [1440, "light"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => history.replaceState(null, "", "#updatePet"));
      await step(`${id} fits the window at ${width} pixels, ${colorScheme}`, async () => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        // Scrolls to the start of the section, so that the bar at the top covers no part of the section.
        await page.locator(`#${id}`).evaluate((section) => section.scrollIntoView());
        await check(width);
      });
    }
  };
  // Checks the width of the whole page before `keepSections` removes most sections.
  await atEachWidth("updatePet", async () => {});
  await keepSections(page, ["updatePet", "placeOrder", "listEvents", "pet.updated", "schema-Pet", "response-Conflict"]);
  // Opens all collapsed details, so that axe checks the details as well.
  await page.locator("details").evaluateAll((folded) => {
    for (const each of folded) (each as HTMLDetailsElement).open = true;
  });
  await atEachWidth("updatePet", async (width) => {
    // Skips the medium width, which adds no colours and no elements.
    if (width !== 768) expect(await findAxeViolations(page)).toEqual([]);
    // Only the widest layout shows the table of contents beside the text.
    if (width === 1440) {
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findAxeViolations(page)).toEqual([]);
    }
    if (width < 960) {
      const contents = page.getByRole("navigation", { name: "Contents" });
      expect(await contents.isVisible()).toBe(false);
      await page.getByRole("button", { name: "Contents" }).click();
      await contents.getByRole("link", { name: "Place an order" }).click();
      await contents.waitFor({ state: "hidden" });
      expect(page.url()).toBe(`${url}/docs#placeOrder`);
    }
  });
  // Keeps only the section that changes now, because axe has already checked the other sections.
  await keepSections(page, ["listEvents"]);
  await tryOut(visitor, "listEvents");
  await atEachWidth("listEvents", async (width) => {
    if (width !== 768) expect(await findAxeViolations(page)).toEqual([]);
  });
});

test("the API reference is complete without JavaScript and in print", async () => {
  await using visitor = await visit({ path: "/docs#createPet", javaScriptEnabled: false });
  const { page, open } = visitor;
  await open();
  const section = page.locator("#createPet");
  for (const language of ["curl", "client", "fetch"]) {
    expect(await section.locator(`.sample.${language}`).isVisible()).toBe(true);
  }
  expect(await section.getByRole("button", { name: "Try it" }).isVisible()).toBe(false);
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation", { name: "Contents" }).isVisible()).toBe(false);
  // Print expands the collapsed details.
  const folded = section.getByText("Always: ");
  expect(await folded.evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(0);
});

test("the API reference links to the list of errors, which is readable in light and dark", async () => {
  await using visitor = await visit({ path: "/docs", viewport: { width: 390, height: 800 } });
  const { page, url, open } = visitor;
  await open();
  await page.locator("a[href$='/docs/errors']").first().waitFor();
  await page.goto(`${url}/docs/errors#Conflict`);
  const conflictSection = page.getByRole("region", { name: "Conflict" });
  await conflictSection.waitFor();
  expect(await conflictSection.evaluate((element) => element.matches(":target"))).toBe(true);
  await page.getByRole("link", { name: "429 TooManyRequests" }).click();
  expect(page.url()).toBe(`${url}/docs/errors#TooManyRequests`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await findAxeViolations(page)]).toEqual([colorScheme, []]);
  }
});

test("the page for an unknown address links back to the console", async () => {
  await using visitor = await visit({ path: "/docs/errors" });
  const { page, url, expectedErrors } = visitor;
  expectedErrors.push(failedRequestPattern(404));
  const response = await page.goto(`${url}/animals/12`);
  expect(response?.status()).toBe(404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "The console" }).click();
  await page.getByLabel("API key").waitFor();
});

/** Keeps only the given sections: one section of each kind is enough, and checking all sections with axe would take a minute. */
async function keepSections(page: Page, ids: readonly string[]): Promise<void> {
  await page.evaluate((kept) => {
    for (const section of document.querySelectorAll("main .operation, main .component[id]")) {
      if (!kept.includes(section.id)) section.remove();
    }
    for (const link of document.querySelectorAll("nav li:nth-child(n + 7)")) link.remove();
  }, ids);
}

/** True if the element has the focus. Takes a handle, because locating an element takes longer than pressing a key. */
async function isFocused(element: ElementHandle | null): Promise<boolean> {
  return (await element?.evaluate((each) => each === document.activeElement)) ?? false;
}
