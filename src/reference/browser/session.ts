/** Where the console keeps the key, of a tab or of the device, so that whoever is signed in there is signed in here. */
const place = "animal-store-key";

const listeners = new Set<() => void>();

export const session = {
  /** Undefined while nobody is signed in. */
  get key(): string | undefined {
    return sessionStorage.getItem(place) ?? localStorage.getItem(place) ?? undefined;
  },

  signIn(key: string): void {
    sessionStorage.setItem(place, key);
    for (const listener of listeners) listener();
  },

  signOut(): void {
    sessionStorage.removeItem(place);
    localStorage.removeItem(place);
    for (const listener of listeners) listener();
  },

  /** Calls the listener now, and whenever somebody has signed in or out. */
  watch(listener: () => void): void {
    listeners.add(listener);
    listener();
  },
};

export interface CurrentKey {
  readonly name: string;
  readonly scope: string;
}

/** Whose key it is; a text that says why not if it is nobody's. */
export async function currentKey(key: string): Promise<CurrentKey | string> {
  const headers = { Authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${base()}/keys/current`, { headers, cache: "no-store" });
    const body = await response.json();
    return response.ok ? body : body.message;
  } catch {
    return "The service could not be reached. Try again in a moment.";
  }
}

/** The path of the interface on this server. */
export function base(): string {
  return "/v1";
}
