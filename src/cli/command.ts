import type { Setting, Settings } from "../config.ts";

/** A command of the program. `run` returns the exit code. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly settings: Settings;
  run(args: readonly string[]): Promise<number>;
}

export const exitCodes = { success: 0, failure: 1, unusable: 2 } as const;

export function helpOf({ usage, summary, settings }: Command): string {
  return `${summary}\n\nUsage: animal-store ${usage}\n\n${table(Object.values(settings).map(describe))}`;
}

/** Lines up the first column, as far as it is short. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}

function describe({ flag, environment, placeholder, help, default: defaultText }: Setting<unknown>): [string, string] {
  const names = [flag && `--${flag} ${placeholder}`.trimEnd(), environment].filter(Boolean).join(", ");
  return [names, defaultText ? `${help} Default: ${defaultText}` : help];
}
