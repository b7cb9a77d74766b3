import { expect } from "bun:test";
import { chownSync, linkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../../../test/support/conditional-test.ts";
import { temporaryFolder } from "../../../../test/support/temporary.ts";
import { giveToOwnerOf } from "./replace.ts";

const anotherUser = 65_000;

testUnless(
  process.geteuid?.() === 0 ? undefined : "only root can act for others",
  "root gives its own file to the owner of the folder, but none that was put in its place, as a link or a second name",
  () => {
    using folder = temporaryFolder();
    const [own, foreign, link, secondName] = ["own", "foreign", "link", "second-name"].map((name) =>
      join(folder.path, name),
    ) as [string, string, string, string];
    for (const file of [own, foreign]) writeFileSync(file, "");
    symlinkSync(foreign, link);
    chownSync(folder.path, anotherUser, anotherUser);
    giveToOwnerOf(folder.path, own);
    expect(() => giveToOwnerOf(folder.path, link)).toThrow("ELOOP");
    linkSync(foreign, secondName);
    giveToOwnerOf(folder.path, secondName);
    expect([own, foreign].map((file) => statSync(file).uid)).toEqual([anotherUser, 0]);
  },
);
