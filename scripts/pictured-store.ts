import { AnimalStore } from "../packages/client/src/index.ts";
import { sampleAnimals, sampleCategories } from "../src/console/animals/sample-animals.ts";

/** When the pictures are taken, by the clocks of the service and of the browser. */
export const pictureTime = Date.parse("2026-11-14T15:20:00Z");

/** The animal that is open in a picture: much has happened to it. */
export const openAnimal = 6;

/** Not every machine has a font for the others. */
const pictured = sampleAnimals.filter(({ name }) => !/\p{Script=Han}/u.test(name));

/**
 * Fills a store with the sample animals, and lets four weeks of work happen to them, the same each time. Returns the key of
 * those who did it.
 */
export async function fillPicturedStore(
  baseUrl: string,
  adminKey: string,
  setTime: (at: number) => void,
): Promise<string> {
  const admin = new AnimalStore({ baseUrl, apiKey: adminKey });
  setTime(timeOf(0, 8));
  const { key } = await admin.keys.create({ name: "Front desk", scope: "write" });
  const desk = new AnimalStore({ baseUrl, apiKey: key });
  const { key: shopKey } = await admin.keys.create({ name: "Web shop", scope: "write" });
  const shop = new AnimalStore({ baseUrl, apiKey: shopKey });
  for (const [index, name] of sampleCategories.entries()) await desk.categories.put(index + 1, { name });
  const deeds = [
    ...pictured.flatMap((_, index) => deedsAbout(index, index % 4 === 0 ? shop : desk, desk)),
    ...correctionsOf(openAnimal, shop, desk),
  ];
  for (const { at, done } of deeds.toSorted((one, other) => one.at - other.at)) {
    setTime(at);
    await done();
  }
  setTime(pictureTime);
  return key;
}

interface Deed {
  readonly at: number;
  done(): Promise<unknown>;
}

/** A sample animal is added as available, and becomes what it is to be by an order. */
function deedsAbout(index: number, buyer: AnimalStore, desk: AnimalStore): Deed[] {
  const pet = pictured[index] ?? { name: "", categoryId: 0 };
  const [arrival = 0, ordered = 0, sold = 0] = days[index] ?? [];
  const hour = 9 + index / 3;
  let order = 0;
  const mistaken = index + 1 === openAnimal ? { name: "Bela", categoryId: 2 } : {};
  const added: Deed = {
    at: timeOf(arrival, hour),
    done: () => desk.pets.create({ ...pet, ...mistaken, status: "available" }),
  };
  const placed: Deed = {
    at: timeOf(ordered, hour - 0.5),
    async done() {
      order = (await buyer.orders.place({ petId: index + 1 })).id;
    },
  };
  const completed: Deed = { at: timeOf(sold, hour), done: () => desk.orders.complete(order) };
  if (pet.status === "sold") return [added, placed, completed];
  return pet.status === "pending" ? [added, placed] : [added];
}

/** The animal was added with a wrong name and a wrong category, and its reservation comes to nothing. */
function correctionsOf(petId: number, shop: AnimalStore, desk: AnimalStore): Deed[] {
  let order = 0;
  return [
    { at: timeOf(6, 9), done: () => desk.pets.update(petId, { categoryId: 1 }) },
    { at: timeOf(8, 16), done: () => desk.pets.update(petId, { name: "Bella" }) },
    {
      at: timeOf(26, 11),
      async done() {
        order = (await shop.orders.place({ petId })).id;
      },
    },
    { at: timeOf(27, 14.8), done: () => desk.orders.cancel(order) },
  ];
}

/** On which days each of the sample animals arrives, is ordered and is sold; the last day is that of the pictures. */
const lastDay = 27;
const days: readonly (readonly number[])[] = [
  [0],
  [0],
  [0, 3, 4],
  [2],
  [2, 27],
  [5],
  [5, 25],
  [5],
  [5, 9, 11],
  [8],
  [12, 14, 20],
  [12],
  [15],
  [19],
  [19],
  [19, 26, 27],
  [23],
  [23, 26],
  [27],
];

function timeOf(day: number, hour: number): number {
  return Date.parse("2026-11-14T00:00:00Z") - ((lastDay - day) * 24 - hour) * 60 * 60 * 1_000;
}
