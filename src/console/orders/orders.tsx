import { useQueryClient } from "@tanstack/react-query";
import type { Order } from "../../client/index.ts";
import { orderStatuses } from "../../domain/order.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged, names } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { useSubmission } from "../api/submission.ts";
import { currentParameters, useAddress } from "../parts/address.ts";
import { Heading } from "../parts/heading.tsx";
import { Listing, Time } from "../parts/listing.tsx";
import { More, usePages } from "../parts/more.tsx";
import { Empty, Failure, Loading } from "../parts/notices.tsx";
import { OrderStatusMark } from "../parts/status.tsx";
import { useMay } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";

export function Orders() {
  const store = useStore();
  const [{ parameters }, go] = useAddress();
  const mayWrite = useMay("write");
  const status = orderStatuses.find((each) => each === parameters["status"]);
  const orders = usePages([...names.orders, "list", status ?? ""], (cursor) =>
    store.orders.list({ status, sort: "-id", limit: longestPage, cursor }).page(),
  );
  const open = (id: string) => go({ parameters: { ...currentParameters(), animal: id } });
  return (
    <>
      <Heading title="Orders" />
      <fieldset className="chips">
        <legend className="unseen">Show</legend>
        {[undefined, ...orderStatuses].map((each) => (
          <button
            key={each ?? "all"}
            type="button"
            className="chip"
            aria-pressed={status === each}
            onClick={() => go({ parameters: { status: each } })}
          >
            {each ? <OrderStatusMark status={each} /> : "all"}
          </button>
        ))}
      </fieldset>
      {orders.isPending && <Loading what="orders" />}
      <Failure error={orders.error} onRetry={() => orders.refetch()} />
      {orders.isSuccess && orders.items.length === 0 && (
        <Empty title={status ? `No order is ${status}` : "No orders yet"} icon="orders">
          {mayWrite && <p>To place one, open an available animal in the catalogue and reserve it.</p>}
        </Empty>
      )}
      {orders.items.length > 0 && (
        <Listing
          caption="Orders, the newest first"
          columns={[["Number"], ["Animal"], ["Status"], ["Placed", "minor"], ["Last change", "minor"]]}
        >
          {orders.items.map((order) => (
            <OrderRow key={order.id} order={order} onOpen={open} />
          ))}
        </Listing>
      )}
      <More pages={orders} />
    </>
  );
}

function OrderRow({ order, onOpen }: { order: Order; onOpen: (id: string) => void }) {
  const store = useStore();
  const mayWrite = useMay("write");
  const queries = useQueryClient();
  const submission = useSubmission();
  const end = useAction({
    mutationFn: async (how: "complete" | "cancel") => await store.orders[how](order.id, submission.of(how)),
    onSettled(_, error, how) {
      submission.settle(how, error);
      return animalsChanged(queries);
    },
  });
  return (
    <>
      <tr>
        <td className="number">{order.id}</td>
        <td>
          <button type="button" className="link" onClick={() => onOpen(String(order.petId))}>
            animal {order.petId}
          </button>
        </td>
        <td>
          <OrderStatusMark status={order.status} />
        </td>
        <td className="minor">
          <Time at={order.createdAt} />
        </td>
        <td className="minor">
          <Time at={order.updatedAt} />
        </td>
        <td className="actions">
          {order.status === "placed" && mayWrite && (
            <>
              <button
                type="button"
                disabled={end.isPending}
                aria-label={`Complete order ${order.id}`}
                onClick={() => end.run("complete")}
              >
                Complete
              </button>
              <button
                type="button"
                className="quiet"
                disabled={end.isPending}
                aria-label={`Cancel order ${order.id}`}
                onClick={() => end.run("cancel")}
              >
                Cancel
              </button>
            </>
          )}
        </td>
      </tr>
      {end.error && (
        <tr>
          <td colSpan={6}>
            <Failure error={end.error} />
          </td>
        </tr>
      )}
    </>
  );
}
