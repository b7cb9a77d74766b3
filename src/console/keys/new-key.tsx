import type { CreatedKey } from "../../client/index.ts";
import { ShownOnce } from "../parts/shown-once.tsx";

/** The store does not keep the key itself, so that it can be shown no other time. */
export function ShowNewKey({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  return (
    <ShownOnce title={`Key ${made.id}`} label="The key" secret={made.key} onClose={onClose}>
      This is the key of <bdi>{made.name}</bdi>. It is shown only this once: copy it to a safe place.
    </ShownOnce>
  );
}
