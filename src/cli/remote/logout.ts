import { SettingsError } from "../../config.ts";
import { command } from "../command.ts";
import { connectionSettings, noSuchProfile } from "./connection.ts";
import { defaultProfileName, ProfileFolder } from "./profile-folder.ts";

export const logoutCommand = command({
  name: "logout",
  summary: "Forget a profile and its key. The key itself still works: keys revoke ends it.",
  settings: {
    profile: { ...connectionSettings.profile, help: "The profile to forget.", default: defaultProfileName },
  } as const,
  async run({ settings: { profile }, output }) {
    if (!new ProfileFolder().remove(profile)) throw new SettingsError([noSuchProfile(profile)]);
    return await output.done(`Forgot the profile ${profile}. Its key still works.`, { profile, isForgotten: true });
  },
});
