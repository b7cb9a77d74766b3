import type { Event } from "../../../packages/client/src/generated.ts";
import { escapeControls } from "../../base/escape-controls.ts";
import { parseJson } from "../../base/json.ts";
import { choiceSetting } from "../../config.ts";
import type { CommandGroup } from "../command.ts";
import { createInterruptSignal } from "../terminal/interruption.ts";
import type { Paint } from "../terminal/style.ts";
import { eventColumns, formatTime } from "./columns.ts";
import { listCommand, remoteCommand } from "./remote-command.ts";
import { fromSetting, subjectSetting, toCursor, typeSetting } from "./settings.ts";

const filterSettings = { type: typeSetting, subject: subjectSetting };

export const eventsCommands: CommandGroup = {
  name: "events",
  summary: "List the events of the store, or follow them as they happen.",
  commands: [
    listCommand({
      name: "list",
      summary: "List events.",
      settings: {
        ...filterSettings,
        from: fromSetting("beginning"),
        sort: choiceSetting("--sort ORDER", ["position", "-position"] as const, {
          help: "position, the oldest first, or -position, the newest first.",
          default: "position",
        }),
      },
      columns: eventColumns,
      call: ({ events }, { from, ...filter }, page) => events.list({ ...filter, cursor: toCursor(from), ...page }),
    }),
    remoteCommand({
      name: "tail",
      summary: "Print events as they happen, until you press Ctrl-C.",
      details:
        "If the connection is lost, it reconnects and resumes, without gaps or duplicates. At the end it prints the cursor to resume from.",
      settings: { ...filterSettings, from: fromSetting("latest") },
      async run({ settings: { type, subject, from }, output, store }) {
        const signal = createInterruptSignal();
        const stream = store.events.stream({ type, subject, cursor: toCursor(from) }, { signal });
        if (output.isForPeople) output.note("Waiting for events. Press Ctrl-C to stop.");
        try {
          for await (const text of stream.texts()) {
            await output.printEntry(text, (paint) => formatEvent(parseJson(text) as Event, paint));
          }
          return undefined;
        } finally {
          if (signal.aborted && stream.cursor !== undefined)
            output.note(`To resume from here: --from ${stream.cursor}`);
        }
      },
    }),
  ],
};

function formatEvent({ timestamp, type, subject, actor }: Event, paint: Paint): string {
  const [typeWidth, subjectWidth] = ["category.unnamed".length, "orders/1000".length];
  const text = `${type.padEnd(typeWidth)}  ${subject.padEnd(subjectWidth)}  ${actor.name}`;
  return `${paint("dim", escapeControls(formatTime(timestamp)))}  ${escapeControls(text)}`;
}
