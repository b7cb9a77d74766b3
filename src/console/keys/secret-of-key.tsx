import type { CreatedKey } from "../../client/index.ts";
import type { Secret } from "../parts/shown-once.tsx";

/** The store does not keep the key itself, so that it can be shown no other time. */
export function secretOfKey({ id, name, key }: CreatedKey): Secret {
  return {
    title: `Key ${id}`,
    label: "The key",
    secret: key,
    text: (
      <>
        This is the key of <bdi>{name}</bdi>. It is shown only this once: copy it to a safe place.
      </>
    ),
  };
}
