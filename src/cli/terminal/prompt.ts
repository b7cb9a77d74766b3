import { text } from "node:stream/consumers";
import { Interruption } from "./interruption.ts";

/** Reads a secret without an echo from a terminal, or else all of standard input. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();
  // Raw mode is set before the question appears, because early input would be echoed otherwise.
  stdin.setRawMode(true);
  stderr.write(question);
  try {
    return await readLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

async function readLine(stdin: NodeJS.ReadStream): Promise<string> {
  let line = "";
  stdin.setEncoding("utf8");
  for await (const piece of stdin) {
    for (const character of piece as unknown as string) {
      if (character === "\x03") throw new Interruption("SIGINT");
      if ("\r\n\x04".includes(character)) return line.trim();
      line = edit(line, character);
    }
  }
  return line.trim();
}

function edit(line: string, character: string): string {
  if (character === "\x7f" || character === "\b") return line.slice(0, -1);
  return character === "\x15" ? "" : line + character;
}
