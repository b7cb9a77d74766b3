import { command } from "../command.ts";
import { ProfileFolder } from "./profile-folder.ts";

export const profilesCommand = command({
  name: "profiles",
  summary: "List the profiles that animal-store login has kept.",
  async run({ output }) {
    const profiles = new ProfileFolder().list().map(({ name, url }) => ({ name, url }));
    return await output.list(profiles, [
      { title: "NAME", field: "name" },
      { title: "URL", field: "url", isFlexible: true },
    ]);
  },
});
