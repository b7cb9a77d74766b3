import type { CreatedWebhook } from "../../client/index.ts";
import { Time } from "../parts/listing.tsx";
import type { Secret } from "../parts/shown-once.tsx";

/** The store does not show the secret of a webhook again, so that nobody can forge events with a key of the store alone. */
export function secretOfWebhook(made: CreatedWebhook): Secret {
  return {
    title: `Secret of webhook ${made.id}`,
    label: "The secret",
    secret: made.secret,
    text: (
      <>
        Events to <bdi>{made.url}</bdi> are signed with this secret. It is shown only this once: give it to the
        receiver.
        <OldSecret made={made} />
      </>
    ),
  };
}

function OldSecret({ made: { oldSecretExpiresAt, updatedAt } }: { made: CreatedWebhook }) {
  if (oldSecretExpiresAt === null) return null;
  // Both by the store's clock, since that of this device may be wrong.
  if (oldSecretExpiresAt <= updatedAt) return <> The old one no longer works.</>;
  return (
    <>
      {" "}
      The old one works until <Time at={oldSecretExpiresAt} />.
    </>
  );
}
