import type { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import type { Expiry } from "../terminal/time.ts";
import type { KeyRing } from "./key-ring.ts";

export function remoteKeys({ keys }: AnimalStore): KeyRing {
  return {
    create: ({ name, scope, expires }) => keys.create({ name, scope, expiresAt: timeOf(expires) }),
    list: () => Array.fromAsync(keys.list({ limit: 100 })),
    async rotate(id, { overlapMs, expires }) {
      const made = await keys.rotate(id, { overlapSeconds: overlapMs / 1_000, expiresAt: timeOf(expires) });
      return { made, old: await keys.get(id) };
    },
    revoke: (id) => keys.revoke(id),
  };
}

function timeOf(expires: Expiry | undefined): string | undefined {
  return expires && new Date(expires(Date.now())).toISOString();
}
