import { writeFileSync } from "node:fs";
import { join } from "node:path";

const module = join(import.meta.dir, "../../src/base/files.ts");

/** Creates a partial file like those that killed processes leave behind. Returns the path. */
export async function leavePartialFile(path: string): Promise<string> {
  const script = `console.log((await import(process.argv[1])).newPartialPath(process.argv[2]))`;
  const child = Bun.spawn([process.execPath, "-e", script, module, path], { stdout: "pipe" });
  const file = (await child.stdout.text()).trim();
  await child.exited;
  writeFileSync(file, "half of it");
  return file;
}
