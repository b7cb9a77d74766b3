import { keyAlreadyShown, presentKey } from "../../domain/key.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import type { CreatedKey as CreatedKeyInStore, KeySecret } from "../../store/store.ts";
import type { Context } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedKey } from "./schemas.ts";

/** Creates a key and shows its secret. A repeated request gets the secret of the first one if both were sent with the same API key. */
export async function createAndShowKey(
  { vault }: Pick<Context, "vault">,
  create: (secret: KeySecret) => Promise<CreatedKeyInStore>,
): Promise<Static<typeof CreatedKey>> {
  const secret = generateKey();
  const ownSealed = await vault.seal(secret);
  const { sealed, ...created } = await create({ hash: hashKey(secret), sealed: ownSealed });
  const key = sealed === ownSealed ? secret : await vault.open(sealed ?? "");
  if (key === undefined) throw keyAlreadyShown(created.id);
  return { ...presentKey(created, created.createdAt), key };
}
