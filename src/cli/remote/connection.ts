import { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import { AnimalStoreError, ApiError } from "../../../packages/client/src/errors.ts";
import type { AnimalStoreOptions } from "../../../packages/client/src/sender.ts";
import { type Arguments, parseHttpUrl, type Settings, SettingsError, setting } from "../../config.ts";
import { defaultProfileName, type Profile, ProfileFolder, parseKey, parseProfileName } from "./profile-folder.ts";

export const connectionSettings = {
  url: setting("--url URL, ANIMAL_STORE_URL", parseServiceUrl, {
    help: "The URL of the service. By default that of the profile, or http://127.0.0.1:8080.",
    expects: "an http or https URL, such as http://127.0.0.1:8080",
  }),
  key: setting("--key KEY, ANIMAL_STORE_API_KEY", parseKey, {
    help: "The API key. By default that of the profile; others can see a key on the command line in the list of processes.",
    expects: "an API key, without spaces, line breaks or other invalid characters",
    isSecret: true,
  }),
  profile: setting("--profile NAME, ANIMAL_STORE_PROFILE", parseProfileName, {
    help: "The profile to use, as saved by animal-store login. By default the one named default.",
    expects: "1 to 64 letters, digits, dots, hyphens and underscores",
  }),
};

export type Connection = Pick<Arguments<typeof connectionSettings, Settings>, "settings" | "sources">;

export function connect(connection: Connection, retries: RetryOptions = { maxRetries: 2 }) {
  const { url, key } = resolveConnection(connection);
  return { url, store: openClient(url, key, retries) };
}

export type RetryOptions = Pick<AnimalStoreOptions, "maxRetries" | "deadlineMs">;

export function openClient(baseUrl: string, apiKey: string, retries: RetryOptions): AnimalStore {
  return new AnimalStore({ baseUrl, apiKey, allowInsecureHttp: true, ...retries });
}

export async function withService<Result>(
  connection: Connection,
  action: (store: AnimalStore) => Promise<Result>,
): Promise<Result> {
  const { store, url } = connect(connection);
  try {
    return await action(store);
  } catch (error) {
    if (error instanceof AnimalStoreError && !(error instanceof ApiError)) error.message = `${url}: ${error.message}`;
    throw error;
  }
}

/** Precedence of sources: a flag, the profile of a flag, the environment, the profile of the environment, the default profile. */
function resolveConnection({ settings, sources }: Connection): { url: string; key: string } {
  const folder = new ProfileFolder();
  const name = settings.profile ?? defaultProfileName;
  const profile = folder.find(name);
  if (sources.profile !== undefined && !profile) throw createNoSuchProfileError(name);
  const isNamed = sources.profile === "flag";
  const getSetting = (setting: "url" | "key") =>
    sources[setting] === "flag" || !isNamed ? settings[setting] : undefined;
  const url = getSetting("url") ?? profile?.url ?? defaultUrl;
  return { url, key: getSetting("key") ?? requireKey(url, profile, folder) };
}

export function isServiceConfigured({ url, profile }: Connection["sources"]): boolean {
  return url !== undefined || profile !== undefined || new ProfileFolder().find(defaultProfileName) !== undefined;
}

export const defaultUrl = "http://127.0.0.1:8080";

export function createNoSuchProfileError(name: string): SettingsError {
  return new SettingsError(
    `There is no profile ${name}. Run animal-store profiles to list them, or animal-store login --profile ${name} to create it.`,
  );
}

/** Returns the key that a profile has for the URL. The key of a profile is never sent to another URL. */
function requireKey(url: string, profile: Profile | undefined, folder: ProfileFolder): string {
  if (profile?.url === url) return profile.key;
  const { profiles, problems } = folder.list();
  const key = profiles.find((other) => other.url === url)?.key;
  if (key !== undefined) return key;
  throw new SettingsError(
    `There is no key for ${url}. Run animal-store login --url ${url}, or set ANIMAL_STORE_API_KEY or --key.`,
    ...problems,
  );
}

function parseServiceUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (!url || url.username || url.password || url.search || url.hash) return undefined;
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}
