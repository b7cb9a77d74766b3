import { memo, useMemo, useState } from "react";
import type { Int64 } from "../../../packages/client/src/index.ts";
import type { PetStatus } from "../../domain/pet.ts";
import { fieldTexts } from "../animals/pet-fields.ts";
import { useEventLog } from "../api/event-log.ts";
import { useAnimalNames, useCategoryNames } from "../api/queries.ts";
import { KnownCategoryName } from "../categories/category-name.tsx";
import { Link, useDialogAddress } from "../parts/address.tsx";
import { Ago, ClockTime, useNow } from "../parts/ago.tsx";
import { useDrawnCount } from "../parts/deferred.tsx";
import { formatCount } from "../parts/format-count.ts";
import { Icon } from "../parts/icons.tsx";
import { MoreButton } from "../parts/listing.tsx";
import { Status } from "../parts/status.tsx";
import { Failure, QueryFailure } from "../parts/view.tsx";
import { type ActivityItem, type Change, type Resource, toActivityItems } from "./activity-items.ts";
import { dayOf, dayTitle } from "./days.ts";

export function Timeline({ happenings }: { happenings: readonly ActivityItem[] }) {
  const now = useNow();
  const names = useNamesOfOrdered(happenings);
  const drawn = happenings.slice(0, useDrawnCount(happenings.length));
  const days = Map.groupBy(drawn, ({ at }) => dayOf(Date.parse(at)));
  return (
    <div className="timeline">
      {[...days].map(([day, those]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{dayTitle(day, now)}</h2>
          <Happenings happenings={those} names={names} isToday={day === dayOf(now)} />
        </section>
      ))}
    </div>
  );
}

export const RecentActivity = memo(function RecentActivity({ happenings }: { happenings: readonly ActivityItem[] }) {
  return (
    <div className="timeline">
      <Happenings happenings={happenings} names={useNamesOfOrdered(happenings)} isToday />
    </div>
  );
});

/** Events of orders have only the numbers of their animals. */
function useNamesOfOrdered(happenings: readonly ActivityItem[]): ReadonlyMap<string, string> {
  return useAnimalNames(
    happenings.flatMap(({ about, order }) => (about.kind === "order" && order ? [order.petId] : [])),
  );
}

interface HappeningsProps {
  readonly happenings: readonly ActivityItem[];
  readonly names: ReadonlyMap<string, string>;
  readonly isToday: boolean;
}

function Happenings({ happenings, names, isToday }: HappeningsProps) {
  return (
    <ol>
      {happenings.map((happening) => {
        const ordered = happening.order && names.get(String(happening.order.petId));
        return <Line key={happening.id} happening={happening} ordered={ordered} isToday={isToday} />;
      })}
    </ol>
  );
}

interface LineProps {
  readonly happening: ActivityItem;
  readonly ordered: string | undefined;
  readonly isToday: boolean;
}

const Line = memo(function Line({ happening, ordered, isToday }: LineProps) {
  const { icon, changes, about, others, at } = happening;
  return (
    <li className="happening">
      <span className="sign">
        <Icon name={icon} size={16} />
      </span>
      <div className="told">
        <Sentence happening={happening} ordered={ordered} />
        <Changes changes={changes} />
        {others.length > 0 && <AllThings things={[about, ...others]} />}
      </div>
      {isToday ? <Ago at={at} /> : <ClockTime at={at} />}
    </li>
  );
});

/** May be a thousand: they are drawn only on request. */
function AllThings({ things }: { things: readonly Resource[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show all {formatCount(things.length)}</summary>
      {isOpen && (
        <ul className="things">
          {things.map((thing) => (
            <li key={String(thing.id)}>
              <ResourceLink thing={thing} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** A sentence such as "Rex was reserved by Front desk". `ordered` is the name of the animal of an order. */
function Sentence({ happening, ordered }: { happening: ActivityItem; ordered: string | undefined }) {
  const { about, others, done, order } = happening;
  return (
    <p className="sentence">
      <ResourceLink thing={about} />
      {others.length > 0 && ` and ${others.length} more`} {others.length > 0 ? "were" : "was"} {done}
      {about.kind === "order" && order && (
        <>
          {" "}
          for <ResourceLink thing={{ kind: "animal", id: order.petId, name: ordered }} />
        </>
      )}{" "}
      <By happening={happening} />
    </p>
  );
}

/** The same without its subject: "Reserved by Front desk". */
function ShortSentence({ happening }: { happening: ActivityItem }) {
  const { done } = happening;
  return (
    <p className="sentence">
      {done.charAt(0).toUpperCase() + done.slice(1)} <By happening={happening} />
    </p>
  );
}

function By({ happening: { by, about, order } }: { happening: ActivityItem }) {
  return (
    <>
      by <bdi className="who-did">{by}</bdi>
      {about.kind === "animal" && order && (
        <>
          {" "}
          <span className="by-order">
            <ResourceLink thing={{ kind: "order", id: order.id }} />
          </span>
        </>
      )}
    </>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const shown = changes.filter(({ from, to }) => from !== null || to !== null);
  if (shown.length === 0) return null;
  return (
    <ul className="changes">
      {shown.map((change) => (
        <li key={change.field}>
          <span className="field-name">{labelOf(change)}</span>
          {change.from !== null && (
            <>
              <span className="unseen"> from </span>
              <Value change={change} value={change.from} />
              <span aria-hidden="true" className="arrow">
                →
              </span>
              <span className="unseen"> to </span>
            </>
          )}
          <Value change={change} value={change.to ?? "nothing"} />
        </li>
      ))}
    </ul>
  );
}

function labelOf({ field }: Change): string {
  return field === "reason" ? field : fieldTexts[field].label.toLowerCase();
}

function Value({ change: { field }, value }: { change: Change; value: Int64 | string }) {
  if (field === "status") return <Status status={value as PetStatus} />;
  if (field === "categoryId") return <KnownCategoryName id={value as Int64} />;
  return <bdi>{String(value)}</bdi>;
}

export function ResourceLink({ thing: { kind, id, name } }: { thing: Resource }) {
  const opening = useDialogAddress();
  const categories = useCategoryNames();
  const places: Record<Resource["kind"], readonly [to: string, noun: string, own?: string | undefined]> = {
    animal: [opening({ animal: id, order: undefined, webhook: undefined }), name === undefined ? "Animal " : ""],
    order: [opening({ order: id, webhook: undefined }), "Order "],
    category: [`/animals?category=${id}`, "Category ", categories.get(String(id))],
    key: ["/keys", "Key "],
    webhook: [`/webhooks?webhook=${id}`, "Webhook "],
  };
  const [to, noun, own = name ?? String(id)] = places[kind];
  return (
    <Link className="thing" to={to}>
      {noun}
      <bdi>{own}</bdi>
    </Link>
  );
}

interface HistoryProps {
  readonly subject: string;
  /** True if the subject does not exist. If it never did, nothing is shown. */
  readonly isGone?: boolean;
}

export function History({ subject, isGone = false }: HistoryProps) {
  const log = useEventLog({ subject });
  const events = log.data?.events;
  const happenings = useMemo(() => toActivityItems(events ?? []), [events]);
  const isWhole = log.data?.older === undefined;
  const first = events?.at(-1)?.type;
  const isFromBeginning = first === "pet.created" || first === "order.placed";
  if (isGone && happenings.length === 0 && !log.error) return null;
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      {log.isPending && <p className="hint">Loading</p>}
      <QueryFailure error={log.data ? undefined : log.error} onRetry={() => log.refetch()} />
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
