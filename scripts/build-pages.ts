import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * Makes the pages that the service shows in a browser: bundled, compressed, and listed in a module that the program
 * imports, so that the single executable carries them too.
 */
const project = join(import.meta.dir, "..");
const folder = join(project, "dist/pages");

const { outputs } = await Bun.build({
  entrypoints: [join(project, "src/console/index.html")],
  minify: true,
  publicPath: "/",
  naming: { entry: "[name].[ext]", chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]" },
  define: { "process.env.NODE_ENV": '"production"' },
});

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "assets"), { recursive: true });
const imports: string[] = [];
const entries: string[] = [];
for (const output of outputs) {
  const path = output.path.replace(/^\.?\//, "");
  const bytes = new Uint8Array(await output.arrayBuffer());
  const forms = {
    identity: bytes,
    gzip: gzipSync(bytes, { level: 9 }),
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  };
  const names = Object.entries(forms).map(([encoding, content]) => {
    const file = `${path}.${encoding}`;
    writeFileSync(join(folder, file), content);
    const name = `file${imports.length}`;
    imports.push(`import ${name} from "./pages/${file}" with { type: "file" };`);
    return `${encoding}: ${name}`;
  });
  entries.push(`  "/${path}": { type: ${JSON.stringify(types[extname(path)])}, ${names.join(", ")} },`);
  console.log(`${path}: ${bytes.length} bytes, ${forms.gzip.length} gzip, ${forms.br.length} brotli`);
}
writeFileSync(
  join(project, "dist/pages.ts"),
  `// @ts-nocheck\n${imports.join("\n")}\n\nexport const pages: Record<string, Record<"type" | "identity" | "gzip" | "br", string>> = {\n${entries.join("\n")}\n};\n`,
);
