import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { NotFoundError } from "../../../packages/client/src/index.ts";
import { History } from "../activity/history.tsx";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Link } from "../parts/link.tsx";
import { Failure, Loading } from "../parts/notices.tsx";
import { useOpening } from "../parts/opening.ts";
import { OrderStatusMark } from "../parts/status.tsx";
import { useMay } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { useAnimalNames } from "./animal-names.ts";
import { type Ending, EndOrder, EndQuestion } from "./end-order.tsx";

/** One order: its animal, its history, and how it can end. */
export function OrderDialog({
  id,
  ending,
  onClose,
}: {
  id: string;
  /** The question to ask at once. */
  ending?: Ending | undefined;
  onClose: () => void;
}) {
  const store = useStore();
  const opening = useOpening();
  const mayWrite = useMay("write");
  const number = integerIn(id);
  const order = useQuery({
    queryKey: [...names.orders, "one", id],
    enabled: number !== undefined,
    queryFn: async () => await store.orders.get(number ?? 0),
  });
  const { data } = order;
  const name = useAnimalNames(data ? [data.petId] : []).get(String(data?.petId));
  if (data?.status === "placed" && mayWrite && ending) {
    return <EndQuestion order={data} name={name} ending={ending} onDone={onClose} onClose={onClose} />;
  }
  const isMissing = number === undefined || order.error instanceof NotFoundError;
  return (
    <Dialog
      title={`Order ${id}`}
      aside={data && <OrderStatusMark status={data.status} />}
      kind="side"
      onClose={onClose}
    >
      {isMissing && <p>No order has the number {id}.</p>}
      {!isMissing && order.isPending && <Loading what="the order" />}
      {!isMissing && !data && <Failure error={order.error} onRetry={() => order.refetch()} />}
      {data && (
        <>
          <dl className="facts">
            <Fact title="Animal">
              <Link to={opening({ animal: data.petId, order: undefined })}>
                <bdi>{name ?? `Animal ${data.petId}`}</bdi>
              </Link>
            </Fact>
            <Fact title="Placed">
              <Ago at={data.createdAt} />
            </Fact>
            {data.status !== "placed" && (
              <Fact title={data.status === "completed" ? "Completed" : "Cancelled"}>
                <Ago at={data.updatedAt} />
              </Fact>
            )}
          </dl>
          {mayWrite && (
            <div className="actions">
              <EndOrder order={data} name={name} isShort />
            </div>
          )}
          <History subject={`orders/${data.id}`} />
        </>
      )}
      <footer>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Dialog>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
