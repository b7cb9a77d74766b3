/** Shares one probe among all calls while it is in flight and within `intervalMs` of its start, so frequent health checks add no load. */
export function shareProbe(probe: () => Promise<unknown>): () => Promise<void> {
  let current: Promise<void> | undefined;
  return () => {
    if (current) return current;
    current = probe().then(() => {});
    Promise.allSettled([current, Bun.sleep(intervalMs)]).then(() => {
      current = undefined;
    });
    return current;
  };
}

const intervalMs = 250;
