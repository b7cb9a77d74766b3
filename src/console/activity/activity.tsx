import { useMemo } from "react";
import type { EventType } from "../../../packages/client/src/index.ts";
import { useEventLog } from "../api/event-log.ts";
import { useHasScope } from "../api/queries.ts";
import { changeParameters, useAddress } from "../parts/address.tsx";
import { Button, Chip } from "../parts/controls.tsx";
import { Icon } from "../parts/icons.tsx";
import { MoreButton } from "../parts/listing.tsx";
import { Empty, Failure, Heading, QueryStatus } from "../parts/view.tsx";
import { toActivityItems } from "./activity-items.ts";
import { type EventKind, eventKinds } from "./event-kinds.ts";
import { Timeline } from "./timeline.tsx";

export function Activity() {
  const { parameters } = useAddress();
  const isAdmin = useHasScope("admin");
  const offeredKinds = eventKinds.filter(({ isForAdmins }) => isAdmin || !isForAdmins);
  const filter = parameters["type"];
  const kind = offeredKinds.find(
    ({ types }) => filter !== undefined && (filter === joinTypes(types) || filter in types),
  );
  const type = kind && filter;
  const { loadOlder, ...log } = useEventLog({ type: type?.split(",") as EventType[] | undefined });
  const items = useMemo(() => toActivityItems(log.data?.events ?? []), [log.data?.events]);
  const choose = (chosen: string | undefined) => changeParameters({ type: chosen });
  return (
    <>
      <Heading title="Activity" aside="What happened in the store, newest first" />
      <div className="filters">
        <fieldset className="chips">
          <legend className="unseen">Show what happened to</legend>
          <Chip isChosen={!kind} onClick={() => choose(undefined)}>
            everything
          </Chip>
          {offeredKinds.map(({ title, types }) => (
            <Chip key={title} isChosen={kind?.title === title} onClick={() => choose(joinTypes(types))}>
              <Icon name={title} size={15} />
              {title}
            </Chip>
          ))}
        </fieldset>
        {kind && Object.keys(kind.types).length > 1 && (
          <fieldset className="chips">
            <legend className="unseen">Show only</legend>
            {Object.entries(kind.types).map(([each, title]) => (
              <Chip
                key={each}
                isChosen={type === each}
                onClick={() => choose(type === each ? joinTypes(kind.types) : each)}
              >
                {title}
              </Chip>
            ))}
          </fieldset>
        )}
      </div>
      <QueryStatus query={log} what="the activity" />
      {log.isSuccess && items.length === 0 && (
        <Empty title={kind ? "Nothing of this kind has happened lately" : "Nothing has happened yet"} icon="activity">
          <p>The store keeps events for 30 days, unless its operator has chosen otherwise.</p>
          {kind && <Button onClick={() => choose(undefined)}>Show everything</Button>}
        </Empty>
      )}
      <Timeline key={type} items={items} />
      <Failure error={loadOlder.error} />
      {log.data?.olderCursor !== undefined && (
        <MoreButton title="Show older" isLoading={loadOlder.isPending} onClick={() => loadOlder.run()} />
      )}
    </>
  );
}

function joinTypes(types: EventKind["types"]): string {
  return Object.keys(types).join();
}
