import { command, exitCodes } from "../command.ts";
import { ProfileFolder } from "./profile-folder.ts";

const columns = [
  { title: "NAME", field: "name" },
  { title: "URL", field: "url", isFlexible: true },
] as const;

export const profilesCommand = command({
  name: "profiles",
  summary: "List the profiles saved by animal-store login.",
  async run({ output }) {
    const { profiles, problems } = new ProfileFolder().list();
    const shown = profiles.map(({ name, url }) => ({ name, url }));
    if (shown.length > 0 || problems.length === 0) await output.list(shown, columns);
    for (const problem of problems) output.note(`animal-store: ${problem}`);
    return problems.length > 0 ? exitCodes.partial : exitCodes.success;
  },
});
