import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { names, useInventory, useIsStoreLost } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icons.tsx";

export function Connection() {
  const inventory = useInventory(everyMs);
  const queries = useQueryClient();
  const isTrying = useIsFetching({ queryKey: names.inventory }) > 0;
  const isLost = useIsStoreLost();
  useEffect(() => {
    // After an outage, all queries are read again.
    return isLost ? () => void queries.invalidateQueries() : undefined;
  }, [isLost, queries]);
  if (!isLost) return null;
  return (
    <section aria-label="Connection">
      <div className="notice failure offline" role="alert">
        <Icon name="offline" />
        <p>The store cannot be reached. What you see may be stale; the page reconnects automatically.</p>
        <Button disabled={isTrying} onClick={() => inventory.refetch()}>
          Try now
        </Button>
      </div>
    </section>
  );
}

/** Also how soon an outage is noticed. */
const everyMs = 3_000;
