import type { Call } from "../call.ts";
import type { List } from "../list.ts";
import { type Body, Methods, type Options, type Path, type Query } from "./methods.ts";

export class Orders extends Methods {
  list(query: Query<"listOrders"> = {}, options?: Options<"listOrders">): List<"listOrders"> {
    return this.listOf("listOrders", query, options);
  }

  /** Orders an available animal, which becomes pending. */
  place(order: Body<"placeOrder">, options?: Options<"placeOrder">): Call<"placeOrder"> {
    return this.call("placeOrder", { body: order }, options);
  }

  get(orderId: Path<"getOrder", "orderId">, options?: Options<"getOrder">): Call<"getOrder"> {
    return this.call("getOrder", { path: { orderId } }, options);
  }

  /** Ends the order by the sale of its animal. */
  complete(orderId: Path<"completeOrder", "orderId">, options?: Options<"completeOrder">): Call<"completeOrder"> {
    return this.call("completeOrder", { path: { orderId } }, options);
  }

  /** Ends the order; its animal becomes available again. */
  cancel(orderId: Path<"cancelOrder", "orderId">, options?: Options<"cancelOrder">): Call<"cancelOrder"> {
    return this.call("cancelOrder", { path: { orderId } }, options);
  }
}
