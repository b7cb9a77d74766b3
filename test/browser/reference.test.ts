import { expect } from "bun:test";
import { failedRequest, test, violationsOn, visit } from "../support/browser.ts";

test("the reference shows the interface, and requests can be tried against this server", async () => {
  await using visitor = await visit();
  const { page, service, url } = visitor;
  await page.goto(`${url}/docs`);
  await page.getByRole("heading", { name: "Animal Store" }).first().waitFor();
  await page.getByPlaceholder("Token").first().fill(service.client.key);
  await page.locator("a[href$='/POST/pets']").first().click();
  await page.locator("[id$='/POST/pets'] button", { hasText: "Test Request" }).first().click();
  const sent = page.waitForResponse((response) => response.request().method() === "POST");
  await page
    .getByRole("button", { name: /^\s*Send/ })
    .first()
    .click();
  const response = await sent;
  expect([response.status(), response.url()]).toEqual([201, `${url}/v1/pets`]);
  const { json } = await service.client.call("/v1/pets");
  expect(json).toEqual([await response.json()]);
  // The page forgets the key.
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
    service.client.key,
  );
});

test("the reference is readable in the dark and on a telephone", async () => {
  await using visitor = await visit({ colorScheme: "dark", viewport: { width: 390, height: 800 } });
  const { page, url } = visitor;
  await page.goto(`${url}/docs`);
  await page.getByRole("heading", { name: "Animal Store" }).first().waitFor();
  const [ink, ground] = await page.evaluate(() => {
    const title = document.querySelector(".scalar-app h1") ?? document.body;
    const grounds: string[] = [];
    for (let element: Element | null = title; element; element = element.parentElement) {
      grounds.push(getComputedStyle(element).backgroundColor);
    }
    return [getComputedStyle(title).color, grounds.find((color) => color !== "rgba(0, 0, 0, 0)")];
  });
  const brightness = (color = "") =>
    (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  expect(ground).toBeDefined();
  expect(brightness(ink)).toBeGreaterThan(brightness(ground) + 200);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("the reference leads to the page that explains the errors, which is readable, also in the dark", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await using visitor = await visit({ colorScheme, viewport: { width: 390, height: 800 } });
    const { page, url } = visitor;
    await page.goto(`${url}/docs`);
    await page.locator("a[href$='/docs/errors']").first().waitFor();
    await page.goto(`${url}/docs/errors#Conflict`);
    const shown = page.getByRole("region", { name: "Conflict" });
    await shown.waitFor();
    expect(await shown.evaluate((element) => element.matches(":target"))).toBe(true);
    await page.getByRole("link", { name: "429 TooManyRequests" }).click();
    expect(page.url()).toBe(`${url}/docs/errors#TooManyRequests`);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }
});

test("a person who has followed a broken link finds the way back", async () => {
  await using visitor = await visit();
  const { page, url, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(404));
  const answer = await page.goto(`${url}/animals/12`);
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole("link", { name: "The console" }).click();
  await page.getByLabel("API key").waitFor();
});
