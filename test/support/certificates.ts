import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** Writes a certificate that is signed by itself, for 127.0.0.1 unless told otherwise, and its key, both in PEM. */
export function makeCertificate(
  name: string,
  cert: string,
  key: string,
  newKey: readonly string[] = quickKey,
  altName = "IP:127.0.0.1",
): void {
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${altName}`, "-days", "36500"];
  const args = ["req", "-x509", "-newkey", ...newKey, "-nodes", ...subject, "-keyout", key, "-out", cert];
  const made = spawnSync("openssl", args, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
}

/**
 * Has a certificate that was made so end some weeks ago, by a hundred years less, which are more than its 36,500 days. Its signature
 * is wrong then, at which nobody looks. Not every program that is called openssl makes one that has ended.
 */
export function letExpire(cert: string): void {
  const der = Buffer.from(readFileSync(cert, "utf8").replace(/-----[^-]+-----|\s/g, ""), "base64").toString("latin1");
  // Times from the year 2050 on have all its digits.
  const ended = der.replace(/\d{4}(?=\d{10}Z)/, (year) => String(Number(year) - 100));
  const base64 = Buffer.from(ended, "latin1").toString("base64");
  writeFileSync(cert, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
}

export const quickKey = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
/** Takes a hundred times as long to make. */
export const rsaKey = ["rsa:2048"];
