/**
 * Writes the licences of third-party packages (`THIRD-PARTY-NOTICES.txt`) and the bill of materials (`sbom.json`, CycloneDX) to `dist/` or
 * a given folder. Both files list the runtime dependencies, and the packages that `npm run build` has bundled into the HTML pages.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dir, "..");
const [outputFolder = join(project, "dist")] = process.argv.slice(2);

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly repository?: string | { readonly url: string };
  readonly author?: string | { readonly name: string };
}

const readProjectFile = (file: string) => readFileSync(join(project, file), "utf8");
const { name, dependencies } = JSON.parse(readProjectFile("package.json"));
const bundledFolders: string[] = JSON.parse(readProjectFile("dist/bundled.json"));
const folders = [...new Set([...Object.keys(dependencies).map((name) => `node_modules/${name}`), ...bundledFolders])];
// Lists each version of a package once, although the version may be installed in several folders.
const packages = [
  ...new Map(
    folders.map((folder) => {
      const manifest = JSON.parse(readProjectFile(`${folder}/package.json`)) as PackageManifest;
      return [`${manifest.name}@${manifest.version}`, { ...manifest, folder }];
    }),
  ).values(),
];

writeFileSync(join(outputFolder, "THIRD-PARTY-NOTICES.txt"), createNotices());
writeFileSync(join(outputFolder, "sbom.json"), `${JSON.stringify(createBillOfMaterials(), null, 2)}\n`);
console.log(
  `${outputFolder} contains THIRD-PARTY-NOTICES.txt and sbom.json, which list ${packages.length} third-party packages.`,
);

function createNotices(): string {
  const sections = packages
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) => `${each.name} ${each.version} (${each.license})\n\n${readLicence(each)}`);
  return [`Third-party software that ${name} contains or runs on.`, ...sections].join(`\n\n${"-".repeat(80)}\n\n`);
}

function readLicence({ folder, name, license, author }: (typeof packages)[number]): string {
  const texts = readdirSync(join(project, folder))
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readProjectFile(`${folder}/${file}`).trim());
  if (name === "bun") texts.push(composeBunLicence());
  if (texts.length > 0) return texts.join("\n\n");
  if (license !== "MIT") throw new Error(`${name} has the licence ${license}, but not its text.`);
  const holder = typeof author === "string" ? author : author?.name;
  return `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${readMitLicence()}`;
}

/** Returns the licence text of Bun, which its npm package lacks. */
function composeBunLicence(): string {
  return `Bun itself is MIT-licensed: Copyright (c) Jarred Sumner and the contributors to Bun.
It contains JavaScriptCore and other parts of WebKit (LGPL 2), whose sources and the way to relink Bun with them are at
https://github.com/oven-sh/webkit, SQLite (public domain), and the libraries that are listed with their licences at
https://bun.com/docs/project/license.`;
}

function readMitLicence(): string {
  const text = readProjectFile("LICENSE");
  return text.slice(text.indexOf("Permission is hereby granted")).trim();
}

function createBillOfMaterials(): unknown {
  // Excludes the workspaces of generated clients, which are only for tests.
  const scopeArgs = ["--omit=dev", "--workspaces=false", "--package-lock-only"];
  const args = ["sbom", ...scopeArgs, "--sbom-format=cyclonedx", "--sbom-type=application"];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: project, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const bill = JSON.parse(stdout);
  // Replaces the name that npm derives from the project's folder.
  bill.metadata.component.name = name;
  const knownPurls = new Set(bill.components.map((component: { purl: string }) => component.purl));
  bill.components.push(...packages.map(toComponent).filter(({ purl }) => !knownPurls.has(purl)));
  return bill;
}

/** Returns a required component for a bundled package, which npm omits as a development dependency. */
function toComponent({ name, version, license }: PackageManifest) {
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
  };
}
