import { memo, useState } from "react";
import { useAnimalNames } from "../orders/animal-names.ts";
import { Ago, ClockTime, useNow } from "../parts/ago.tsx";
import { grouped } from "../parts/counted.ts";
import { useGradually } from "../parts/gradually.ts";
import { Icon } from "../parts/icons.tsx";
import { dayOf, dayTitle } from "./days.ts";
import type { Happening, Thing } from "./happening.ts";
import { Changes, Sentence, ThingLink } from "./sentence.tsx";

export function Timeline({ happenings }: { happenings: readonly Happening[] }) {
  const now = useNow();
  const names = useNamesOfOrdered(happenings);
  const drawn = happenings.slice(0, useGradually(happenings.length));
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

export const RecentHappenings = memo(function RecentHappenings({ happenings }: { happenings: readonly Happening[] }) {
  return (
    <div className="timeline">
      <Happenings happenings={happenings} names={useNamesOfOrdered(happenings)} isToday />
    </div>
  );
});

/** Events of orders have only the numbers of their animals. */
function useNamesOfOrdered(happenings: readonly Happening[]): ReadonlyMap<string, string> {
  return useAnimalNames(
    happenings.flatMap(({ about, order }) => (about.kind === "order" && order ? [order.petId] : [])),
  );
}

function Happenings({
  happenings,
  names,
  isToday,
}: {
  happenings: readonly Happening[];
  names: ReadonlyMap<string, string>;
  isToday: boolean;
}) {
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
  readonly happening: Happening;
  /** The name of the animal of an order. */
  readonly ordered: string | undefined;
  readonly isToday: boolean;
}

/** Memoized: lines are drawn in several steps. */
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
function AllThings({ things }: { things: readonly Thing[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show all {grouped(things.length)}</summary>
      {isOpen && (
        <ul className="things">
          {things.map((thing) => (
            <li key={String(thing.id)}>
              <ThingLink thing={thing} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
