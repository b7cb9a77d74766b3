/** The views in the order of the sidebar. A view with a scope is offered only to keys with that scope. Every path serves the page. */
export const views = [
  { path: "/overview", title: "Overview", icon: "overview" },
  { path: "/animals", title: "Animals", icon: "animals" },
  { path: "/orders", title: "Orders", icon: "orders" },
  { path: "/categories", title: "Categories", icon: "categories" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/keys", title: "Keys", icon: "keys", scope: "admin" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks", scope: "admin" },
] as const;

/** The page is served at this path, too, and redirects to the first view. */
export const home = "/";

export type View = (typeof views)[number];
