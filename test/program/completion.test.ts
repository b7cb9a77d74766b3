import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { succeeds, testUnless } from "../support/conditional-test.ts";
import { programInShell, projectFolder, runCommand, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Typed words, and the completions that the shells offer. */
const offers: [typed: string[], offered: string[]][] = [
  [["prof"], ["profiles"]],
  [
    ["pets", ""],
    ["list", "get", "add", "update", "delete"],
  ],
  [["pets", "li"], ["list"]],
  [["pets", "list", "--st"], ["--status"]],
  [
    ["pets", "list", "--status", ""],
    ["available", "pending", "sold"],
  ],
  [["pets", "list", "--limit", ""], []],
  [["pets", "list", "--json", "--js"], []],
  [["keys", "create", "--scope", "a"], ["admin"]],
  [["pets", "create", "--status", "p"], ["pending"]],
  [
    ["pets", "list", "--profile", ""],
    ["shop", "staging"],
  ],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["help", "orders"], ["orders"]],
  [["nonsense", ""], []],
];

function makeHome() {
  const folder = temporaryFolder();
  for (const name of ["shop", "staging"]) {
    const file = join(folder.path, ".config/animal-store/profiles", `${name}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", key: "x" }), { mode: 0o600 });
  }
  writeFileSync(join(folder.path, "animal-store"), `#!/bin/sh\nexec ${programInShell} "$@"\n`, { mode: 0o755 });
  const environment = { ...process.env, HOME: folder.path, PATH: `${folder.path}:${process.env["PATH"]}` };
  return { path: folder.path, environment, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const skipReason = (shell: string) => (succeeds(shell, "-c", "true") ? undefined : `there is no ${shell} here`);

async function runAndReadLines(
  shell: string[],
  script: string,
  env: Record<string, string | undefined>,
  cwd = projectFolder,
) {
  const { stdout, stderr } = await runCommand([...shell, script], { env, cwd });
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}

const quoteWords = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

describe("bash", () => {
  const complete = (words: readonly string[]) => `
    COMP_WORDS=(animal-store ${quoteWords(words)}); COMP_CWORD=${words.length}; COMPREPLY=()
    _animal_store; for word in "\${COMPREPLY[@]}"; do echo "$word"; done; echo .`;

  testUnless(skipReason("bash"), "bash completion offers the possible next words", async () => {
    using home = makeHome();
    const script = `eval "$(animal-store completion bash)"; complete -p animal-store; ${offers.map(([typed]) => complete(typed)).join("\n")}`;
    const [registered, ...lines] = await runAndReadLines(["bash", "--norc", "-c"], script, home.environment);
    expect(registered).toContain("_animal_store animal-store");
    expect(lines).toEqual(offers.flatMap(([, offered]) => [...offered, "."]));
  });

  testUnless(skipReason("bash"), "bash completion offers files where a file can follow", async () => {
    using home = makeHome();
    writeFileSync(join(home.path, "backup one.db"), "");
    const script = `eval "$(animal-store completion bash)"; ${complete(["restore", "backup"])}`;
    expect(await runAndReadLines(["bash", "--norc", "-c"], script, home.environment, home.path)).toEqual([
      "backup one.db",
      ".",
    ]);
  });
});

testUnless(skipReason("fish"), "fish completion offers the possible next words", async () => {
  using home = makeHome();
  const script = offers
    .map(([typed]) => `complete -C ${JSON.stringify(`animal-store ${typed.join(" ")}`)}; echo .`)
    .join("\n");
  const lines = await runAndReadLines(
    ["fish", "--no-config", "-c"],
    `animal-store completion fish | source\n${script}`,
    home.environment,
  );
  // fish sorts the completions.
  const expected = offers.flatMap(([, offered]) => [...offered.toSorted(), "."]);
  expect(lines.map((line) => line.replace(/\t.*/, ""))).toEqual(expected);
});

testUnless(skipReason("zsh"), "zsh completion offers the possible next words", async () => {
  using home = makeHome();
  // Reads the completions from the arguments of _describe, because zsh completes only on a terminal.
  const script = `compdef() { print -r -- "compdef $*" }; _files() { print -r -- files }
      _describe() { print -rl -- \${(P)2} }
      eval "$(animal-store completion zsh)"
      ${offers.map(([typed]) => `words=(animal-store ${quoteWords(typed)}); CURRENT=${typed.length + 1}; _animal_store; print -r -- .`).join("\n")}`;
  const [registered, ...lines] = await runAndReadLines(["zsh", "-f", "-c"], script, home.environment);
  expect(registered).toBe("compdef _animal_store animal-store");
  const expected = offers.flatMap(([, offered]) => [...offered, "."]);
  expect(lines.map((line) => line.replace(/(?<!\\):.*/, ""))).toEqual(expected);
});

test.each(["zsh", "fish"])("completion for %s includes the meaning of each word", async (shell) => {
  using home = makeHome();
  const complete = async (...words: string[]) =>
    (await runProgram(["__complete", shell, ...words], { environment: { HOME: home.path } })).stdout;
  expect(await complete("pets", "g")).toBe("get\tShow an animal.\n");
  expect(await complete("inv")).toBe("inventory\tShow the number of animals with each status.\n");
  expect(await complete("pets", "list", "--st")).toStartWith("--status\t");
});
