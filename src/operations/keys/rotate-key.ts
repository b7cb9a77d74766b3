import { operation } from "../definition.ts";
import { createAndShowKey } from "./create-and-show-key.ts";
import { currentKey, getKey } from "./get-key.ts";
import { CreatedKey, exampleCreatedKey, KeyRotation, keyIdParam, parseExpiry } from "./schemas.ts";

export const rotateKey = operation({
  id: "rotateKey",
  endpoint: "POST /keys/:keyId/rotate",
  summary: "Rotate a key",
  description:
    "Creates a successor with the same name and scope and shows it once. The old key is then `retiring`, and keeps working for the overlap. Rotating a key that already has a successor, has expired or was revoked gets 409. So does rotating a key with the scope `admin`, unless its successor or another active `admin` key lasts as long as the old key would have.",
  params: keyIdParam,
  body: {
    schema: KeyRotation,
    isOptional: true,
    examples: {
      plain: ["With an overlap of a day", {}],
      atOnce: ["The old key stops immediately", { overlapSeconds: 0 }],
    },
  },
  success: {
    status: 201,
    description: "Successor created; the body contains it.",
    schema: CreatedKey,
    examples: { made: ["The successor", { ...exampleCreatedKey, id: 3 }] },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true,
  },
  errors: ["Forbidden", "Conflict"],
  current: currentKey,
  async handle({ params: { keyId }, body, expected }, context) {
    const { store, clock, caller } = context;
    const now = clock();
    const rotation = {
      at: now,
      retiresAt: now + body.overlapSeconds * 1000,
      expiresAt: body.expiresAt === undefined ? undefined : parseExpiry(body.expiresAt),
      maker: caller,
      keepLastAdmin: true,
    };
    return await createAndShowKey(context, (secret) => store.keys.rotate(keyId, rotation, secret, expected));
  },
});
