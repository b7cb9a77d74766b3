import { useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "../../../packages/client/src/index.ts";
import { Button } from "./button.tsx";

/** A list that is read page by page. */
export function usePages<Item>(
  queryKey: readonly unknown[],
  read: (cursor?: string) => PromiseLike<Page<Item>>,
  /** Rereads what changes without events. */
  refetchInterval: number | false = false,
) {
  const pages = useInfiniteQuery({
    queryKey,
    refetchInterval,
    queryFn: async ({ pageParam }) => await read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<Item>) => next,
  });
  return { ...pages, items: pages.data?.pages.flatMap(({ items }) => items) ?? [] };
}

export function More({
  pages,
}: {
  pages: Pick<ReturnType<typeof usePages>, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
}) {
  if (!pages.hasNextPage) return null;
  return <MoreButton title="Show more" isLoading={pages.isFetchingNextPage} onMore={() => pages.fetchNextPage()} />;
}

export function MoreButton({
  title,
  isLoading,
  isQuiet = false,
  onMore,
}: {
  title: string;
  isLoading: boolean;
  isQuiet?: boolean;
  onMore: () => void;
}) {
  return (
    <Button className={isQuiet ? "quiet" : undefined} disabled={isLoading} onClick={onMore}>
      {isLoading ? "Loading" : title}
    </Button>
  );
}
