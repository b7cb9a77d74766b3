import { useMemo } from "react";
import { useEventLog } from "../api/event-log.ts";
import { Ago } from "../parts/ago.tsx";
import { MoreButton } from "../parts/more.tsx";
import { Failure } from "../parts/notices.tsx";
import { Unread } from "../parts/unread.tsx";
import { happeningsIn } from "./happening.ts";
import { Changes, ShortSentence } from "./timeline.tsx";

export function History({
  subject,
  isGone = false,
}: {
  subject: string;
  /** True if the subject does not exist. If it never did, nothing is shown. */
  isGone?: boolean;
}) {
  const log = useEventLog({ subject });
  const events = log.data?.events;
  const happenings = useMemo(() => happeningsIn(events ?? []), [events]);
  const isWhole = log.data?.older === undefined;
  const first = events?.at(-1)?.type;
  const isFromBeginning = first === "pet.created" || first === "order.placed";
  if (isGone && happenings.length === 0 && !log.error) return null;
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      {log.isPending && <p className="hint">Loading</p>}
      <Unread error={log.data ? undefined : log.error} onRetry={() => log.refetch()} />
      <ol>
        {happenings.map((happening) => (
          <li key={happening.id}>
            <ShortSentence happening={happening} />
            <Ago at={happening.at} />
            <Changes changes={happening.changes} />
          </li>
        ))}
      </ol>
      <Failure error={log.more.error} />
      {!isWhole && (
        <MoreButton title="Show older" isQuiet isLoading={log.more.isPending} onMore={() => log.more.run()} />
      )}
      {log.isSuccess && isWhole && !isFromBeginning && (
        <p className="hint">
          {events?.length === 0 ? "Its history is no longer kept." : "Older events are no longer kept."}
        </p>
      )}
    </section>
  );
}
