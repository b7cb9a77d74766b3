import { expect, spyOn, test } from "bun:test";
import { drawBar, ProgressBar } from "./progress-bar.ts";

test.each([
  [0, 10_000, "Copying [                              ] 0 %, 0 of 10,000"],
  [5_000, 10_000, "Copying [###############               ] 50 %, 5,000 of 10,000"],
  [10_000, 10_000, "Copying [##############################] 100 %, 10,000 of 10,000"],
  [0, 0, "Copying [##############################] 100 %, 0 of 0"],
])("the progress bar for %d of %d is drawn to scale", (done, total, bar) => {
  expect(drawBar("Copying", done, total)).toBe(bar);
});

test("the first progress is drawn at once, and later progress at most every 100 ms", () => {
  const { isTTY } = process.stderr;
  using now = spyOn(performance, "now");
  using write = spyOn(process.stderr, "write").mockReturnValue(true);
  const listDrawnPercentages = () => write.mock.calls.map(([text]) => /\d+ %/.exec(`${text}`)?.[0]);
  try {
    process.stderr.isTTY = true;
    const bar = new ProgressBar("Copying", 100);
    for (const [done, ms] of [
      [1, 10],
      [2, 109],
      [3, 110],
    ] as const) {
      now.mockReturnValue(ms);
      bar.show(done);
    }
    expect(listDrawnPercentages()).toEqual(["1 %", "3 %"]);
  } finally {
    process.stderr.isTTY = isTTY;
  }
});
