/** The views of the sidebar. A view with a scope is offered only to keys with that scope. The service serves the page at every path. */
export const views = [
  { path: "/overview", title: "Overview", icon: "overview" },
  { path: "/animals", title: "Animals", icon: "animals" },
  { path: "/orders", title: "Orders", icon: "orders" },
  { path: "/categories", title: "Categories", icon: "categories" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/keys", title: "Keys", icon: "keys", scope: "admin" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks", scope: "admin" },
] as const;

/** The page is served here, too, and shows the first view. */
export const home = "/";

export type View = (typeof views)[number];
