import type { Locator, Page, Route } from "playwright-core";

export async function clickButtons(within: Page | Locator, ...names: string[]): Promise<void> {
  for (const name of names) await within.getByRole("button", { name }).click();
}

export async function runCommand(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

export async function signInOnDevice(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByLabel("Keep me signed in on this device").check();
  await clickButtons(page, "Sign in");
}

export async function loseResponse(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

export async function deleteAnimal(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await clickButtons(page.getByRole("dialog"), "Delete");
  await clickButtons(page.getByRole("dialog", { name: "Delete this animal?" }), "Delete");
  await page.getByText(`Deleted ${name}.`).waitFor();
}
