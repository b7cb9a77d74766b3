import { useInfiniteQuery } from "@tanstack/react-query";
import type { ComponentProps, CSSProperties, ReactNode } from "react";
import type { Page } from "../../../packages/client/src/index.ts";
import { Button } from "./controls.tsx";

/** The layout of a column. A long column takes the free space. Narrow screens hide minor columns, the least important first. */
type ColumnLayout = "long" | "minor" | "minor least";

interface ListingProps {
  readonly caption: string;
  readonly columns: readonly (readonly [title: string, layout?: ColumnLayout])[];
  readonly hasActions?: boolean;
  /** True if narrow screens show the buttons of a row below the row. */
  readonly isFolding?: boolean;
  readonly children: ReactNode;
}

export function Listing({ caption, columns, hasActions = true, isFolding = false, children }: ListingProps) {
  const layouts = columns.map(([, layout]) => layout);
  const tracks = {
    "--columns": formatTracks(layouts),
    "--without-least": formatTracks(layouts.filter((layout) => layout !== "minor least")),
    "--without-minor": formatTracks(layouts.filter((layout) => !layout?.startsWith("minor"))),
  };
  return (
    <div className={isFolding ? "wide listing folding" : "wide listing"}>
      <table style={tracks as CSSProperties}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, layout]) => (
              <th key={title} scope="col" className={layout}>
                {title}
              </th>
            ))}
            {hasActions && (
              <th scope="col" className="actions">
                <span className="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function formatTracks(layouts: readonly (ColumnLayout | undefined)[]): string {
  return layouts.map((layout) => (layout === "long" ? "var(--long)" : "auto")).join(" ");
}

export function Time({ at }: { at: string | null }) {
  if (at === null) return <span className="none">never</span>;
  return (
    <time dateTime={at}>{new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}

export function usePages<Item>(
  queryKey: readonly unknown[],
  read: (cursor?: string) => PromiseLike<Page<Item>>,
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

type Pages = Pick<ReturnType<typeof usePages>, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

export function NextPageButton({ pages: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { pages: Pages }) {
  if (!hasNextPage) return null;
  return <MoreButton title="Show more" isLoading={isFetchingNextPage} onClick={() => fetchNextPage()} />;
}

export function MoreButton({
  title,
  isLoading,
  ...button
}: ComponentProps<"button"> & { readonly isLoading: boolean }) {
  return (
    <Button {...button} disabled={isLoading}>
      {isLoading ? "Loading" : title}
    </Button>
  );
}
