import { AnimalStore } from "../packages/client/src/index.ts";
import { sampleAnimals, sampleCategories } from "../src/console/animals/sample-animals.ts";

export const pictureTime = Date.parse("2026-11-14T15:20:00Z");

export const openAnimalId = 6;

/** The animals in the pictures. Leaves out Chinese names, because not every machine has a Chinese font. */
const picturedAnimals = sampleAnimals.filter(({ name }) => !/\p{Script=Han}/u.test(name));

/** Fills a store with the same four weeks of activity on each run. Returns the API key of the front desk. */
export async function fillPicturedStore(
  baseUrl: string,
  adminKey: string,
  setTime: (at: number) => void,
): Promise<string> {
  const admin = new AnimalStore({ baseUrl, apiKey: adminKey });
  setTime(timeAt(0, 8));
  const { key } = await admin.keys.create({ name: "Front desk", scope: "write" });
  const desk = new AnimalStore({ baseUrl, apiKey: key });
  const { key: shopKey } = await admin.keys.create({ name: "Web shop", scope: "write" });
  const shop = new AnimalStore({ baseUrl, apiKey: shopKey });
  for (const [index, name] of sampleCategories.entries()) await desk.categories.put(index + 1, { name });
  const requests = [
    ...picturedAnimals.flatMap((_, index) => planRequests(index, index % 4 === 0 ? shop : desk, desk)),
    ...planCorrections(openAnimalId, shop, desk),
  ];
  for (const { at, send } of requests.toSorted((one, other) => one.at - other.at)) {
    setTime(at);
    await send();
  }
  setTime(pictureTime);
  return key;
}

interface TimedRequest {
  readonly at: number;
  send(): Promise<unknown>;
}

function planRequests(index: number, buyer: AnimalStore, desk: AnimalStore): TimedRequest[] {
  const pet = picturedAnimals[index] ?? { name: "", categoryId: 0 };
  const [arrivalDay = 0, orderDay = 0, saleDay = 0] = activityDays[index] ?? [];
  const hour = 9 + index / 3;
  let orderId = 0;
  const mistakenFields = index + 1 === openAnimalId ? { name: "Bela", categoryId: 2 } : {};
  const addRequest: TimedRequest = {
    at: timeAt(arrivalDay, hour),
    send: () => desk.pets.create({ ...pet, ...mistakenFields, status: "available" }),
  };
  const orderRequest: TimedRequest = {
    at: timeAt(orderDay, hour - 0.5),
    async send() {
      orderId = (await buyer.orders.place({ petId: index + 1 })).id;
    },
  };
  const completionRequest: TimedRequest = { at: timeAt(saleDay, hour), send: () => desk.orders.complete(orderId) };
  if (pet.status === "sold") return [addRequest, orderRequest, completionRequest];
  return pet.status === "pending" ? [addRequest, orderRequest] : [addRequest];
}

function planCorrections(petId: number, shop: AnimalStore, desk: AnimalStore): TimedRequest[] {
  let orderId = 0;
  return [
    { at: timeAt(6, 9), send: () => desk.pets.update(petId, { categoryId: 1 }) },
    { at: timeAt(8, 16), send: () => desk.pets.update(petId, { name: "Bella" }) },
    {
      at: timeAt(26, 11),
      async send() {
        orderId = (await shop.orders.place({ petId })).id;
      },
    },
    { at: timeAt(27, 14.8), send: () => desk.orders.cancel(orderId) },
  ];
}

const pictureDay = 27;
const activityDays = "0 0 0,3,4 2 2,27 5 5,25 5 5,9,11 8 12,14,20 12 15 19 19 19,26,27 23 23,26 27"
  .split(" ")
  .map((list) => list.split(",").map(Number));

function timeAt(day: number, hour: number): number {
  return Date.parse("2026-11-14T00:00:00Z") - ((pictureDay - day) * 24 - hour) * 60 * 60 * 1_000;
}
