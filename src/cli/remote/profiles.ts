import { SettingsError } from "../../config.ts";
import { command, exitCodes } from "../command.ts";
import { readSecret } from "../terminal/prompt.ts";
import { connectionSettings, createNoSuchProfileError, defaultUrl, openClient } from "./connection.ts";
import { defaultProfileName, ProfileFolder, parseKey } from "./profile-folder.ts";

export const loginCommand = command({
  name: "login",
  summary: "Check an API key, and save it with the URL of its service for other commands.",
  details:
    "It is saved in a file that only you can read, in animal-store/profiles/ below $XDG_CONFIG_HOME or ~/.config.",
  settings: {
    url: connectionSettings.url,
    key: {
      ...connectionSettings.key,
      help: "The API key. By default you are prompted for it, or it is read from standard input.",
    },
    profile: { ...connectionSettings.profile, help: "The name to save it under.", default: defaultProfileName },
  },
  async run({ settings: given, sources, output }) {
    const folder = new ProfileFolder();
    const name = given.profile;
    const url = given.url ?? folder.find(name)?.url ?? defaultUrl;
    // Ignores a key from the environment: that key needs no login, so the user wants to save another one.
    const key = sources.key === "flag" && given.key ? given.key : await readSecret(`API key for ${url}: `);
    if (!key) throw new SettingsError("No key was given. Type it at the prompt, or pass it on standard input.");
    if (!parseKey(key)) throw new SettingsError("That is not an API key: it contains invalid characters.");
    const current = await openClient(url, key, { maxRetries: 2 }).keys.current();
    const file = folder.save({ name, url, key });
    const text = `Logged in to ${url} with the key "${current.name}", scope ${current.scope}. Saved as profile ${name} in ${file}.`;
    return await output.report(text, { profile: name, url, file, key: current });
  },
});

export const logoutCommand = command({
  name: "logout",
  summary: "Delete a profile with its saved key. The key stays valid until you revoke it (keys revoke).",
  settings: { profile: { ...connectionSettings.profile, help: "The profile to delete.", default: defaultProfileName } },
  async run({ settings: { profile }, output }) {
    if (!new ProfileFolder().remove(profile)) throw createNoSuchProfileError(profile);
    return await output.report(`Deleted the profile ${profile}. Its key is still valid.`, {
      profile,
      isForgotten: true,
    });
  },
});

export const profilesCommand = command({
  name: "profiles",
  summary: "List the profiles saved by animal-store login.",
  async run({ output }) {
    const { profiles, problems } = new ProfileFolder().list();
    const shown = profiles.map(({ name, url }) => ({ name, url }));
    const columns = [
      { title: "NAME", field: "name" },
      { title: "URL", field: "url", isFlexible: true },
    ];
    if (shown.length > 0 || problems.length === 0) await output.printList(shown, columns);
    for (const problem of problems) output.note(`animal-store: ${problem}`);
    return problems.length > 0 ? exitCodes.partial : exitCodes.success;
  },
});
