import { expect, test } from "bun:test";
import { parseScrape } from "../../test/support/prometheus.ts";
import { Registry } from "./registry.ts";

test("a registry renders its metrics in the text format of Prometheus", async () => {
  const registry = new Registry();
  registry.counter("eaten_total", "Meals.", ["what", "by"]).with("hay", "horse").add(2);
  registry.watch("gauge", "hunger", "Of all.", () => 0.5);
  registry.histogram("meal_seconds", "How long.", [0.1, 1]).with().observe(0.5);
  expect(await registry.render()).toBe(`# HELP animal_store_eaten_total Meals.
# TYPE animal_store_eaten_total counter
animal_store_eaten_total{what="hay",by="horse"} 2
# HELP animal_store_hunger Of all.
# TYPE animal_store_hunger gauge
animal_store_hunger 0.5
# HELP animal_store_meal_seconds How long.
# TYPE animal_store_meal_seconds histogram
animal_store_meal_seconds_bucket{le="0.1"} 0
animal_store_meal_seconds_bucket{le="1"} 1
animal_store_meal_seconds_bucket{le="+Inf"} 1
animal_store_meal_seconds_sum 0.5
animal_store_meal_seconds_count 1
`);
});

test("label values and help texts with any characters can be parsed back", async () => {
  const unusualTexts = ['a"b', "a\\b", "a\nb", "\\n", '\\"', "a,b={}", "", "ä 🦊", "a\\"];
  const registry = new Registry();
  const counter = registry.counter("unusual_total", 'Line\nfeed, \\ and "quotes".', ["label"]);
  for (const value of unusualTexts) counter.with(value).add();
  const family = parseScrape(await registry.render()).families.get("animal_store_unusual_total");
  expect(family?.samples.map(({ labels }) => labels["label"] ?? "")).toEqual(unusualTexts);
  expect(family?.help).toBe('Line\nfeed, \\ and "quotes".');
});

test("a bucket of a histogram includes values at its bound, and values beyond all bounds count only in +Inf", async () => {
  const registry = new Registry();
  const distribution = registry.histogram("sizes", "Sizes.", [1, 2, 4]).with();
  for (const size of [0, 1, 2, 3, 4, 5, 1000]) distribution.observe(size);
  const scrape = parseScrape(await registry.render());
  const counts = ["1", "2", "4", "+Inf"].map((le) => scrape.value("animal_store_sizes_bucket", { le }));
  expect(counts).toEqual([2, 3, 5, 7]);
  expect(scrape.value("animal_store_sizes_sum")).toBe(1015);
});

test("numbers are rendered in the notation of Prometheus", async () => {
  const registry = new Registry();
  const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e-9, 1e21, -1.5];
  registry.watch("gauge", "numbers", "Numbers.", () => values.map((value, index) => [{ n: String(index) }, value]));
  const text = await registry.render();
  expect(text.match(/(?<=} ).*/g)).toEqual(["+Inf", "-Inf", "NaN", "1e-9", "1e+21", "-1.5"]);
  expect(parseScrape(text).samples.map(({ value }) => value)).toEqual(values);
});

test("a scrape omits unknown values, and waits for its listeners", async () => {
  const registry = new Registry();
  let asked: number | undefined;
  registry.onScrape(async () => {
    await new Promise(setImmediate);
    asked = 7;
  });
  registry.watch("gauge", "asked", "Asked for.", () => asked);
  registry.watch("gauge", "unknown", "Unknown.", () => undefined);
  const scrape = parseScrape(await registry.render());
  expect(scrape.value("animal_store_asked")).toBe(7);
  expect(scrape.find("animal_store_unknown")).toEqual([]);
});

test("a scrape does not wait indefinitely for a slow listener", async () => {
  const registry = new Registry();
  registry.onScrape(() => new Promise(() => {}));
  registry.watch("gauge", "known", "Known.", () => 7);
  expect(parseScrape(await registry.render()).value("animal_store_known")).toBe(7);
});

test("the name of a metric must be valid and unique", () => {
  const registry = new Registry();
  registry.counter("one_total", "One.");
  expect(() => registry.counter("one_total", "One.")).toThrow("registered twice");
  expect(() => registry.counter("1 2", "One.")).toThrow("not a valid name");
});
