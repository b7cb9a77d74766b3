import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { succeeds } from "./conditional-test.ts";
import { runCommand } from "./program.ts";
import { makeTemporaryFolder } from "./temporary.ts";

/** Matches patterns against texts, and returns a row for each pattern. Throws if the engine rejects a pattern. */
export type RegexEngine = (patterns: readonly string[], texts: readonly string[]) => Promise<boolean[][]>;

/** Engines with which clients may use the document's patterns; undefined if an engine is not installed. */
export const regexEngines: Readonly<Record<string, RegexEngine | undefined>> = {
  JavaScript: async (patterns, texts) =>
    patterns.map((pattern) => {
      const expression = new RegExp(pattern, "u");
      return texts.map((text) => expression.test(text));
    }),
  RE2: async (patterns, texts) =>
    patterns.map((pattern) => {
      const expression = RE2JS.compile(pattern);
      return texts.map((text) => expression.matcher(text).find());
    }),
  Python: succeeds("python3", "--version")
    ? (...input) => runEngine(["python3", "-c", pythonProgram], ...input)
    : undefined,
  // Without Java, macOS has a `javac` that only prints a message.
  Java: succeeds("javac", "-version") ? runJava : undefined,
};

async function runJava(patterns: readonly string[], texts: readonly string[]): Promise<boolean[][]> {
  const folder = makeTemporaryFolder("test");
  try {
    writeFileSync(join(folder, "Patterns.java"), javaProgram);
    // Without this option, the JIT compiler's later stages would take more than half of the run time.
    return await runEngine(["java", "-XX:TieredStopAtLevel=1", join(folder, "Patterns.java")], patterns, texts);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runEngine(
  command: readonly string[],
  patterns: readonly string[],
  texts: readonly string[],
): Promise<boolean[][]> {
  const lines = [...patterns.map(toHex), "", ...texts.map((text) => `=${toHex(text)}`)];
  const stdin = Buffer.from(`${lines.join("\n")}\n`);
  const { stdout, stderr, exitCode } = await runCommand(command, { stdin });
  if (exitCode !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split("\n")
    .map((row) => [...row].map((digit) => digit === "1"));
}

function toHex(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}

const pythonProgram = `
import re, sys
lines = sys.stdin.read().split("\\n")[:-1]
text = lambda digits: bytes.fromhex(digits).decode("utf-16-be", "surrogatepass")
end = lines.index("")
texts = [text(line[1:]) for line in lines[end + 1:]]
for line in lines[:end]:
    expression = re.compile(text(line))
    print("".join("1" if expression.search(one) else "0" for one in texts))
`;

const javaProgram = `
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

class Patterns {
  public static void main(String[] arguments) {
    List<String> lines = new Scanner(System.in).useDelimiter("\\n").tokens().collect(Collectors.toList());
    int end = lines.indexOf("");
    for (String line : lines.subList(0, end)) {
      Pattern expression = Pattern.compile(text(line));
      StringBuilder row = new StringBuilder();
      for (String one : lines.subList(end + 1, lines.size()))
        row.append(expression.matcher(text(one.substring(1))).find() ? "1" : "0");
      System.out.println(row);
    }
  }

  static String text(String digits) {
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < digits.length(); at += 4) text.append((char) Integer.parseInt(digits.substring(at, at + 4), 16));
    return text.toString();
  }
}
`;
