import { presentKey, shownToAnother } from "../../domain/key.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import type { KeySecret, CreatedKey as Made } from "../../store/store.ts";
import type { Context } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedKey } from "./schemas.ts";

/**
 * Creates a key, and shows it with its description. A repeated request shows it again, if sent with the key of the first request.
 * Throws UnprocessableContent otherwise.
 */
export async function showOnce(
  { vault }: Pick<Context, "vault">,
  make: (secret: KeySecret) => Promise<Made>,
): Promise<Static<typeof CreatedKey>> {
  const text = generateKey();
  const own = await vault.seal(text);
  const { sealed, ...made } = await make({ hash: hashKey(text), sealed: own });
  const key = sealed === own ? text : await vault.open(sealed ?? "");
  if (key === undefined) throw shownToAnother(made.id);
  return { ...presentKey(made, made.createdAt), key };
}
