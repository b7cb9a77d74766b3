import { expect } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { expireCertificate, makeCertificate, rsaKeyArgs } from "../support/certificates.ts";
import { opensslSkipReason, testUnless } from "../support/conditional-test.ts";
import { failure, LineReader, RunningProgram, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const skipReason = opensslSkipReason();

testUnless(skipReason, "a service with a certificate speaks HTTPS, and prints an https URL", async () => {
  await using secured = await startSecured(rsaKeyArgs);
  const { program } = secured;
  expect(program.greeting).toMatch(/the API is at https:\/\/127\.0\.0\.1:\d+\/v1, /);
  const added = await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  expect(added.status).toBe(201);
  const health = ["health", "--port", program.client.url.port, "--tls-cert", secured.cert];
  expect(await runProgram(health)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(await program.signal("SIGTERM")).toBe(0);
});

testUnless(skipReason, "the service supports only TLS 1.2 and 1.3", async () => {
  await using secured = await startSecured();
  const versions = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;
  const sessions = await Promise.all(versions.map((version) => handshake(secured.port, version)));
  expect(sessions.map((response) => response?.version)).toEqual([undefined, undefined, "TLSv1.2", "TLSv1.3"]);
});

testUnless(
  skipReason,
  "a plain HTTP connection is closed without a response, and other connections are not affected",
  async () => {
    await using secured = await startSecured();
    const received = await new Promise<string>((resolve) => {
      const socket = net.connect(secured.port, "127.0.0.1", () => {
        socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
      });
      let text = "";
      socket.on("data", (data) => {
        text += data.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });
    expect(received).not.toContain("HTTP/");
    expect((await secured.program.client.call("/healthz")).status).toBe(200);
  },
);

testUnless(skipReason, "SIGHUP reloads the certificate, and a request in flight gets its response", async () => {
  await using secured = await startSecured();
  const { program, port } = secured;
  expect((await handshake(port))?.name).toBe("first");
  // Half of the body is sent before the reload, and half after it.
  const body = JSON.stringify({ name: "Rex", categoryId: 7 });
  const pending = await connect(port);
  pending.write(`${createHead(program.client.key, body)}${body.slice(0, 5)}`);
  makeCertificate("second", secured.cert, secured.key);
  await secured.reload();
  expect((await handshake(port))?.name).toBe("second");
  const response = new Promise<string>((resolve) => pending.once("data", (data) => resolve(data.toString())));
  pending.write(body.slice(5));
  // The response closes the connection, because the connection uses the old certificate.
  expect(await response).toMatch(/^HTTP\/1\.1 201 [\s\S]*\r\nconnection: close\r\n/i);
  expect(await program.signal("SIGTERM")).toBe(0);
});

testUnless(skipReason, "an expired certificate is used with a warning", async () => {
  await using secured = await startSecured();
  const { program, cert, key, port, log } = secured;
  makeCertificate("second", cert, key);
  expireCertificate(cert);
  program.child.kill("SIGHUP");
  expect(await log.until(/has expired/)).toMatch(/"level":"warn","message":"the TLS certificate has expired: renew it/);
  expect((await handshake(port))?.name).toBe("second");
  expect(await program.signal("SIGTERM")).toBe(0);
  const args = ["--tls-cert", cert, "--tls-key", key];
  await using again = await RunningProgram.start(join(secured.folder, "animals.db"), { args });
  await new LineReader(again.child.stderr).until(/the TLS certificate has expired/);
  expect((await handshake(Number(again.client.url.port)))?.name).toBe("second");
});

testUnless(skipReason, "each further SIGHUP reloads the certificate on the same port", async () => {
  await using secured = await startSecured();
  for (const name of ["second", "third", "fourth"]) {
    makeCertificate(name, secured.cert, secured.key);
    await secured.reload();
    expect((await handshake(secured.port))?.name).toBe(name);
  }
});

testUnless(skipReason, "SIGHUP does not make a stopping service accept connections again", async () => {
  await using secured = await startSecured();
  const { program, port } = secured;
  const body = JSON.stringify({ name: "Rex", categoryId: 7 });
  const pending = await connect(port);
  pending.write(`${createHead(program.client.key, body)}${body.slice(0, 5)}`);
  // The count includes the request for the metrics.
  await until(async () => (await program.client.call("/metrics")).text.includes("requests_in_flight 2\n"));
  program.child.kill("SIGTERM");
  await until(async () => (await handshake(port)) === undefined);
  program.child.kill("SIGHUP");
  await secured.log.until(/the TLS certificate was (not renewed, because the service is stopping|read again)/);
  expect(await handshake(port)).toBeUndefined();
  const response = new Promise<string>((resolve) => pending.once("data", (data) => resolve(data.toString())));
  pending.write(body.slice(5));
  expect(await response).toStartWith("HTTP/1.1 201 ");
  expect(await program.child.exited).toBe(0);
});

testUnless(skipReason, "SIGHUP with unusable files leaves the old certificate in use", async () => {
  await using secured = await startSecured();
  const { port, cert, key } = secured;
  writeFileSync(cert, "nothing of the kind");
  const lines = await secured.reload(/could not be renewed/);
  expect(lines).toContain(`--tls-cert ${cert} is not a certificate in PEM, or is damaged.`);
  expect((await handshake(port))?.name).toBe("first");
  makeCertificate("second", cert, key);
  await secured.reload();
  expect((await handshake(port))?.name).toBe("second");
});

testUnless(skipReason, "SIGHUP with a key that is unusable for TLS leaves the old certificate in use", async () => {
  await using secured = await startSecured();
  const { port, cert, key } = secured;
  makeCertificate("weak", cert, key, ["rsa:512"]);
  const lines = await secured.reload(/could not be renewed|was read again/);
  expect(lines).toContain(`--tls-key ${key} is too short: an RSA key must have at least 2048 bits.`);
  expect((await handshake(port))?.name).toBe("first");
});

testUnless(skipReason, "a certificate chain is used, and a damaged certificate in the chain is reported", async () => {
  await using secured = await startSecured();
  const { port, cert, key } = secured;
  const other = join(secured.folder, "other.crt");
  makeCertificate("other", other, join(secured.folder, "other.key"));
  makeCertificate("second", cert, key);
  const [own, chained] = [cert, other].map((path) => readFileSync(path, "utf8")) as [string, string];
  writeFileSync(cert, `A comment\n${own}Another\n${chained}`);
  await secured.reload();
  expect((await handshake(port))?.name).toBe("second");
  makeCertificate("third", cert, key);
  const third = readFileSync(cert, "utf8");
  for (const damaged of [damagedCertificate, chained.slice(0, -40)]) {
    writeFileSync(cert, `${third}${damaged}`);
    const lines = await secured.reload(/could not be renewed|was read again/);
    expect(lines).toContain(`--tls-cert ${cert} is not a certificate in PEM, or is damaged.`);
    expect((await handshake(port))?.name).toBe("second");
  }
});

testUnless(skipReason, "a second service cannot listen on the port of a running service", async () => {
  await using secured = await startSecured();
  const { stdout, stderr, exitCode } = await runProgram([
    ...["serve", "--port", String(secured.port), "--database", `sqlite:${join(secured.folder, "other.db")}`],
    ...["--tls-cert", secured.cert, "--tls-key", secured.key],
  ]);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  expect(stderr).toMatch(/^animal-store: --port \d+ cannot be used on --host 127\.0\.0\.1: [^\n]+\n$/);
});

const wrong: readonly [what: string, args: string, complaint: string][] = [
  ["no key", "--tls-cert CERT", "--tls-cert and --tls-key must be set together; --tls-key is missing."],
  ["no certificate", "--tls-key KEY", "--tls-cert and --tls-key must be set together; --tls-cert is missing."],
  [
    "the key of another certificate",
    "--tls-cert CERT --tls-key OTHER",
    "--tls-key OTHER does not belong to the certificate in CERT.",
  ],
  ["swapped files", "--tls-cert KEY --tls-key KEY", "--tls-cert KEY is not a certificate in PEM, or is damaged."],
  [
    "a damaged certificate in the chain",
    "--tls-cert CHAIN --tls-key KEY",
    "--tls-cert CHAIN is not a certificate in PEM, or is damaged.",
  ],
  [
    "an RSA key that is too short",
    "--tls-cert SHORT.crt --tls-key SHORT",
    "--tls-key SHORT is too short: an RSA key must have at least 2048 bits. Make a new key and certificate.",
  ],
  [
    "no private key in the file",
    "--tls-cert CERT --tls-key CERT",
    "--tls-key CERT is not a private key in PEM without a passphrase.",
  ],
  [
    "a missing file",
    "--tls-cert NONE --tls-key KEY",
    "--tls-cert NONE cannot be read: ENOENT: no such file or directory, open 'NONE'.",
  ],
];
for (const [what, args, complaint] of wrong) {
  testUnless(skipReason, `serve with ${what} fails with a one-line error and exit code 2`, async () => {
    using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    makeCertificate("other", at("other.crt"), at("OTHER"));
    makeCertificate("first", at("CERT"), at("KEY"));
    makeCertificate("short", at("SHORT.crt"), at("SHORT"), ["rsa:1024"]);
    writeFileSync(at("CHAIN"), `${readFileSync(at("CERT"), "utf8")}${damagedCertificate}`);
    const named = (text: string) => text.replace(/\b(CERT|CHAIN|KEY|OTHER|SHORT|NONE)\b/g, (name) => at(name));
    const database = ["--port", "0", "--database", `sqlite:${at("animals.db")}`];
    expect(await runProgram(["serve", ...database, ...named(args).split(" ")])).toEqual(failure(`${named(complaint)}`));
  });
}

const damagedCertificate = "-----BEGIN CERTIFICATE-----\nMIIBdjCCAR2g\n-----END CERTIFICATE-----\n";

async function startSecured(newKey?: readonly string[]) {
  const folder = temporaryFolder();
  const [cert, key, kept] = ["tls.crt", "tls.key", "first.crt"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  makeCertificate("first", cert, key, newKey);
  copyFileSync(cert, kept);
  const program = await RunningProgram.start(join(folder.path, "animals.db"), {
    args: ["--tls-cert", cert, "--tls-key", key],
    ca: readFileSync(kept, "utf8"),
  });
  const log = new LineReader(program.child.stderr);
  return {
    ...{ program, log, cert, key, folder: folder.path, port: Number(program.client.url.port) },
    async reload(logged = /the TLS certificate was read again/) {
      program.child.kill("SIGHUP");
      return await log.until(logged);
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

function connect(port: number, version?: tls.SecureVersion): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const versions = version ? { minVersion: version, maxVersion: version } : {};
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false, ...versions };
    const socket = tls.connect(options, () => resolve(socket));
    socket.on("error", reject);
  });
}

function createHead(key: string, body: string): string {
  return `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
}

/** Returns the name in the certificate and the TLS version of a new connection; undefined if the connection is refused. */
async function handshake(port: number, version?: tls.SecureVersion) {
  try {
    const socket = await connect(port, version);
    const session = { name: socket.getPeerCertificate().subject.CN, version: socket.getProtocol() };
    socket.destroy();
    return session;
  } catch {
    return undefined;
  }
}
