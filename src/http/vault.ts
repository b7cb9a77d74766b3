import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Vault } from "../operations/operation.ts";
import { tokenOf } from "./token.ts";

/**
 * Hides texts by a secret that is made from the caller's own key. What is stored so can be opened only with that key,
 * which is stored nowhere.
 */
export function vaultOf({ headers }: Request): Vault {
  const secret = () =>
    Buffer.from(hkdfSync("sha256", tokenOf(headers.get("authorization")) ?? "", "", "animal-store vault", 32));
  return {
    seal(text) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, secret(), nonce);
      const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv(algorithm, secret(), bytes.subarray(0, nonceLength));
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
      const hidden = bytes.subarray(nonceLength + tagLength);
      try {
        return Buffer.concat([decipher.update(hidden), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;
