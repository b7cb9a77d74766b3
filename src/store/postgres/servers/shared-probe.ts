/** Shares one probe among all calls while it is in flight and within `intervalMs` of its start, so frequent health checks add no load. */
export function shareProbe(probe: () => Promise<unknown>): () => Promise<void> {
  let current: Promise<void> | undefined;
  const start = async () => {
    const interval = Bun.sleep(intervalMs);
    try {
      await probe();
    } finally {
      interval.then(() => {
        current = undefined;
      });
    }
  };
  return () => {
    current ??= start();
    return current;
  };
}

const intervalMs = 250;
