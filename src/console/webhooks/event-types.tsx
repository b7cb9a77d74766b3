import type { NewWebhook } from "../../client/index.ts";
import { eventKinds } from "../activity/event-kinds.ts";

export type EventType = NonNullable<NewWebhook["types"]>[number];

/** The types of events that a webhook gets. */
export function EventTypes({ types }: { types: readonly string[] }) {
  if (types.length === 0) return <>all</>;
  return <>{types.join(", ")}</>;
}

/** Lets people choose types of events, by what they are about. */
export function EventTypeChoice({
  types,
  complaint,
  onChange,
}: {
  /** None stands for all, including those to come. */
  types: readonly EventType[];
  complaint: string | undefined;
  onChange: (types: readonly EventType[]) => void;
}) {
  const toggle = (type: EventType) =>
    onChange(types.includes(type) ? types.filter((each) => each !== type) : [...types, type]);
  return (
    <fieldset className="event-types">
      <legend>Events</legend>
      <p className="hint">
        {types.length === 0 ? "All of them, including types to come. Or choose some:" : "Only those that you choose:"}
      </p>
      {eventKinds.map(({ title, types: ofKind }) => (
        <div key={title} className="about">
          <span>{title}</span>
          <div className="chips">
            {Object.entries(ofKind).map(([type, done]) => (
              <button
                key={type}
                type="button"
                className="chip"
                aria-label={`${title} ${done}`}
                title={type}
                aria-pressed={types.includes(type as EventType)}
                onClick={() => toggle(type as EventType)}
              >
                {done}
              </button>
            ))}
          </div>
        </div>
      ))}
      <p className="complaint" aria-live="polite">
        {complaint}
      </p>
    </fieldset>
  );
}
