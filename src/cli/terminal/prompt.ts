import { text } from "node:stream/consumers";
import { Interruption } from "./interruption.ts";

/** Reads a secret without an echo from a terminal, or else all of standard input. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();
  // Before the question, or early input would be echoed.
  stdin.setRawMode(true);
  stderr.write(question);
  try {
    return await typedLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

async function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  let line = "";
  stdin.setEncoding("utf8");
  for await (const piece of stdin) {
    for (const character of piece as unknown as string) {
      if (character === "\x03") throw new Interruption("SIGINT");
      if (endsLine.has(character)) return line.trim();
      line = edits[character]?.(line) ?? line + character;
    }
  }
  return line.trim();
}

const endsLine = new Set(["\r", "\n", "\x04"]);
const eraseLast = (line: string) => line.slice(0, -1);
const edits: Readonly<Record<string, (line: string) => string>> = {
  "\x7f": eraseLast,
  "\b": eraseLast,
  "\x15": () => "",
};
