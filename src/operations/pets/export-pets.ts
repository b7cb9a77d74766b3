import { operation } from "../definition.ts";
import { Export } from "../operation.ts";
import { examplePet, otherPet } from "./schemas.ts";

export const exportPets = operation({
  id: "exportPets",
  endpoint: "GET /export",
  summary: "Export all animals",
  description:
    "Returns all animals as of one moment, ascending by `id`: a JSON object on each line (NDJSON). `Event-Cursor` is the position of that moment in the event log: follow `GET /events` from there to maintain a replica without gaps. An event from before that moment may come once more; its `data` is the whole animal, so applying it again does no harm. If the connection ends before the end of the body, the export is incomplete: start over.",
  success: {
    description: "All animals, one on each line.",
    schema: { type: "string", description: "NDJSON: an animal on each line, as `Pet` describes it." },
    mediaType: "application/x-ndjson",
    examples: { two: ["Two animals", `${JSON.stringify(examplePet)}\n${JSON.stringify(otherPet)}\n`] },
  },
  isExport: true,
  handle: (_, { store }) => new Export((visitor) => store.export(visitor)),
});
