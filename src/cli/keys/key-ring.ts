import type { PresentedKey, Scope } from "../../domain/key.ts";
import type { Expiry } from "../terminal/time.ts";

/** The API keys of a database or of a running service. */
export interface KeyRing {
  create(key: {
    readonly name: string;
    readonly scope: Scope;
    readonly expires: Expiry | undefined;
  }): Promise<ShownKey>;
  list(): Promise<PresentedKey[]>;
  rotate(
    id: number,
    rotation: { readonly overlapMs: number; readonly expires: Expiry | undefined },
  ): Promise<{ readonly made: ShownKey; readonly old: PresentedKey }>;
  revoke(id: number): Promise<PresentedKey>;
}

export interface ShownKey extends PresentedKey {
  readonly key: string;
}
