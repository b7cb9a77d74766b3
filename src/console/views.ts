/** The views, in the order in which people see them. The page is served at each of the paths, and finds out which it is at. */
export const views = [
  { path: "/overview", title: "Overview", icon: "overview" },
  { path: "/animals", title: "Animals", icon: "animals" },
  { path: "/orders", title: "Orders", icon: "orders" },
  { path: "/categories", title: "Categories", icon: "categories" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/keys", title: "Keys", icon: "keys" },
] as const;

/** Where the page is served too: it leads on to the first view. */
export const home = "/";

export type View = (typeof views)[number];
