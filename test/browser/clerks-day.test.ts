import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { sampleCategories } from "../../src/console/animals/sample-animals.ts";
import { test, type Visit, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";

const initialAnimalCount = 100;

test("the tasks of a clerk's day take as many key presses as the guide says", async () => {
  await using visitor = await visitAsClerk();
  const { page, service } = visitor;
  const clerk = new Clerk(page);

  await page.evaluate((copied) => navigator.clipboard.writeText(copied), copiedCells);
  await clerk.perform(addAnimalsTask, 20, async () => {
    await clerk.press("Control+v");
    await page.getByRole("button", { name: "Add 20 animals" }).and(page.locator(":focus")).waitFor();
    await clerk.press("Enter");
    await clerk.waitForNotice("Added 20 animals.");
    await page.getByText(`${initialAnimalCount + 20} animals, newest first`).waitFor();
  });
  await clerk.perform("Find 10 animals by their names", 10, async () => {
    for (const id of [101, 106, 112, 103, 105, 110, 108, 102, 111, 104]) await clerk.openByName(id, nameOf(id));
    await clerk.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
  await clerk.perform("Reserve 3 by number and 2 in the list", 5, async () => {
    for (const [index, id] of [101, 102, 103].entries()) {
      await clerk.search(id);
      await clerk.press("ArrowDown", "Enter");
      await clerk.waitForNotice(`Reserved ${nameOf(id)} with order ${index + 1}.`);
    }
    for (const [index, id] of [120, 119].entries()) {
      await clerk.press("ArrowDown", "r");
      await clerk.waitForNotice(`Reserved ${nameOf(id)} with order ${index + 4}.`);
    }
  });
  await clerk.perform("Complete 1 order in the list and 2 by number", 3, async () => {
    await clerk.press("c");
    await clerk.confirm("Complete order 5?", "Enter");
    await clerk.waitForNotice("Order 5 is completed.");
    for (const [index, id] of [101, 102].entries()) {
      await clerk.search(id);
      await clerk.waitForOption(`Complete order ${index + 1}`);
      await clerk.press("ArrowDown", "Enter");
      await clerk.confirm(`Complete order ${index + 1}?`, "Enter");
      await clerk.waitForNotice(`Order ${index + 1} is completed.`);
    }
  });
  await clerk.perform("Cancel 1 order", 1, async () => {
    await clerk.search(103);
    await clerk.waitForOption("Cancel order 3");
    // ArrowUp moves from the first option to the last, which cancels the order.
    await clerk.press("ArrowUp", "Enter");
    await clerk.confirm("Cancel order 3?", "Tab", "Enter");
    await clerk.waitForNotice("Order 3 is cancelled.");
  });
  await clerk.perform("Correct a name and a category", 2, async () => {
    await clerk.open(106);
    await clerk.press("Control+a");
    await clerk.type("Bella");
    await clerk.press("Enter");
    await clerk.waitForNotice("Saved Bella.");
    await clerk.open(107);
    await clerk.press("Tab");
    await clerk.type("d");
    await clerk.waitForOption("Dogs");
    await clerk.press("Enter", "Enter");
    await clerk.waitForNotice(`Saved ${nameOf(107)}.`);
  });
  await clerk.perform("Undo the last change", 1, async () => {
    await clerk.press("Control+z");
    await clerk.waitForNotice(`${nameOf(107)} was restored.`);
  });
  await clerk.perform("Find out who changed an animal", 1, async () => {
    await clerk.open(106);
    await page.getByRole("dialog").getByText("Renamed by Front desk").waitFor();
  });

  expect(await statusesIn("/v1/store/orders?limit=100")).toEqual({
    1: "completed",
    2: "completed",
    3: "cancelled",
    4: "placed",
    5: "completed",
  });
  const pets = (await service.client.call("/v1/pets?limit=100&sort=-id")).json as readonly unknown[];
  expect(pets.slice(0, 20)).toEqual(
    animalsToAdd
      .map(({ name, category }, index) => {
        const id = initialAnimalCount + index + 1;
        return {
          id,
          name: id === 106 ? "Bella" : name,
          categoryId: sampleCategories.indexOf(category) + 1,
          status: [101, 102, 119].includes(id) ? "sold" : id === 120 ? "pending" : "available",
        };
      })
      .toReversed(),
  );
  console.log(clerk.report());
  expect(guide).toContain(clerk.report());
  expect(clerk.totals().keys).toBeLessThanOrEqual(clerk.totals().first.keys / 2);

  async function statusesIn(path: string): Promise<Record<number, string>> {
    const items = (await service.client.call(path)).json as readonly { id: number; status: string }[];
    return Object.fromEntries(items.map(({ id, status }) => [id, status]));
  }
});

test("adding the animals of a clerk's day one by one takes as many key presses as the guide says", async () => {
  await using visitor = await visitAsClerk();
  const { page, service } = visitor;
  const clerk = new Clerk(page);
  await clerk.perform(addAnimalsTask, 20, async () => {
    await clerk.press("Control+k", "Enter");
    await page.getByRole("dialog", { name: "Add an animal" }).waitFor();
    for (const [index, { name, category }] of animalsToAdd.entries()) {
      await clerk.type(name);
      if (category !== animalsToAdd[index - 1]?.category) {
        await clerk.press("Tab");
        await clerk.type(category.slice(0, 2));
        await clerk.waitForOption(category);
        await clerk.press("Enter");
      }
      await clerk.press("Control+Enter");
      await clerk.waitForNotice(`Added ${name} as animal ${initialAnimalCount + index + 1}.`);
    }
    await clerk.press("Escape");
    await page.getByText(`${initialAnimalCount + 20} animals, newest first`).waitFor();
  });
  const pets = (await service.client.call("/v1/pets?limit=20&sort=-id")).json as readonly { name: string }[];
  expect(pets.map(({ name }) => name)).toEqual(animalsToAdd.map(({ name }) => name).toReversed());

  // Takes the key presses of all other tasks from the guide, whose numbers the test above verifies.
  const keysInGuide = (task: string) =>
    guide
      .match(new RegExp(`^\\| ${task} \\| \\d+ \\| (\\d+) \\| (\\d+) `, "m"))
      ?.slice(1)
      .map(Number);
  const [listKeys = 0, listPressed = 0] = keysInGuide(addAnimalsTask) ?? [];
  const [dayKeys = 0, dayPressed = 0] = keysInGuide("All") ?? [];
  const { keys, typed } = clerk.totals();
  const day = `${dayKeys - listKeys + keys} keys, ${dayPressed - listPressed + keys - typed} of them other than text`;
  expect(guide.replaceAll("\n", " ")).toContain(
    `Typed by hand, the 20 animals take ${keys} keys, ${keys - typed} of them other than text, and the whole day takes ${day}.`,
  );
});

const addAnimalsTask = "Add 20 animals of 5 categories from a list";

const guide = readFileSync(join(import.meta.dir, "../../docs/console.md"), "utf8");

async function visitAsClerk(): Promise<Visit> {
  const visitor = await visit({ animals: initialAnimalCount, permissions: ["clipboard-read", "clipboard-write"] });
  const { page, service, enter } = visitor;
  for (const [index, name] of sampleCategories.entries()) {
    await service.client.call(`/v1/categories/${index + 1}`, { method: "PUT", body: { name } });
  }
  const { key } = await addKey(service.store, { name: "Front desk", scope: "write" });
  await enter(key);
  await page.getByText(`${initialAnimalCount} animals, newest first`).waitFor();
  return visitor;
}

/** Key presses in version 0.1.0, which had no search, history or pasting of lists. `pressed` counts only keys that enter no text. */
const keysInFirstVersion: Readonly<Record<string, { readonly keys: number; readonly pressed: number }>> = {
  [addAnimalsTask]: { keys: 197, pressed: 67 },
  "Find 10 animals by their names": { keys: 74, pressed: 74 },
  "Reserve 3 by number and 2 in the list": { keys: 34, pressed: 34 },
  "Complete 1 order in the list and 2 by number": { keys: 17, pressed: 17 },
  "Cancel 1 order": { keys: 6, pressed: 6 },
  "Correct a name and a category": { keys: 16, pressed: 10 },
  "Undo the last change": { keys: 4, pressed: 3 },
};

const animalsToAdd = sampleCategories.flatMap((category) =>
  ["Ada", "Ben", "Cleo", "Dina"].map((name) => ({ name: `${name} ${category.charAt(0)}`, category })),
);

/** Names and categories in the format in which a spreadsheet copies two columns. */
const copiedCells = animalsToAdd.map(({ name, category }) => `${name}\t${category}\r\n`).join("");

function nameOf(id: number): string {
  return animalsToAdd[id - initialAnimalCount - 1]?.name ?? "";
}

/** Acts as a sighted user without a mouse, and counts key presses. A combination with Ctrl counts as one key press. */
class Clerk {
  readonly #rows: { task: string; times: number; keys: number; typed: number }[] = [];
  #pressed = 0;
  #typed = 0;

  constructor(readonly page: Page) {}

  async perform(task: string, times: number, work: () => Promise<void>): Promise<void> {
    this.#pressed = 0;
    this.#typed = 0;
    await work();
    this.#rows.push({ task, times, keys: this.#pressed + this.#typed, typed: this.#typed });
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#pressed++;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.#typed += text.length;
    await this.page.keyboard.type(text);
  }

  async search(id: number): Promise<void> {
    await this.press("Control+k");
    await this.type(String(id));
    await this.page.getByRole("option", { name: new RegExp(`${id}, \\w+$`) }).waitFor();
  }

  async open(id: number): Promise<void> {
    await this.search(id);
    await this.press("Enter");
    await this.waitForAnimal(id);
  }

  async openByName(id: number, name: string): Promise<void> {
    await this.press("Control+k");
    await this.type(name.toLowerCase());
    // Enter works even before the option is shown.
    await this.press("Enter");
    await this.waitForAnimal(id);
  }

  async waitForAnimal(id: number): Promise<void> {
    const dialog = this.page.getByRole("dialog").filter({ hasText: `Animal ${id}` });
    await dialog.getByLabel("Name").and(this.page.locator(":focus")).waitFor();
  }

  async confirm(question: string, ...keys: string[]): Promise<void> {
    await this.page.getByRole("dialog", { name: question }).waitFor();
    await this.press(...keys);
  }

  async waitForOption(option: string): Promise<void> {
    await this.page.getByRole("option", { name: option }).waitFor();
  }

  async waitForNotice(text: string): Promise<void> {
    await this.page.getByRole("status").getByText(text, { exact: true }).waitFor();
  }

  totals() {
    const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
    const before = Object.values(keysInFirstVersion);
    return {
      task: "All",
      times: sum(this.#rows.map(({ times }) => times)),
      keys: sum(this.#rows.map(({ keys }) => keys)),
      typed: sum(this.#rows.map(({ typed }) => typed)),
      first: { keys: sum(before.map(({ keys }) => keys)), pressed: sum(before.map(({ pressed }) => pressed)) },
    };
  }

  report(): string {
    const rows = this.#rows.map((row) => ({ ...row, first: keysInFirstVersion[row.task] }));
    return [
      "| Task | Steps | Keys | Other than text | Keys in 0.1.0 | Other than text |",
      "|---|---|---|---|---|---|",
      ...[...rows, this.totals()].map(
        ({ task, times, keys, typed, first }) =>
          `| ${task} | ${times} | ${keys} | ${keys - typed} | ${first?.keys ?? "not possible"} | ${first?.pressed ?? ""} |`,
      ),
    ].join("\n");
  }
}
