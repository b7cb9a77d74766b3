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

/** Where a service is, and the key to it, under a name that its user has chosen. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

export const defaultProfileName = "default";

/** What can be sent as a key; whether it is one, its service knows. */
export function parseKey(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** A name that is also one of a file, on any system. */
export function parseProfileName(text: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) ? text : undefined;
}

/**
 * The profiles of whoever runs the program, each in a file of its own, so that two logins at once do not lose one another.
 * Nobody else may read them, because there are keys in them.
 */
export class ProfileFolder {
  readonly #path = join(
    environmentOf("XDG_CONFIG_HOME") ?? join(environmentOf("HOME") ?? homedir(), ".config"),
    "animal-store",
    "profiles",
  );

  /** By name, with what is wrong with those that cannot be used. Throws SettingsError if the folder cannot be read. */
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

  /** Throws SettingsError if others may read it, or it is none. */
  find(name: string): Profile | undefined {
    const path = this.#fileOf(name);
    const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mode === undefined) return undefined;
    if ((mode & 0o077) !== 0) {
      throw new SettingsError([
        `${path} contains a key, and other users can read it. Run chmod 600 ${path}, and rotate the key if somebody has read it.`,
      ]);
    }
    const { url, key } = contentOf(path);
    if (typeof url !== "string" || typeof key !== "string" || !parseKey(key)) {
      throw new SettingsError([`${path} is not a profile. Remove it, and log in again.`]);
    }
    return { name, url, key };
  }

  /** Either the old file is there or the new one, never half of it. Throws SettingsError. */
  save(profile: Profile): string {
    try {
      return this.#write(profile);
    } catch (error) {
      throw new SettingsError([`${this.#fileOf(profile.name)} cannot be written: ${(error as Error).message}.`]);
    }
  }

  #write({ name, url, key }: Profile): string {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    const path = this.#fileOf(name);
    removeLeftovers(path);
    const partial = newPartialPath(path);
    createPrivateFile(partial);
    try {
      writeFileSync(partial, `${JSON.stringify({ url, key })}\n`);
      commitPartial(partial, path);
    } catch (error) {
      removeIfPossible(partial);
      throw error;
    }
    return path;
  }

  /** Returns whether there was one. */
  remove(name: string): boolean {
    const path = this.#fileOf(name);
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
    rmSync(path, { force: true });
    // There may be a key in them as well.
    removeLeftovers(path);
    return isThere;
  }

  names(): string[] {
    return namesIn(this.#path);
  }

  #fileOf(name: string): string {
    return join(this.#path, `${name}.json`);
  }
}

function namesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
    return files.map((file) => file.slice(0, -".json".length)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new SettingsError([`${folder} cannot be read: ${(error as Error).message}.`]);
  }
}

function contentOf(path: string): { url?: unknown; key?: unknown } {
  try {
    return JSON.parse(readFileSync(path, "utf8")) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw new SettingsError([`${path} cannot be read: ${(error as Error).message}.`]);
  }
}
