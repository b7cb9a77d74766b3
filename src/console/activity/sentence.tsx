import type { Int64 } from "../../client/index.ts";
import type { PetStatus } from "../../domain/pet.ts";
import { fieldTexts } from "../animals/pet-fields.ts";
import { useCategoryNames } from "../api/queries.ts";
import { KnownCategoryName } from "../categories/category-name.tsx";
import { Link } from "../parts/link.tsx";
import { useOpening } from "../parts/opening.ts";
import { Status } from "../parts/status.tsx";
import type { Change, Happening, Thing } from "./happening.ts";

/** A sentence such as "Rex was reserved by Front desk". `ordered` is the name of the animal of an order. */
export function Sentence({ happening, ordered }: { happening: Happening; ordered: string | undefined }) {
  const { about, others, done, order } = happening;
  return (
    <p className="sentence">
      <ThingLink thing={about} />
      {others.length > 0 && ` and ${others.length} more`} {others.length > 0 ? "were" : "was"} {done}
      {about.kind === "order" && order && (
        <>
          {" "}
          for <ThingLink thing={{ kind: "animal", id: order.petId, name: ordered }} />
        </>
      )}{" "}
      <By happening={happening} />
    </p>
  );
}

/** The same without its subject: "Reserved by Front desk". */
export function ShortSentence({ happening }: { happening: Happening }) {
  const { done } = happening;
  return (
    <p className="sentence">
      {done.charAt(0).toUpperCase() + done.slice(1)} <By happening={happening} />
    </p>
  );
}

function By({ happening: { by, about, order } }: { happening: Happening }) {
  return (
    <>
      by <bdi className="who-did">{by}</bdi>
      {about.kind === "animal" && order && (
        <>
          {" "}
          <span className="by-order">
            <ThingLink thing={{ kind: "order", id: order.id }} />
          </span>
        </>
      )}
    </>
  );
}

export function Changes({ changes }: { changes: readonly Change[] }) {
  const shown = changes.filter(({ from, to }) => from !== null || to !== null);
  if (shown.length === 0) return null;
  return (
    <ul className="changes">
      {shown.map((change) => (
        <li key={change.field}>
          <span className="field-name">{labelOf(change)}</span>
          {change.from !== null && (
            <>
              <span className="unseen"> from </span>
              <Value change={change} value={change.from} />
              <span aria-hidden="true" className="arrow">
                →
              </span>
              <span className="unseen"> to </span>
            </>
          )}
          <Value change={change} value={change.to ?? "nothing"} />
        </li>
      ))}
    </ul>
  );
}

function labelOf({ field }: Change): string {
  return field === "reason" ? field : fieldTexts[field].label.toLowerCase();
}

function Value({ change: { field }, value }: { change: Change; value: Int64 | string }) {
  if (field === "status") return <Status status={value as PetStatus} />;
  if (field === "categoryId") return <KnownCategoryName id={value as Int64} />;
  return <bdi>{String(value)}</bdi>;
}

/** Links to the thing. */
export function ThingLink({ thing: { kind, id, name } }: { thing: Thing }) {
  const opening = useOpening();
  const categories = useCategoryNames();
  const places: Record<Thing["kind"], readonly [to: string, noun: string, own?: string | undefined]> = {
    animal: [opening({ animal: id, order: undefined, webhook: undefined }), name === undefined ? "Animal " : ""],
    order: [opening({ order: id, webhook: undefined }), "Order "],
    category: [`/animals?category=${id}`, "Category ", categories.get(String(id))],
    key: ["/keys", "Key "],
    webhook: [`/webhooks?webhook=${id}`, "Webhook "],
  };
  const [to, noun, own = name ?? String(id)] = places[kind];
  return (
    <Link className="thing" to={to}>
      {noun}
      <bdi>{own}</bdi>
    </Link>
  );
}
