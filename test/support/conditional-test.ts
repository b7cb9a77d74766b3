import { test } from "bun:test";
import { spawnSync } from "node:child_process";
import { ecKeyArgs } from "./certificates.ts";

/** Declares a test that some machines cannot run. On such a machine, the test is skipped, and its name says why. */
export function testUnless(problem: string | undefined, name: string, body: () => void | Promise<void>): void {
  if (problem === undefined) test(name, body);
  else test.skip(`${name} (skipped: ${problem})`, body);
}

/** Returns the reason to skip a test that needs a feature of Linux; undefined on Linux. */
export function linuxSkipReason(feature: string): string | undefined {
  return process.platform === "linux" ? undefined : `it needs ${feature}, which only Linux has`;
}

export function mountSkipReason(): string | undefined {
  const asUser = "unshare -U --map-user=1000 --map-group=1000 true";
  const canMount = () => succeeds("unshare", "-rm", "sh", "-c", `mount -t tmpfs none /mnt && ${asUser}`);
  return linuxSkipReason("namespaces") ?? (canMount() ? undefined : "this machine does not let users mount a disk");
}

/** Returns the reason to skip a test on a disk with blocks smaller than a memory page. */
export function smallBlocksSkipReason(): string | undefined {
  const script =
    "image=$(mktemp) && trap 'rm $image' EXIT && truncate -s 1M $image && mkfs.ext4 -q -t ext2 -b 1024 $image && mount -o loop $image /mnt";
  const canMount = () => succeeds("unshare", "-m", "sh", "-c", script);
  return linuxSkipReason("namespaces") ?? (canMount() ? undefined : "this machine cannot mount a file as a disk");
}

/** Command prefix for a network namespace with the working folder's `resolv.conf`, in which a test can act as the name server. */
export const networkNamespaceCommand = [
  ...["unshare", "-rmn", "sh", "-c"],
  'ip link set lo up && mount --bind resolv.conf /etc/resolv.conf && exec "$@"',
  "sh",
];

export function networkNamespaceSkipReason(): string | undefined {
  const script = "ip link set lo up && mount --bind /dev/null /etc/resolv.conf";
  const canUnshare = () => succeeds("unshare", "-rmn", "sh", "-c", script);
  return linuxSkipReason("namespaces") ?? (canUnshare() ? undefined : "this machine allows no network namespaces");
}

export function curlSkipReason(): string | undefined {
  return succeeds("curl", "--version") ? undefined : "curl is not installed";
}

export function opensslSkipReason(): string | undefined {
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", "/dev/null", "-out", "/dev/null"];
  const canMake = succeeds("openssl", "req", "-x509", "-newkey", ...ecKeyArgs, "-nodes", ...names, ...files);
  return canMake ? undefined : "no openssl that can make a certificate is installed";
}

export function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
