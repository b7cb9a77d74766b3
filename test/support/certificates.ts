import { spawnSync } from "node:child_process";

/** Writes a certificate for 127.0.0.1 that is signed by itself, and its key, both in PEM. */
export function makeCertificate(name: string, cert: string, key: string, newKey: readonly string[] = quickKey): void {
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1", "-days", "36500"];
  const args = ["req", "-x509", "-newkey", ...newKey, "-nodes", ...subject, "-keyout", key, "-out", cert];
  const made = spawnSync("openssl", args, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
}

const quickKey = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
/** Takes a hundred times as long to make. */
export const rsaKey = ["rsa:2048"];
