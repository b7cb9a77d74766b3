import { readEnvironment } from "../../config.ts";

export type Paint = (style: Style, text: string) => string;

export type Style = keyof typeof styles;

export function createPaint(isTerminal: boolean): Paint {
  const isPlain = !isTerminal || readEnvironment("NO_COLOR") !== undefined || readEnvironment("TERM") === "dumb";
  return isPlain ? (_, text) => text : (style, text) => `\x1b[${styles[style]}m${text}\x1b[0m`;
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
