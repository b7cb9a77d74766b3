import type { Call } from "../call.ts";
import type { List } from "../list.ts";
import { type Body, Methods, type Options, type Path, type Query } from "./methods.ts";

export class Keys extends Methods {
  list(query: Query<"listKeys"> = {}, options?: Options<"listKeys">): List<"listKeys"> {
    return this.listOf("listKeys", query, options);
  }

  /** The key itself is in the result, and cannot be read again. */
  create(key: Body<"createKey">, options?: Options<"createKey">): Call<"createKey"> {
    return this.call("createKey", { body: key }, options);
  }

  /** The key that this client uses. */
  current(options?: Options<"getCurrentKey">): Call<"getCurrentKey"> {
    return this.call("getCurrentKey", {}, options);
  }

  get(keyId: Path<"getKey", "keyId">, options?: Options<"getKey">): Call<"getKey"> {
    return this.call("getKey", { path: { keyId } }, options);
  }

  /** Gives a key a successor, which is in the result, and lets the old one work on for a while. */
  rotate(
    keyId: Path<"rotateKey", "keyId">,
    rotation?: Body<"rotateKey">,
    options?: Options<"rotateKey">,
  ): Call<"rotateKey"> {
    return this.call("rotateKey", { path: { keyId }, body: rotation }, options);
  }

  revoke(keyId: Path<"revokeKey", "keyId">, options?: Options<"revokeKey">): Call<"revokeKey"> {
    return this.call("revokeKey", { path: { keyId } }, options);
  }
}
