import { useMemo } from "react";
import type { EventType } from "../../../packages/client/src/index.ts";
import { useEventLog } from "../api/event-log.ts";
import { changeParameters, useAddress } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Heading } from "../parts/heading.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { MoreButton } from "../parts/listing.tsx";
import { Empty, Failure, Reading } from "../parts/notices.tsx";
import { useMay } from "../session/permission.tsx";
import { type EventKind, eventKinds } from "./event-kinds.ts";
import { happeningsIn } from "./happening.ts";
import { Timeline } from "./timeline.tsx";

export function Activity() {
  const { parameters } = useAddress();
  const isAdmin = useMay("admin");
  const offered = eventKinds.filter(({ isForAdmins }) => isAdmin || !isForAdmins);
  const wanted = parameters["type"];
  const kind = offered.find(({ types }) => wanted !== undefined && (wanted === join(types) || wanted in types));
  const type = kind && wanted;
  const log = useEventLog({ type: type?.split(",") as EventType[] | undefined });
  const happenings = useMemo(() => happeningsIn(log.data?.events ?? []), [log.data?.events]);
  const choose = (chosen: string | undefined) => changeParameters({ type: chosen });
  return (
    <>
      <Heading title="Activity" aside="What happened in the store, the newest first" />
      <div className="filters">
        <fieldset className="chips">
          <legend className="unseen">Show what happened to</legend>
          <Chip title="everything" isChosen={!kind} onChoose={() => choose(undefined)} />
          {offered.map(({ title, icon, types }) => (
            <Chip
              key={title}
              title={title}
              icon={icon}
              isChosen={kind?.title === title}
              onChoose={() => choose(join(types))}
            />
          ))}
        </fieldset>
        {kind && Object.keys(kind.types).length > 1 && (
          <fieldset className="chips">
            <legend className="unseen">Show only</legend>
            {Object.entries(kind.types).map(([each, title]) => (
              <Chip
                key={each}
                title={title}
                isChosen={type === each}
                onChoose={() => choose(type === each ? join(kind.types) : each)}
              />
            ))}
          </fieldset>
        )}
      </div>
      <Reading query={log} what="what happened" />
      {log.isSuccess && happenings.length === 0 && (
        <Empty title={kind ? "Nothing of this kind has happened lately" : "Nothing has happened yet"} icon="activity">
          <p>The store keeps what happens for 30 days, unless its operator has chosen otherwise.</p>
          {kind && <Button onClick={() => choose(undefined)}>Show everything</Button>}
        </Empty>
      )}
      <Timeline key={type} happenings={happenings} />
      <Failure error={log.more.error} />
      {log.data?.older !== undefined && (
        <MoreButton title="Show older" isLoading={log.more.isPending} onMore={() => log.more.run()} />
      )}
    </>
  );
}

function join(types: EventKind["types"]): string {
  return Object.keys(types).join();
}

function Chip({ title, icon, isChosen, onChoose }: ChipProps) {
  return (
    <Button className="chip" aria-pressed={isChosen} onClick={onChoose}>
      {icon && <Icon name={icon} size={15} />}
      {title}
    </Button>
  );
}

interface ChipProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly isChosen: boolean;
  onChoose(): void;
}
