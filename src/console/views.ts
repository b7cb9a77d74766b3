/** The views in the sidebar. A view with a scope is offered only to keys with that scope. The service serves the console at each path. */
export const views = [
  { path: "/overview", title: "Overview", icon: "overview" },
  { path: "/animals", title: "Animals", icon: "animals" },
  { path: "/orders", title: "Orders", icon: "orders" },
  { path: "/categories", title: "Categories", icon: "categories" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/keys", title: "Keys", icon: "keys", scope: "admin" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks", scope: "admin" },
] as const;

/** Another path of the console, which redirects to the first view. */
export const homePath = "/";

export type View = (typeof views)[number];
