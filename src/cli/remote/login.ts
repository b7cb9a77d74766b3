import { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import { SettingsError } from "../../config.ts";
import { command } from "../command.ts";
import { readSecret } from "../terminal/prompt.ts";
import { connectionSettings, defaultUrl } from "./connection.ts";
import { defaultProfileName, ProfileFolder, parseKey } from "./profile-folder.ts";

const settings = {
  ...connectionSettings,
  url: {
    ...connectionSettings.url,
    help: "The URL of the service. By default that of the profile, if there is one, or http://127.0.0.1:8080.",
  },
  key: {
    ...connectionSettings.key,
    help: "The API key. By default you are prompted for it, or it is read from standard input.",
  },
  profile: { ...connectionSettings.profile, help: "The name to save it under.", default: defaultProfileName },
} as const;

export const loginCommand = command({
  name: "login",
  summary: "Check an API key, and save it with the URL of its service for other commands.",
  details:
    "It is saved in a file that only you can read, in animal-store/profiles/ below $XDG_CONFIG_HOME or ~/.config.",
  settings,
  async run({ settings: given, sources, output }) {
    const folder = new ProfileFolder();
    const name = given.profile;
    const url = given.url ?? folder.find(name)?.url ?? defaultUrl;
    // One from the environment would be used without a profile too; who logs in means to give another.
    const key = sources.key === "flag" && given.key ? given.key : await readSecret(`API key for ${url}: `);
    if (!key) throw new SettingsError(["No key was given. Type it at the prompt, or pass it on standard input."]);
    if (!parseKey(key)) throw new SettingsError(["That is not an API key: it contains invalid characters."]);
    const store = new AnimalStore({ baseUrl: url, apiKey: key, allowInsecureHttp: true, maxRetries: 2 });
    const current = await store.keys.current();
    const file = folder.save({ name, url, key });
    const text = `Logged in to ${url} with the key "${current.name}", scope ${current.scope}. Saved as profile ${name} in ${file}.`;
    return await output.done(text, { profile: name, url, file, key: current });
  },
});
