import { memo, useMemo, useState } from "react";
import type { Int64 } from "../../../packages/client/src/index.ts";
import type { PetStatus } from "../../domain/pet.ts";
import { fieldTexts } from "../animals/pet-fields.ts";
import { useEventLog } from "../api/event-log.ts";
import { useAnimalNames, useCategoryNames } from "../api/queries.ts";
import { FetchedCategoryName } from "../categories/category-name.tsx";
import { Link, useDialogUrl } from "../parts/address.tsx";
import { Ago, TimeOfDay, useNow } from "../parts/ago.tsx";
import { formatCount } from "../parts/format-count.ts";
import { Icon } from "../parts/icons.tsx";
import { MoreButton } from "../parts/listing.tsx";
import { Status } from "../parts/status.tsx";
import { Failure, QueryStatus } from "../parts/view.tsx";
import { type ActivityItem, type FieldChange, type Resource, toActivityItems } from "./activity-items.ts";
import { formatDayTitle, toDay } from "./days.ts";

export function Timeline({ items }: { items: readonly ActivityItem[] }) {
  const now = useNow();
  const names = useOrderedAnimalNames(items);
  const days = Map.groupBy(items, ({ at }) => toDay(Date.parse(at)));
  return (
    <div className="timeline">
      {[...days].map(([day, itemsOfDay]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{formatDayTitle(day, now)}</h2>
          {renderItems(itemsOfDay, names, day === toDay(now))}
        </section>
      ))}
    </div>
  );
}

export const RecentActivity = memo(function RecentActivity({ items }: { items: readonly ActivityItem[] }) {
  return <div className="timeline">{renderItems(items, useOrderedAnimalNames(items), true)}</div>;
});

/** Fetches the names of ordered animals, because order events contain only the ids of animals. */
function useOrderedAnimalNames(items: readonly ActivityItem[]): ReadonlyMap<string, string> {
  return useAnimalNames(items.flatMap(({ about, order }) => (about.kind === "order" && order ? [order.petId] : [])));
}

function renderItems(items: readonly ActivityItem[], names: ReadonlyMap<string, string>, isToday: boolean) {
  return (
    <ol>
      {items.map((item) => (
        <TimelineItem key={item.id} item={item} orderedName={names.get(String(item.order?.petId))} isToday={isToday} />
      ))}
    </ol>
  );
}

interface TimelineItemProps {
  readonly item: ActivityItem;
  readonly orderedName: string | undefined;
  readonly isToday: boolean;
}

const TimelineItem = memo(function TimelineItem({ item, orderedName, isToday }: TimelineItemProps) {
  const { icon, changes, about, others, at, done, order } = item;
  return (
    <li className="activity-item">
      <span className="sign">
        <Icon name={icon} size={16} />
      </span>
      <div className="description">
        <p className="sentence">
          <ResourceLink resource={about} />
          {others.length > 0 && ` and ${others.length} more`} {others.length > 0 ? "were" : "was"} {done}
          {about.kind === "order" && order && (
            <>
              {" "}
              for <ResourceLink resource={{ kind: "animal", id: order.petId, name: orderedName }} />
            </>
          )}{" "}
          <ActorText item={item} />
        </p>
        <ChangeList changes={changes} />
        {others.length > 0 && <AllResources resources={[about, ...others]} />}
      </div>
      {isToday ? <Ago at={at} /> : <TimeOfDay at={at} />}
    </li>
  );
});

/** Renders the list only when the user opens it, because one request can change a thousand resources. */
function AllResources({ resources }: { resources: readonly Resource[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show all {formatCount(resources.length)}</summary>
      {isOpen && (
        <ul className="resource-list">
          {resources.map((resource) => (
            <li key={String(resource.id)}>
              <ResourceLink resource={resource} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function ActorText({ item: { by, about, order } }: { item: ActivityItem }) {
  return (
    <>
      by <bdi className="actor">{by}</bdi>
      {about.kind === "animal" && order && (
        <>
          {" "}
          <span className="by-order">
            <ResourceLink resource={{ kind: "order", id: order.id }} />
          </span>
        </>
      )}
    </>
  );
}

function ChangeList({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="changes">
      {changes.map(({ field, from, to }) => (
        <li key={field}>
          <span className="field-name">{fieldTexts[field].label.toLowerCase()}</span>
          <span className="unseen"> from </span>
          <FieldValue field={field} value={from} />
          <span aria-hidden="true" className="arrow">
            →
          </span>
          <span className="unseen"> to </span>
          <FieldValue field={field} value={to} />
        </li>
      ))}
    </ul>
  );
}

function FieldValue({ field, value }: { field: FieldChange["field"]; value: Int64 | string | null }) {
  if (field === "status") return <Status status={value as PetStatus} />;
  if (field === "categoryId") return <FetchedCategoryName id={value as Int64} />;
  return <bdi>{value ?? "nothing"}</bdi>;
}

export function ResourceLink({ resource: { kind, id, name } }: { resource: Resource }) {
  const toDialogUrl = useDialogUrl();
  const categories = useCategoryNames();
  const links: Record<Resource["kind"], readonly [to: string, noun: string, label?: string | undefined]> = {
    animal: [toDialogUrl({ animal: id, order: undefined, webhook: undefined }), name === undefined ? "Animal " : ""],
    order: [toDialogUrl({ order: id, webhook: undefined }), "Order "],
    category: [`/animals?category=${id}`, "Category ", categories.get(String(id))],
    key: ["/keys", "Key "],
    webhook: [`/webhooks?webhook=${id}`, "Webhook "],
  };
  const [to, noun, label = name ?? String(id)] = links[kind];
  return (
    <Link className="resource-link" to={to}>
      {noun}
      <bdi>{label}</bdi>
    </Link>
  );
}

/** Shows the events of a resource. Renders nothing for a resource that no longer exists (`isGone`) and has no stored events. */
export function History({ subject, isGone = false }: { subject: string; isGone?: boolean }) {
  const { loadOlder: load, ...log } = useEventLog({ subject });
  const events = log.data?.events;
  const items = useMemo(() => toActivityItems(events ?? []), [events]);
  const isComplete = log.data?.olderCursor === undefined;
  const first = events?.at(-1)?.type;
  const hasCreation = first === "pet.created" || first === "order.placed";
  if (isGone && items.length === 0 && !log.error) return null;
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      <QueryStatus query={log} what="the history" isQuiet />
      <ol>
        {items.map((item) => (
          <li key={item.id}>
            <p className="sentence">
              {item.done.charAt(0).toUpperCase() + item.done.slice(1)} <ActorText item={item} />
            </p>
            <Ago at={item.at} />
            <ChangeList changes={item.changes} />
          </li>
        ))}
      </ol>
      <Failure error={load.error} />
      {!isComplete && (
        <MoreButton title="Show older" className="quiet" isLoading={load.isPending} onClick={() => load.run()} />
      )}
      {log.isSuccess && isComplete && !hasCreation && (
        <p className="hint">
          {events?.length === 0 ? "Its history is no longer kept." : "Older events are no longer kept."}
        </p>
      )}
    </section>
  );
}
