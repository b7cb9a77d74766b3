/** Views in one file, because each is so small that to ask for it costs more than to have it sent. */
export { Activity } from "./activity/activity.tsx";
export { Categories } from "./categories/categories.tsx";
export { Keys } from "./keys/keys.tsx";
export { Orders } from "./orders/orders.tsx";
export { Webhooks } from "./webhooks/webhooks.tsx";
