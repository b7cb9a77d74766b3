import type { Int64 } from "../../base/int64.ts";
import type { Context } from "../operation.ts";

export const current = {
  read: ({ params: { categoryId } }: { params: { categoryId: Int64 } }, { store }: Context) =>
    store.categories.get(categoryId),
};
