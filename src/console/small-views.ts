/** Views and a dialog that share a chunk of the bundle, because each is too small to be worth a separate request. */
export { Activity } from "./activity/activity.tsx";
export { Categories } from "./categories/categories.tsx";
export { Keys } from "./keys/keys.tsx";
export { Orders } from "./orders/orders.tsx";
export { Shortcuts } from "./shell/shortcuts.tsx";
export { Webhooks } from "./webhooks/webhooks.tsx";
