/** The views, in the order in which people see them. The page is served at each of the paths, and finds out which it is at. */
export const views = [
  { path: "/", title: "Animals" },
  { path: "/orders", title: "Orders" },
  { path: "/categories", title: "Categories" },
  { path: "/keys", title: "Keys" },
] as const;

export type View = (typeof views)[number];
