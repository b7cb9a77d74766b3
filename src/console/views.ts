/** The views, in the order in which people see them; one with a scope is offered to keys that have it. The page is served at each of the paths, and finds out which it is at. */
export const views = [
  { path: "/overview", title: "Overview", icon: "overview" },
  { path: "/animals", title: "Animals", icon: "animals" },
  { path: "/orders", title: "Orders", icon: "orders" },
  { path: "/categories", title: "Categories", icon: "categories" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/keys", title: "Keys", icon: "keys", scope: "admin" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks", scope: "admin" },
] as const;

/** Where the page is served too: it leads on to the first view. */
export const home = "/";

export type View = (typeof views)[number];
