import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

/** Writes a self-signed certificate, by default for 127.0.0.1, and its key, both in PEM. */
export function makeCertificate(
  name: string,
  certFile: string,
  keyFile: string,
  newKeyArgs: readonly string[] = ecKeyArgs,
  altName = "IP:127.0.0.1",
): void {
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${altName}`, "-days", "36500"];
  const args = ["req", "-x509", "-newkey", ...newKeyArgs, "-nodes", ...subject, "-keyout", keyFile, "-out", certFile];
  const result = spawnSync("openssl", args, { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`openssl failed: ${result.stderr}`);
}

/** Subtracts a hundred years from the expiry of a certificate. Some versions of openssl cannot make an expired certificate. */
export function expireCertificate(certFile: string): void {
  const der = Buffer.from(readFileSync(certFile, "utf8").replace(/-----[^-]+-----|\s/g, ""), "base64").toString(
    "latin1",
  );
  // Only dates after 2049, such as the expiry of this certificate, have four-digit years.
  const expired = der.replace(/\d{4}(?=\d{10}Z)/, (year) => String(Number(year) - 100));
  const base64 = Buffer.from(expired, "latin1").toString("base64");
  writeFileSync(certFile, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
}

/** Makes a certificate. Returns the certificate and the private key in PEM. */
export function createCertificate(name: string, altName?: string): { readonly cert: string; readonly key: string } {
  using folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
  makeCertificate(name, certFile, keyFile, ecKeyArgs, altName);
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

export const ecKeyArgs = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
/** An RSA key takes a hundred times as long to generate as `ecKeyArgs`. */
export const rsaKeyArgs = ["rsa:2048"];
