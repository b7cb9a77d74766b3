import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  commitPartial,
  createPrivateFile,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
} from "../../base/files.ts";
import { environmentOf, SettingsError } from "../../config.ts";

/** The URL of a service and an API key for it, under a name that the user has chosen. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

export const defaultProfileName = "default";

/** Returns the text if it can be sent as an API key. */
export function parseKey(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** Returns the text if it is a valid file name on any system. */
export function parseProfileName(text: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) ? text : undefined;
}

/**
 * The profiles of the user. Each profile has its own file, so that concurrent logins do not overwrite each other's profile. Only the user
 * may read the files, because they contain keys. Methods throw SettingsError if a file or the folder cannot be used.
 */
export class ProfileFolder {
  readonly #path = join(
    environmentOf("XDG_CONFIG_HOME") ?? join(environmentOf("HOME") ?? homedir(), ".config"),
    "animal-store",
    "profiles",
  );

  /** Returns the usable profiles, sorted by name, and the problems of the others. */
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
    const { url, key } = readObject(path);
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
    const isPresent = statSync(path, { throwIfNoEntry: false }) !== undefined;
    rmSync(path, { force: true });
    // Leftovers of a killed login may contain a key as well.
    removeLeftovers(path);
    return isPresent;
  }

  names(): string[] {
    try {
      const files = readdirSync(this.#path).filter((file) => file.endsWith(".json"));
      return files.map((file) => file.slice(0, -".json".length)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new SettingsError(`${this.#path} cannot be read: ${(error as Error).message}.`);
    }
  }

  #fileOf(name: string): string {
    return join(this.#path, `${name}.json`);
  }
}

function readObject(path: string): { url?: unknown; key?: unknown } {
  try {
    return JSON.parse(readFileSync(path, "utf8")) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw new SettingsError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}
