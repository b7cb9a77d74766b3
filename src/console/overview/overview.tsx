import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { petStatuses } from "../../domain/pet.ts";
import { toActivityItems } from "../activity/activity-items.ts";
import { toDay } from "../activity/days.ts";
import { RecentActivity } from "../activity/timeline.tsx";
import { AddAnimalButton, NoAnimals, SampleProgress, useSampleAnimals } from "../animals/no-animals.tsx";
import { type EventLog, useEventLog } from "../api/event-log.ts";
import { queryKeys, useAnimalNames, useInventory } from "../api/queries.ts";
import { Link, useDialogUrl } from "../parts/address.tsx";
import { formatDuration, useNow } from "../parts/ago.tsx";
import { narrowScreenQuery, useMedia } from "../parts/appearance.ts";
import { formatCount, pluralize } from "../parts/format-count.ts";
import { Icon } from "../parts/icons.tsx";
import { Heading, QueryStatus } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";
import { DayChart, FillPatterns, InventorySummary } from "./charts.tsx";
import { countByDay, countedEventTypes, type DayCount, findFirstCompleteDay } from "./day-counts.ts";

export function Overview() {
  const inventory = useInventory();
  const samples = useSampleAnimals();
  const isEmpty = inventory.data && petStatuses.every((status) => inventory.data[status] === 0);
  return (
    <>
      <Heading title="Overview">
        <AddAnimalButton />
      </Heading>
      <FillPatterns />
      <QueryStatus query={inventory} what="the counts" isQuiet />
      {isEmpty && <NoAnimals samples={samples} />}
      <SampleProgress samples={samples} />
      {inventory.data && !isEmpty && <InventorySummary inventory={inventory.data} />}
      <Cards />
    </>
  );
}

function Cards() {
  const now = useNow();
  const dayCount = useMedia(narrowScreenQuery) ? 14 : 28;
  const log = useEventLog({ type: countedEventTypes }, coversChart);
  const { events = [], olderCursor } = log.data ?? {};
  const isComplete = olderCursor === undefined;
  const counts = countByDay(events, isComplete, dayCount, now);
  const isTodayComplete = findFirstCompleteDay(events, isComplete) <= toDay(now);
  const period = counts.length % 7 === 0 ? pluralize(counts.length / 7, "week") : pluralize(counts.length, "day");
  return (
    <div className="cards">
      <Card title="Added and sold" aside={log.data && `last ${period}`} className="broad">
        <QueryStatus query={log} what="the activity" isQuiet />
        {log.data && <DayChart counts={counts} />}
        {counts.length < dayCount && (
          <p className="hint">So much has happened that only the last {formatCount(maxEvents)} changes are counted.</p>
        )}
      </Card>
      <OpenOrders />
      <Today count={isTodayComplete ? counts.at(-1) : undefined} />
    </div>
  );
}

function coversChart({ events }: EventLog): boolean {
  const oldest = events.at(-1);
  if (events.length >= maxEvents || !oldest) return true;
  return Date.parse(oldest.timestamp) < Date.now() - 29 * 24 * 60 * 60 * 1_000;
}

const maxEvents = 2_000;

/** The activity of today, or the latest items if nothing has happened today. `count` is undefined if some events of today were not read. */
function Today({ count }: { count: DayCount | undefined }) {
  const today = toDay(useNow());
  const log = useEventLog({});
  const items = toActivityItems(log.data?.events ?? []);
  const itemsOfToday = items.filter(({ at }) => toDay(Date.parse(at)) === today);
  const hasNoneToday = itemsOfToday.length === 0;
  const shown = (hasNoneToday ? items : itemsOfToday).slice(0, 8);
  return (
    <Card title={hasNoneToday ? "Lately" : "Today"} className="broad" more={{ to: "/activity", title: "All activity" }}>
      <QueryStatus query={log} what="the activity" isQuiet />
      {log.data && hasNoneToday && <p className="hint">Nothing has happened today.</p>}
      <DaySummary count={count} />
      {shown.length > 0 && <RecentActivity items={shown} />}
    </Card>
  );
}

function DaySummary({ count }: { count: DayCount | undefined }) {
  const counts = count
    ? (["added", "reserved", "sold", "deleted"] as const).map((what) => [what, formatCount(count[what])] as const)
    : ([["changes", `More than ${formatCount(maxEvents)}`]] as const);
  const shown = counts.filter(([, number]) => number !== "0");
  if (shown.length === 0) return null;
  return (
    <p className="day-summary">
      {shown.map(([what, number]) => (
        <span key={what}>
          <strong>{number}</strong> {what}
        </span>
      ))}
    </p>
  );
}

interface CardProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly more?: { readonly to: string; readonly title: string };
  readonly className?: string;
  readonly children: ReactNode;
}

function Card({ title, aside, more, className = "", children }: CardProps) {
  const id = useId();
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside && <span className="aside">{aside}</span>}
        {more && (
          <Link className="more" to={more.to}>
            {more.title}
            <Icon name="chevron" size={14} />
          </Link>
        )}
      </header>
      {children}
    </section>
  );
}

function OpenOrders() {
  const store = useStore();
  const now = useNow();
  const toDialogUrl = useDialogUrl();
  const orders = useQuery({
    queryKey: [...queryKeys.orders, "open longest"],
    queryFn: async () => (await store.orders.list({ status: "placed", limit: maxOrders }).page()).items,
  });
  const animals = useAnimalNames((orders.data ?? []).map(({ petId }) => petId));
  return (
    <Card title="Open orders" more={{ to: "/orders?status=placed&sort=id", title: "All open orders" }}>
      <QueryStatus query={orders} what="orders" isQuiet />
      {orders.data?.length === 0 && <p className="hint">No order is open.</p>}
      <ul className="order-list">
        {orders.data?.map(({ id, petId, createdAt }) => (
          <li key={id}>
            <Link to={toDialogUrl({ order: id })}>
              <bdi>{animals.get(String(petId)) ?? `Animal ${petId}`}</bdi>
              <span className="hint">Order {id}</span>
              <span className="hint since">{formatDuration(Date.parse(createdAt), now)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const maxOrders = 6;
