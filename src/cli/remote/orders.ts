import { parseInt64 } from "../../base/int64.ts";
import { setting } from "../../config.ts";
import { type NewOrder, orderStatuses } from "../../domain/order.ts";
import type { Command, CommandGroup } from "../command.ts";
import { orderColumns as columns } from "./columns.ts";
import { getCommand, itemCommand, listCommand } from "./remote-command.ts";
import { idOperand, sortSetting, statusesSetting } from "./settings.ts";

const orderId = idOperand("order", "orders list");

export const ordersCommands: CommandGroup = {
  name: "orders",
  summary: "List, show, place, complete and cancel orders.",
  commands: [
    listCommand({
      name: "list",
      summary: "List orders.",
      settings: {
        status: statusesSetting(orderStatuses, "Only orders with this status"),
        petId: setting("--pet ID", parseInt64, {
          help: "Only orders for the animal with this id.",
          expects: "the id of an animal",
        }),
        sort: sortSetting,
      },
      columns,
      call: ({ orders }, filter, page) => orders.list({ ...filter, ...page }),
    }),
    getCommand("an order", orderId, columns, ({ orders }, id) => orders.get(id)),
    itemCommand({
      name: "place",
      summary: "Order an available animal, which becomes pending.",
      operands: { petId: idOperand("animal", "pets list", "PET-ID") },
      columns,
      takesIdempotencyKey: true,
      call: ({ orders }, order: Record<keyof NewOrder, NewOrder["petId"]>, options) => orders.place(order, options),
    }),
    createClosingCommand("complete", "Complete an order: its animal becomes sold."),
    createClosingCommand("cancel", "Cancel an order: its animal becomes available again."),
  ],
};

function createClosingCommand(name: "complete" | "cancel", summary: string): Command {
  return itemCommand({
    name,
    summary,
    operands: { orderId },
    columns,
    takesIdempotencyKey: true,
    call: ({ orders }, given, options) => orders[name](given.orderId, options),
  });
}
