import { int64FromText } from "../../base/int64.ts";
import { setting } from "../../config.ts";
import { orderStatuses } from "../../domain/order.ts";
import type { CommandGroup } from "../command.ts";
import { orderColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";
import { firstOf, idempotencySetting, idOperand, limitSetting, sortSetting, statusesSetting } from "./settings.ts";

const orderId = idOperand("order", "orders list");
const writeSettings = { idempotencyKey: idempotencySetting };

export const ordersCommands: CommandGroup = {
  name: "orders",
  summary: "List, show, place, complete and cancel orders.",
  commands: [
    remoteCommand({
      name: "list",
      summary: "List orders.",
      settings: {
        status: statusesSetting(orderStatuses, "Only orders with this status"),
        pet: setting(int64FromText, {
          flag: "pet",
          placeholder: "ID",
          help: "Only orders for the animal with this id.",
          expects: "the id of an animal",
        }),
        sort: sortSetting,
        limit: limitSetting,
      },
      async run({ settings: { status, pet, sort, limit }, output, store }) {
        const { orders } = store;
        const walk = (pageSize: number) => orders.list({ status, petId: pet, sort, limit: pageSize });
        return await output.list(firstOf(limit, walk), orderColumns);
      },
    }),
    remoteCommand({
      name: "get",
      summary: "Show an order.",
      operands: { orderId },
      async run({ operands: { orderId: id }, output, store }) {
        return await output.item(await store.orders.get(id), orderColumns);
      },
    }),
    remoteCommand({
      name: "place",
      summary: "Order an available animal, which becomes pending.",
      settings: writeSettings,
      operands: { petId: idOperand("animal", "pets list", "PET-ID") },
      async run({ settings: { idempotencyKey }, operands: { petId }, output, store }) {
        return await output.item(await store.orders.place({ petId }, { idempotencyKey }), orderColumns);
      },
    }),
    remoteCommand({
      name: "complete",
      summary: "Complete an order: its animal becomes sold.",
      settings: writeSettings,
      operands: { orderId },
      async run({ settings: { idempotencyKey }, operands: { orderId: id }, output, store }) {
        return await output.item(await store.orders.complete(id, { idempotencyKey }), orderColumns);
      },
    }),
    remoteCommand({
      name: "cancel",
      summary: "Cancel an order: its animal becomes available again.",
      settings: writeSettings,
      operands: { orderId },
      async run({ settings: { idempotencyKey }, operands: { orderId: id }, output, store }) {
        return await output.item(await store.orders.cancel(id, { idempotencyKey }), orderColumns);
      },
    }),
  ],
};
