import { useQuery } from "@tanstack/react-query";
import { names } from "../api/queries.ts";
import { useAnimalNames } from "../orders/animal-names.ts";
import { lastingText, useNow } from "../parts/ago.tsx";
import { Link } from "../parts/link.tsx";
import { useOpening } from "../parts/opening.ts";
import { Reading } from "../parts/unread.tsx";
import { useStore } from "../session/session.tsx";
import { Card } from "./card.tsx";

export function OpenOrders() {
  const store = useStore();
  const now = useNow();
  const opening = useOpening();
  const orders = useQuery({
    queryKey: [...names.orders, "open longest"],
    queryFn: async () => (await store.orders.list({ status: "placed", limit: shown }).page()).items,
  });
  const animals = useAnimalNames((orders.data ?? []).map(({ petId }) => petId));
  return (
    <Card title="Open orders" more={{ to: "/orders?status=placed&sort=id", title: "All open orders" }}>
      <Reading query={orders} what="orders" isQuiet />
      {orders.data?.length === 0 && <p className="hint">No order is open.</p>}
      <ul className="lines">
        {orders.data?.map(({ id, petId, createdAt }) => (
          <li key={id}>
            <Link to={opening({ order: id })}>
              <bdi>{animals.get(String(petId)) ?? `Animal ${petId}`}</bdi>
              <span className="hint">Order {id}</span>
              <span className="hint since">{lastingText(Date.parse(createdAt), now)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const shown = 6;
