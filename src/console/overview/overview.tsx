import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useMemo } from "react";
import { petStatuses } from "../../domain/pet.ts";
import { type ActivityItem, toActivityItems } from "../activity/activity-items.ts";
import { dayOf } from "../activity/days.ts";
import { RecentActivity } from "../activity/timeline.tsx";
import { useSampleAnimals } from "../animals/use-sample-animals.ts";
import { type EventLog, useEventLog } from "../api/event-log.ts";
import { queryKeys, useAnimalNames, useHasScope, useInventory } from "../api/queries.ts";
import { changeParameters, Link, useDialogAddress } from "../parts/address.tsx";
import { formatDuration, useNow } from "../parts/ago.tsx";
import { narrowScreen, useMedia } from "../parts/appearance.ts";
import { Button } from "../parts/controls.tsx";
import { Deferred } from "../parts/deferred.tsx";
import { formatCount, pluralize } from "../parts/format-count.ts";
import { Icon } from "../parts/icons.tsx";
import { Empty, Failure, Heading, QueryStatus } from "../parts/view.tsx";
import { readOnlyHintId } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { DayChart, InventorySummary, Patterns } from "./charts.tsx";
import { countByDay, countedTypes, type DayCount, firstWholeDay } from "./daily.ts";

export function Overview() {
  const inventory = useInventory();
  const canWrite = useHasScope("write");
  const add = () => changeParameters({ add: "animal" });
  const isEmpty = inventory.data && petStatuses.every((status) => inventory.data[status] === 0);
  return (
    <>
      <Heading title="Overview">
        <Button
          className="primary"
          disabled={!canWrite}
          aria-describedby={canWrite ? undefined : readOnlyHintId}
          onClick={add}
          icon="plus"
        >
          Add an animal
        </Button>
      </Heading>
      <Patterns />
      <QueryStatus query={inventory} what="the counts" isQuiet />
      {isEmpty && <FirstSteps onAdd={add} />}
      {inventory.data && !isEmpty && <InventorySummary inventory={inventory.data} />}
      <Cards />
    </>
  );
}

function FirstSteps({ onAdd }: { onAdd: () => void }) {
  const canWrite = useHasScope("write");
  const samples = useSampleAnimals();
  return (
    <Empty title="No animals yet" icon="animals">
      {canWrite && (
        <>
          <p>Add the first one, or explore with sample animals.</p>
          <div className="actions">
            <Button className="primary" onClick={onAdd}>
              Add an animal
            </Button>
            <Button disabled={samples.isPending} onClick={() => samples.run()}>
              Load sample animals
            </Button>
          </div>
          {samples.isPending && <p role="status">{samples.progress}</p>}
          <Failure error={samples.error} onRetry={() => samples.run()} />
        </>
      )}
    </Empty>
  );
}

/** Reads the log as far back as the chart goes, but at most `maxEvents`. */
function Cards() {
  const now = useNow();
  const days = useMedia(narrowScreen) ? 14 : 28;
  const log = useEventLog({ type: countedTypes }, coversTheWeeks);
  const { data } = log;
  const events = data?.events;
  const isWhole = data?.older === undefined;
  const counts = useMemo(() => countByDay(events ?? [], isWhole, days, now), [events, isWhole, days, now]);
  const isTodayWhole = firstWholeDay(events ?? [], isWhole) <= dayOf(now);
  return (
    <div className="cards">
      <LastWeeks log={log} counts={counts} days={days} />
      <Deferred>
        <OpenOrders />
        <Deferred>
          <Today count={isTodayWhole ? counts.at(-1) : undefined} />
        </Deferred>
      </Deferred>
    </div>
  );
}

interface LastWeeksProps {
  readonly log: ReturnType<typeof useEventLog>;
  readonly counts: readonly DayCount[];
  readonly days: number;
}

function LastWeeks({ log, counts, days }: LastWeeksProps) {
  const { data } = log;
  const weeks = counts.length % 7 === 0 ? pluralize(counts.length / 7, "week") : pluralize(counts.length, "day");
  return (
    <Card title="Added and sold" aside={data && `last ${weeks}`} className="broad">
      <QueryStatus query={log} what="what happened" isQuiet />
      {data && <DayChart counts={counts} />}
      {counts.length < days && (
        <p className="hint">So much has happened that only the last {formatCount(maxEvents)} changes are counted.</p>
      )}
    </Card>
  );
}

function coversTheWeeks({ events }: EventLog): boolean {
  const oldest = events.at(-1);
  if (events.length >= maxEvents || !oldest) return true;
  return Date.parse(oldest.timestamp) < Date.now() - 29 * 24 * 60 * 60 * 1_000;
}

const maxEvents = 2_000;

interface TodayProps {
  /** Undefined if only a part of today was read: its counts would be wrong. */
  readonly count: DayCount | undefined;
}

function Today({ count }: TodayProps) {
  const now = useNow();
  const log = useEventLog({});
  const { data } = log;
  const events = data?.events;
  const today = dayOf(now);
  const { shown, isQuiet } = useMemo(() => latelyOrOn(today, toActivityItems(events ?? [])), [today, events]);
  return (
    <Card title={isQuiet ? "Lately" : "Today"} className="broad" more={{ to: "/activity", title: "All activity" }}>
      <QueryStatus query={log} what="what happened" isQuiet />
      {data && isQuiet && <p className="hint">Nothing has happened today.</p>}
      <DaySummary count={count} />
      {shown.length > 0 && <RecentActivity happenings={shown} />}
    </Card>
  );
}

function DaySummary({ count }: { count: DayCount | undefined }) {
  const told = count
    ? (["added", "reserved", "sold", "deleted"] as const).map((what) => [what, formatCount(count[what])] as const)
    : ([["changes", `More than ${formatCount(maxEvents)}`]] as const);
  const some = told.filter(([, number]) => number !== "0");
  if (some.length === 0) return null;
  return (
    <p className="day-summary">
      {some.map(([what, number]) => (
        <span key={what}>
          <strong>{number}</strong> {what}
        </span>
      ))}
    </p>
  );
}

function latelyOrOn(day: string, happenings: readonly ActivityItem[]) {
  const ofDay = happenings.filter(({ at }) => dayOf(Date.parse(at)) === day);
  const isQuiet = ofDay.length === 0;
  return { isQuiet, shown: (isQuiet ? happenings : ofDay).slice(0, 8) };
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
  const opening = useDialogAddress();
  const orders = useQuery({
    queryKey: [...queryKeys.orders, "open longest"],
    queryFn: async () => (await store.orders.list({ status: "placed", limit: shown }).page()).items,
  });
  const animals = useAnimalNames((orders.data ?? []).map(({ petId }) => petId));
  return (
    <Card title="Open orders" more={{ to: "/orders?status=placed&sort=id", title: "All open orders" }}>
      <QueryStatus query={orders} what="orders" isQuiet />
      {orders.data?.length === 0 && <p className="hint">No order is open.</p>}
      <ul className="lines">
        {orders.data?.map(({ id, petId, createdAt }) => (
          <li key={id}>
            <Link to={opening({ order: id })}>
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

const shown = 6;
