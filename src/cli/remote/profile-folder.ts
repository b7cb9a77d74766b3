import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  commitPartial,
  createPrivateFile,
  ifPossible,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
} from "../../base/files.ts";
import { readEnvironment, SettingsError } from "../../config.ts";

export interface Profile {
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

export const defaultProfileName = "default";

export function parseKey(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** The name of a profile has to be a valid file name on any system. */
export function parseProfileName(text: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) ? text : undefined;
}

/** Each profile is a file that only the user may read. Concurrent logins under different names do not overwrite each other. */
export class ProfileFolder {
  readonly #path = join(
    readEnvironment("XDG_CONFIG_HOME") ?? join(readEnvironment("HOME") ?? homedir(), ".config"),
    "animal-store",
    "profiles",
  );

  list(): { readonly profiles: readonly Profile[]; readonly problems: readonly string[] } {
    const profiles: Profile[] = [];
    const problems: string[] = [];
    for (const name of this.names()) {
      try {
        const profile = this.find(name);
        if (profile) profiles.push(profile);
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        problems.push(...error.problems);
      }
    }
    return { profiles, problems };
  }

  find(name: string): Profile | undefined {
    const path = this.#fileOf(name);
    const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mode === undefined) return undefined;
    if ((mode & 0o077) !== 0) {
      throw new SettingsError(
        `${path} contains a key, and other users can read it. Run chmod 600 ${path}, and rotate the key if another user may have read it.`,
      );
    }
    const { url, key } = ifPossible(() => JSON.parse(readFileSync(path, "utf8"))) ?? {};
    if (typeof url === "string" && typeof key === "string" && parseKey(key)) return { name, url, key };
    throw new SettingsError(`${path} is not a profile. Remove it, and log in again.`);
  }

  save({ name, url, key }: Profile): string {
    const path = this.#fileOf(name);
    const partial = newPartialPath(path);
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      removeLeftovers(path);
      createPrivateFile(partial);
      writeFileSync(partial, `${JSON.stringify({ url, key })}\n`);
      commitPartial(partial, path);
      return path;
    } catch (error) {
      removeIfPossible(partial);
      throw new SettingsError(`${path} cannot be written: ${(error as Error).message}.`);
    }
  }

  remove(name: string): boolean {
    const path = this.#fileOf(name);
    const isPresent = existsSync(path);
    rmSync(path, { force: true });
    // Leftovers of a killed login may contain a key as well.
    removeLeftovers(path);
    return isPresent;
  }

  names(): string[] {
    if (!existsSync(this.#path)) return [];
    const files = readdirSync(this.#path).filter((file) => file.endsWith(".json"));
    return files.map((file) => file.slice(0, -".json".length)).sort();
  }

  #fileOf(name: string): string {
    return join(this.#path, `${name}.json`);
  }
}
