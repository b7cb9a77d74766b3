import { parseInt64 } from "../../base/int64.ts";
import { setting } from "../../config.ts";
import { type NewOrder, orderStatuses } from "../../domain/order.ts";
import type { Command, CommandGroup } from "../command.ts";
import { orderColumns } from "./columns.ts";
import { getCommand, itemCommand, listCommand } from "./remote-command.ts";
import { idempotencySetting, idOperand, sortSetting, statusesSetting } from "./settings.ts";

const orderId = idOperand("order", "orders list");
const settings = { idempotencyKey: idempotencySetting };

export const ordersCommands: CommandGroup = {
  name: "orders",
  summary: "List, show, place, complete and cancel orders.",
  commands: [
    listCommand({
      name: "list",
      summary: "List orders.",
      settings: {
        status: statusesSetting(orderStatuses, "Only orders with this status"),
        petId: setting(parseInt64, {
          flag: "pet",
          placeholder: "ID",
          help: "Only orders for the animal with this id.",
          expects: "the id of an animal",
        }),
        sort: sortSetting,
      },
      columns: orderColumns,
      call:
        ({ orders }, { status, petId, sort }) =>
        (page) =>
          orders.list({ status, petId, sort, ...page }),
    }),
    getCommand("an order", orderId, orderColumns, ({ orders }, id) => orders.get(id)),
    itemCommand({
      name: "place",
      summary: "Order an available animal, which becomes pending.",
      settings,
      operands: { petId: idOperand("animal", "pets list", "PET-ID") },
      columns: orderColumns,
      call: ({ orders }, { petId, idempotencyKey }) =>
        orders.place({ petId } satisfies Record<keyof NewOrder, unknown>, { idempotencyKey }),
    }),
    closingCommand("complete", "Complete an order: its animal becomes sold."),
    closingCommand("cancel", "Cancel an order: its animal becomes available again."),
  ],
};

function closingCommand(name: "complete" | "cancel", summary: string): Command {
  return itemCommand({
    name,
    summary,
    settings,
    operands: { orderId },
    columns: orderColumns,
    call: ({ orders }, given) => orders[name](given.orderId, { idempotencyKey: given.idempotencyKey }),
  });
}
