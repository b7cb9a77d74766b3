import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

/** Writes a self-signed certificate, by default for 127.0.0.1, and its key, both in PEM. */
export function makeCertificate(
  name: string,
  cert: string,
  key: string,
  newKey: readonly string[] = ecKey,
  altName = "IP:127.0.0.1",
): void {
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${altName}`, "-days", "36500"];
  const args = ["req", "-x509", "-newkey", ...newKey, "-nodes", ...subject, "-keyout", key, "-out", cert];
  const made = spawnSync("openssl", args, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
}

/** Subtracts a hundred years from the expiry of a certificate. Some versions of openssl cannot make an expired certificate. */
export function expireCertificate(cert: string): void {
  const der = Buffer.from(readFileSync(cert, "utf8").replace(/-----[^-]+-----|\s/g, ""), "base64").toString("latin1");
  // Only dates after 2049, such as the expiry of this certificate, have four-digit years.
  const ended = der.replace(/\d{4}(?=\d{10}Z)/, (year) => String(Number(year) - 100));
  const base64 = Buffer.from(ended, "latin1").toString("base64");
  writeFileSync(cert, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
}

/** Makes a certificate. Returns the certificate and the private key in PEM. */
export function certificateFor(name: string, altName?: string): { readonly cert: string; readonly key: string } {
  using folder = temporaryFolder();
  const [cert, key] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
  makeCertificate(name, cert, key, ecKey, altName);
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

export const ecKey = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
/** An RSA key takes a hundred times as long to generate as `ecKey`. */
export const rsaKey = ["rsa:2048"];
