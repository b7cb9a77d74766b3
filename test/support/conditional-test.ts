import { test } from "bun:test";
import { spawnSync } from "node:child_process";
import { quickKey } from "./certificates.ts";

/** A test that some machines cannot run. There it is skipped, and its name says why. */
export function testUnless(problem: string | undefined, name: string, body: () => void | Promise<void>): void {
  if (problem === undefined) test(name, body);
  else test.skip(`${name} (skipped: ${problem})`, body);
}

/** Why something that only Linux has is not there; undefined if it is. */
export function withoutLinux(what: string): string | undefined {
  return process.platform === "linux" ? undefined : `it needs ${what}, which only Linux has`;
}

/** Why a test cannot have a disk of its own, which takes a namespace of its own; undefined if it can. */
export function withoutOwnDisk(): string | undefined {
  const asUser = "unshare -U --map-user=1000 --map-group=1000 true";
  const canMount = () => succeeds("unshare", "-rm", "sh", "-c", `mount -t tmpfs none /mnt && ${asUser}`);
  return withoutLinux("namespaces") ?? (canMount() ? undefined : "this machine lets no user mount a disk");
}

/** Why a test cannot have a disk whose blocks are smaller than a page of memory; undefined if it can. */
export function withoutSmallBlocks(): string | undefined {
  const script =
    "image=$(mktemp) && trap 'rm $image' EXIT && truncate -s 1M $image && mkfs.ext4 -q -t ext2 -b 1024 $image && mount -o loop $image /mnt";
  const canMount = () => succeeds("unshare", "-m", "sh", "-c", script);
  return withoutLinux("namespaces") ?? (canMount() ? undefined : "this machine cannot mount a file as a disk");
}

/** Runs a program in a network in which a test can be the name server, with the `resolv.conf` of the working folder. */
export const inOwnNetwork = [
  ...["unshare", "-rmn", "sh", "-c"],
  'ip link set lo up && mount --bind resolv.conf /etc/resolv.conf && exec "$@"',
  "sh",
];

/** Why a test cannot have that; undefined if it can. */
export function withoutOwnNetwork(): string | undefined {
  const script = "ip link set lo up && mount --bind /dev/null /etc/resolv.conf";
  const canHave = () => succeeds("unshare", "-rmn", "sh", "-c", script);
  return withoutLinux("namespaces") ?? (canHave() ? undefined : "this machine gives no user a network of their own");
}

/** Why the commands that the documents show cannot be tried; undefined if they can. */
export function withoutCurl(): string | undefined {
  return succeeds("curl", "--version") ? undefined : "there is no curl here";
}

/** Why no certificate can be made; undefined if one can. */
export function withoutCertificates(): string | undefined {
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", "/dev/null", "-out", "/dev/null"];
  const canMake = succeeds("openssl", "req", "-x509", "-newkey", ...quickKey, "-nodes", ...names, ...files);
  return canMake ? undefined : "there is no openssl here that can make a certificate";
}

/** True if the program is installed and exits with code 0. */
export function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
