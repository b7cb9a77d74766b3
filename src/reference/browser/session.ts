/** The console stores its key under the same name, so the console and the reference share the key. */
const storageKey = "animal-store-key";

const listeners = new Set<() => void>();

export const session = {
  get key(): string | undefined {
    return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey) ?? undefined;
  },

  signIn(key: string): void {
    sessionStorage.setItem(storageKey, key);
    for (const listener of listeners) listener();
  },

  signOut(): void {
    sessionStorage.removeItem(storageKey);
    localStorage.removeItem(storageKey);
    for (const listener of listeners) listener();
  },

  /** Calls the listener now, and after each sign-in and sign-out. */
  watch(listener: () => void): void {
    listeners.add(listener);
    listener();
  },
};

/** Returns the name and scope of a key, or a message if the service does not accept the key. */
export async function fetchCurrentKey(
  key: string,
): Promise<{ readonly name: string; readonly scope: string } | string> {
  const headers = { Authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${basePath}/keys/current`, { headers, cache: "no-store" });
    const body = await response.json();
    return response.ok ? body : body.message;
  } catch {
    return "The service could not be reached. Try again in a moment.";
  }
}

export const basePath = "/v1";
