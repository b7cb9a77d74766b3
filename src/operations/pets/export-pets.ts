import { operation } from "../definition.ts";
import { Export } from "../operation.ts";
import { examplePet, otherPet } from "./schemas.ts";

export const exportPets = operation({
  id: "exportPets",
  endpoint: "GET /export",
  summary: "Export all animals",
  description:
    "Returns all animals as of one moment, ascending by `id`: a JSON object on each line (NDJSON). `Event-Cursor` is the place of that moment in the log of events: follow `GET /events` from there, and you have a replica without a gap. An event from before that moment may come once more; its `data` is the whole animal, so that applying it again does no harm. If the connection ends without the end of the body, something is missing: start over.",
  success: {
    description: "All animals, one on each line.",
    schema: { type: "string", description: "NDJSON: an animal on each line, as `Pet` describes it." },
    mediaType: "application/x-ndjson",
    examples: {
      two: {
        summary: "Two animals",
        value: `${JSON.stringify(examplePet)}\n${JSON.stringify(otherPet)}\n`,
      },
    },
  },
  isExport: true,
  handle: (_, { store }) => new Export((visitor) => store.export(visitor)),
});
