import { SettingsError } from "../../config.ts";
import { command } from "../command.ts";
import { connectionSettings, noSuchProfile } from "./connection.ts";
import { defaultProfileName, ProfileFolder } from "./profile-folder.ts";

export const logoutCommand = command({
  name: "logout",
  summary: "Delete a profile with its saved key. The key stays valid until you revoke it (keys revoke).",
  settings: {
    profile: { ...connectionSettings.profile, help: "The profile to delete.", default: defaultProfileName },
  } as const,
  async run({ settings: { profile }, output }) {
    if (!new ProfileFolder().remove(profile)) throw new SettingsError([noSuchProfile(profile)]);
    return await output.done(`Deleted the profile ${profile}. Its key is still valid.`, { profile, isForgotten: true });
  },
});
