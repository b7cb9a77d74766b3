import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { orderStatuses } from "../../domain/order.ts";
import { AnimalDialog } from "../animals/animal.tsx";
import { useAction } from "../api/action.ts";
import type { Order } from "../api/api.ts";
import { animalsChanged, names } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import type { Address, Go } from "../parts/address.ts";
import { Listing, Time } from "../parts/listing.tsx";
import { More, usePages } from "../parts/more.tsx";
import { News } from "../parts/news.tsx";
import { Empty, Failure, Loading } from "../parts/notices.tsx";
import { OrderStatusMark } from "../parts/status.tsx";
import { useMay } from "../session/permission.tsx";
import { useApi } from "../session/session.tsx";

export function Orders({ address: { parameters }, go }: { address: Address; go: Go }) {
  const api = useApi();
  const mayWrite = useMay("write");
  const status = orderStatuses.find((each) => each === parameters["status"]);
  const orders = usePages([...names.orders, "list", status ?? ""], (cursor) => api.listOrders({ status }, cursor));
  const { animal } = parameters;
  const [news, setNews] = useState("");
  const forget = useCallback(() => setNews(""), []);
  return (
    <>
      <News of={news} onOver={forget}>
        {news}
      </News>
      <fieldset className="choices">
        <legend className="unseen">Show</legend>
        {[undefined, ...orderStatuses].map((each) => (
          <button
            key={each ?? "all"}
            type="button"
            className="choice"
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
        <Empty title={status ? `No order is ${status}` : "No orders yet"}>
          {mayWrite && <p>To place one, open an available animal in the catalogue and reserve it.</p>}
        </Empty>
      )}
      {orders.items.length > 0 && (
        <Listing
          caption="Orders, the oldest first"
          columns={[["Number"], ["Animal"], ["Status"], ["Placed", "minor"], ["Last change", "minor"]]}
        >
          {orders.items.map((order) => (
            <OrderRow key={order.id} order={order} onOpen={(id) => go({ parameters: { status, animal: id } })} />
          ))}
        </Listing>
      )}
      <More pages={orders} />
      {animal !== undefined && (
        <AnimalDialog key={animal} id={animal} onNews={setNews} onClose={() => go({ parameters: { status } })} />
      )}
    </>
  );
}

function OrderRow({ order, onOpen }: { order: Order; onOpen: (id: string) => void }) {
  const api = useApi();
  const mayWrite = useMay("write");
  const queries = useQueryClient();
  const submission = useSubmission();
  const end = useAction({
    mutationFn: (how: "complete" | "cancel") => api.endOrder(order.id, how, submission.nameFor(how)),
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
