import { useMemo } from "react";
import type { Pet } from "../../../client/index.ts";
import { adviceFor } from "../../api/errors.ts";
import { useReserve } from "../../orders/use-reserve.ts";
import { changeParameters } from "../../parts/address.ts";
import { useTell } from "../../parts/toast.tsx";
import { useMay } from "../../session/permission.tsx";
import { useStore } from "../../session/session.tsx";

/** What letters do to the animal that has the focus in the list. */
export type RowKeys = Readonly<Record<string, ((pet: Pet) => void) | undefined>>;

export function useRowKeys(): RowKeys {
  const store = useStore();
  const mayWrite = useMay("write");
  const reserve = useReserve();
  const tell = useTell();
  return useMemo(() => {
    const complete = async ({ id, name }: Pet) => {
      const from = location.href;
      try {
        const { items } = await store.orders.list({ petId: id, status: "placed" }).page();
        const [order] = items;
        if (!order) return tell({ text: `${name} has no open order.` });
        // Who has gone on to something else meanwhile is not asked there, where the next Enter would be the answer.
        if (location.href !== from || document.querySelector("dialog[open]")) return;
        changeParameters({ order: String(order.id), end: "complete" });
      } catch (error) {
        tell({ text: `The order of ${name} could not be read. ${adviceFor(error)}` });
      }
    };
    const help = () => changeParameters({ help: "keys" });
    return mayWrite ? { r: reserve, c: complete, "?": help } : { "?": help };
  }, [store, mayWrite, reserve, tell]);
}
