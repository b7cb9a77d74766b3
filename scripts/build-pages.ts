/** Bundles and compresses the HTML pages and their assets. Lists the files in a module, so that the executable contains the files. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { homePath, views } from "../src/console/views.ts";

const project = join(import.meta.dir, "..");
const folder = join(project, "dist/pages");

const settings = {
  target: "browser",
  minify: true,
  publicPath: "/",
  naming: { entry: "[name].[ext]", chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]" },
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
} as const;
const builds = [
  // Puts lazily imported parts of the console into separate chunks.
  await Bun.build({ ...settings, splitting: true, entrypoints: [join(project, "src/console/index.html")] }),
  // The service itself renders the HTML page of the API reference (src/reference/), so only the assets of that page are built.
  await Bun.build({
    ...settings,
    naming: { entry: "assets/[name]-[hash].[ext]" },
    entrypoints: ["reference.ts", "reference.css"].map((file) => join(project, "src/reference/browser", file)),
  }),
];
const outputs = builds.flatMap((build) => build.outputs);

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The URLs of HTML pages. Assets are served at their own paths. */
const pageUrls: Readonly<Record<string, readonly string[]>> = {
  "index.html": [homePath, ...views.map(({ path }) => path)],
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "assets"), { recursive: true });
const imports: string[] = [];
const entries: string[] = [];
for (const output of outputs) {
  const path = output.path.replace(/^\.?\//, "");
  const bytes = new Uint8Array(await output.arrayBuffer());
  const encodings = { identity: bytes, gzip: gzipSync(bytes, { level: 9 }), br: brotliCompressSync(bytes) };
  const fields = Object.entries(encodings).map(([encoding, content]) => {
    const file = `${path}.${encoding}`;
    writeFileSync(join(folder, file), content);
    const name = `file${imports.length}`;
    imports.push(`import ${name} from "./pages/${file}" with { type: "file" };`);
    return `${encoding}: ${name}`;
  });
  const type = mediaTypes[extname(path)];
  if (!type) throw new Error(`The media type of ${path} is missing here.`);
  for (const url of pageUrls[path] ?? [`/${path}`]) {
    entries.push(`  "${url}": { type: ${JSON.stringify(type)}, ${fields.join(", ")} },`);
  }
  console.log(`${path}: ${bytes.length} bytes, ${encodings.gzip.length} gzip, ${encodings.br.length} brotli`);
}
writeFileSync(
  join(project, "dist/pages.ts"),
  `// @ts-nocheck\n${imports.join("\n")}\n\nexport const pages: Record<string, Record<"type" | "identity" | "gzip" | "br", string>> = {\n${entries.join("\n")}\n};\n`,
);

// Lists the bundled packages for scripts/notices.ts, because the licences of these packages must be distributed with the pages.
const bundledPackages = builds
  .flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  .flatMap((file) => {
    const [, folder] = /^(node_modules\/.*(?<=node_modules\/)(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
    return folder ?? [];
  });
writeFileSync(join(project, "dist/bundled.json"), `${JSON.stringify([...new Set(bundledPackages)].sort(), null, 2)}\n`);
