/** Does something with each of many, a few at a time, as long as that is wanted. */
export async function eachOfMany<Item>(
  items: readonly Item[],
  step: (item: Item, index: number) => Promise<void>,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const waiting = items.entries();
  const work = async () => {
    while (isWanted()) {
      const next = waiting.next();
      if (next.done) return;
      const [index, item] = next.value;
      await step(item, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const atOnce = 6;
