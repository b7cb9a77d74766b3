import { AnimalStore, type AnimalStoreOptions } from "../../../packages/client/src/animal-store.ts";
import { AnimalStoreError, ApiError } from "../../../packages/client/src/errors.ts";
import { type Arguments, type Operands, parseHttpUrl, SettingsError, setting } from "../../config.ts";
import { defaultProfileName, type Profile, ProfileFolder, parseKey, parseProfileName } from "./profile-folder.ts";

/** Where the service is that a command asks, and by which key. */
export const connectionSettings = {
  url: setting(parseServiceUrl, {
    flag: "url",
    environment: "ANIMAL_STORE_URL",
    placeholder: "URL",
    help: "The URL of the service. By default that of the profile, or http://127.0.0.1:8080.",
    expects: "an http or https URL, such as http://127.0.0.1:8080",
  }),
  key: setting(parseKey, {
    flag: "key",
    environment: "ANIMAL_STORE_API_KEY",
    placeholder: "KEY",
    help: "The API key. By default that of the profile; others can see a key on the command line in the list of processes.",
    expects: "an API key, without spaces, line breaks or other invalid characters",
    secret: true,
  }),
  profile: setting(parseProfileName, {
    flag: "profile",
    environment: "ANIMAL_STORE_PROFILE",
    placeholder: "NAME",
    help: "The profile to use, as saved by animal-store login. By default the one named default.",
    expects: "1 to 64 letters, digits, dots, hyphens and underscores",
  }),
};

export type Connection = Pick<Arguments<typeof connectionSettings, Operands>, "settings" | "sources">;

/** The service that the settings name, as the client sees it. Throws SettingsError where there is no key to it. */
export function connect(
  connection: Connection,
  patience: Patience = impatient,
): { readonly url: string; readonly store: AnimalStore } {
  const { url, key } = resolveConnection(connection);
  return { url, store: new AnimalStore({ baseUrl: url, apiKey: key, allowInsecureHttp: true, ...patience }) };
}

/** Runs an action with the service that the settings name. Errors that do not come from the service name its URL. */
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

/** For how long a request is tried again and again. */
export type Patience = Pick<AnimalStoreOptions, "maxRetries" | "deadlineMs">;

/** Somebody waits, and can try again. */
const impatient: Patience = { maxRetries: 2 };

/**
 * Each of the two comes from the first of these that has it: a flag, the profile that a flag names, the environment, the
 * profile that the environment names or the one called default. The key of a profile goes to the URL of that profile alone.
 */
function resolveConnection({ settings, sources }: Connection): { url: string; key: string } {
  const folder = new ProfileFolder();
  const isNamed = sources.profile !== undefined;
  const name = settings.profile ?? defaultProfileName;
  const profile = folder.find(name);
  if (isNamed && !profile) throw new SettingsError([noSuchProfile(name)]);
  const isFirst = sources.profile === "flag";
  const given = (setting: "url" | "key") => (sources[setting] === "flag" || !isFirst ? settings[setting] : undefined);
  const url = given("url") ?? profile?.url ?? defaultUrl;
  return { url, key: given("key") ?? keyFor(url, profile, folder) };
}

/** True if the settings or the default profile name a service. */
export function namesService({ url, profile }: Connection["sources"]): boolean {
  return url !== undefined || profile !== undefined || new ProfileFolder().find(defaultProfileName) !== undefined;
}

export const defaultUrl = "http://127.0.0.1:8080";

export function noSuchProfile(name: string): string {
  return `There is no profile ${name}. Run animal-store profiles to list them, or animal-store login --profile ${name} to create it.`;
}

/** That of the chosen profile, or of any other that has been made for the same URL. Throws SettingsError if there is none. */
function keyFor(url: string, profile: Profile | undefined, folder: ProfileFolder): string {
  if (profile?.url === url) return profile.key;
  const { profiles, problems } = folder.list();
  const key = profiles.find((other) => other.url === url)?.key;
  if (key !== undefined) return key;
  throw new SettingsError([
    `There is no key for ${url}. Run animal-store login --url ${url}, or set ANIMAL_STORE_API_KEY or --key.`,
    ...problems,
  ]);
}

/** As it is kept and compared: without what does not matter at its end. */
function parseServiceUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (!url || url.username || url.password || url.search || url.hash) return undefined;
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}
