import { expect, test } from "bun:test";
import { failure, RunningProgram, runProgram } from "../support/program.ts";
import { until } from "../support/wait.ts";

test("health exits with 0 while the service is ready, and with 1 while it drains or is gone", async () => {
  const args = ["--drain-delay", "600"];
  await using program = await RunningProgram.startNew({ args });
  const { origin, port } = program.client.url;
  const ready = { stdout: "The service is ready.\n", stderr: "", exitCode: 0 };
  expect(await runProgram(["health", "--url", origin])).toEqual(ready);
  // Nothing listens at the address of the proxy, so a request through the proxy would fail.
  const environment = { PORT: port, HOST: "0.0.0.0", HTTP_PROXY: "http://127.0.0.1:9" };
  expect(await runProgram(["health"], { environment })).toEqual(ready);

  program.child.kill("SIGTERM");
  await until(async () => (await program.client.call("/readyz")).status !== 200);
  const draining = await runProgram(["health", "--url", origin]);
  expect(draining).toMatchObject({ stdout: "", exitCode: 1 });
  expect(draining.stderr).toMatch(/^animal-store: The service at http:\S+ is not ready: it returned 503 \{.*\}\n$/);

  await program.signal("SIGKILL");
  const gone = await runProgram(["health", "--port", port]);
  expect(gone).toMatchObject({ stdout: "", exitCode: 1 });
  expect(gone.stderr).toMatch(/^animal-store: The service at http:\S+ is not ready: [^\n]+\n$/);
});

test("health requests the address that the service listens on, and the loopback address if the service listens on all addresses", async () => {
  // Nothing listens on this port, but the result contains the URL of the request.
  const port = "1";
  for (const [host, name] of [
    ["0.0.0.0", "127.0.0.1"],
    ["::", "[::1]"],
    ["127.0.0.2", "127.0.0.2"],
    ["::1", "[::1]"],
    ["localhost", "localhost"],
  ] as const) {
    const { stdout, exitCode } = await runProgram(["health", "--host", host, "--port", port, "--json"]);
    expect([JSON.parse(stdout).url, exitCode]).toEqual([`http://${name}:${port}`, 1]);
  }
});

test("health exits with 2 for an invalid URL", async () => {
  for (const url of ["nowhere", "ftp://127.0.0.1", "http://127.0.0.1:8080/v1"]) {
    expect(await runProgram(["health", "--url", url])).toEqual(
      failure(`--url must be an http or https URL without a path, such as http://127.0.0.1:8080, not "${url}".`),
    );
  }
});
