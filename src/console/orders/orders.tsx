import { memo, useRef } from "react";
import type { Order } from "../../../packages/client/src/index.ts";
import { orderStatuses } from "../../domain/order.ts";
import { queryKeys, useAnimalNames, useHasScope } from "../api/queries.ts";
import { maxPageSize } from "../api/store.ts";
import { changeParameters, Link, useAddress, useDialogUrl } from "../parts/address.tsx";
import { Ago } from "../parts/ago.tsx";
import { Chip } from "../parts/controls.tsx";
import { focusNextRow } from "../parts/focus.ts";
import { Listing, NextPageButton, usePages } from "../parts/listing.tsx";
import { OrderStatusMark } from "../parts/status.tsx";
import { Empty, Heading, QueryStatus } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";
import { EndOrderButtons } from "./order.tsx";

export function Orders() {
  const store = useStore();
  const { parameters } = useAddress();
  const canWrite = useHasScope("write");
  const status = orderStatuses.find((each) => each === parameters["status"]);
  const isOldestFirst = parameters["sort"] === "id";
  const orders = usePages([...queryKeys.orders, "list", status ?? "", isOldestFirst], (cursor) =>
    store.orders.list({ status, sort: isOldestFirst ? "id" : "-id", limit: maxPageSize, cursor }).page(),
  );
  const animals = useAnimalNames(orders.items.map(({ petId }) => petId));
  return (
    <>
      <Heading title="Orders" />
      <div className="filters">
        <fieldset className="chips">
          <legend className="unseen">Show</legend>
          {[undefined, ...orderStatuses].map((each) => (
            <Chip key={each ?? "all"} isChosen={status === each} onClick={() => changeParameters({ status: each })}>
              {each ? <OrderStatusMark status={each} /> : "all"}
            </Chip>
          ))}
        </fieldset>
        <Chip isChosen={isOldestFirst} onClick={() => changeParameters({ sort: isOldestFirst ? undefined : "id" })}>
          oldest first
        </Chip>
      </div>
      <QueryStatus query={orders} what="orders" />
      {orders.isSuccess && orders.items.length === 0 && (
        <Empty title={status ? `No order is ${status}` : "No orders yet"} icon="orders">
          {canWrite && <p>To place one, open an available animal in the catalogue and reserve it.</p>}
        </Empty>
      )}
      {orders.items.length > 0 && (
        <Listing
          caption={isOldestFirst ? "Orders, oldest first" : "Orders, newest first"}
          columns={[["Number"], ["Animal", "long"], ["Status"], ["Placed", "minor"], ["Last change", "minor least"]]}
          isFolding
        >
          {orders.items.map((order) => (
            <OrderRow key={order.id} order={order} name={animals.get(String(order.petId))} canWrite={canWrite} />
          ))}
        </Listing>
      )}
      <NextPageButton pages={orders} />
    </>
  );
}

const OrderRow = memo(function OrderRow(props: { order: Order; name: string | undefined; canWrite: boolean }) {
  const { order, name, canWrite } = props;
  const toDialogUrl = useDialogUrl();
  const row = useRef<HTMLTableRowElement>(null);
  return (
    <tr ref={row}>
      <td className="number">
        <Link className="quiet-link" to={toDialogUrl({ order: order.id })} aria-label={`Order ${order.id}`}>
          {order.id}
        </Link>
      </td>
      <td>
        <Link className="quiet-link strong" to={toDialogUrl({ animal: order.petId })}>
          <bdi>{name ?? `Animal ${order.petId}`}</bdi>
        </Link>
      </td>
      <td>
        <OrderStatusMark status={order.status} />
      </td>
      <td className="minor">
        <Ago at={order.createdAt} />
      </td>
      <td className="minor least">
        {order.updatedAt === order.createdAt ? <span className="none">none</span> : <Ago at={order.updatedAt} />}
      </td>
      <td className="actions">
        {canWrite && <EndOrderButtons order={order} name={name} isShort onDone={() => focusNextRow(row.current)} />}
      </td>
    </tr>
  );
});
