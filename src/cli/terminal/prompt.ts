import { text } from "node:stream/consumers";
import { Interruption } from "./interruption.ts";

/** A secret that somebody types, of which nothing is shown; or all of standard input, where that is no terminal. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();
  // First, or what is typed at once would be shown.
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
      if (character === "\r" || character === "\n" || character === "\x04") return line.trim();
      if (character === "\x7f" || character === "\b") line = line.slice(0, -1);
      else if (character === "\x15") line = "";
      else line += character;
    }
  }
  return line.trim();
}
