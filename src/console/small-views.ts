/** Views and a dialog that share a chunk: each is so small that a request of its own would cost more than its bytes. */
export { Activity } from "./activity/activity.tsx";
export { Categories } from "./categories/categories.tsx";
export { Keys } from "./keys/keys.tsx";
export { Orders } from "./orders/orders.tsx";
export { Shortcuts } from "./shell/shortcuts.tsx";
export { Webhooks } from "./webhooks/webhooks.tsx";
