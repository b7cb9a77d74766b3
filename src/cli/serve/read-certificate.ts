import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { SettingsError } from "../../config.ts";
import type { Certificate } from "../../http/server.ts";
import type { CertificateFiles } from "./listening.ts";

// Separate from the settings, because loading the runtime's TLS delays the start.

export interface ReadCertificate extends Certificate {
  readonly expiresAt: Date;
}

/** Throws SettingsError, with a line per unusable file. */
export function readCertificate(files: CertificateFiles): ReadCertificate {
  const problems: string[] = [];
  const attempt = <Result>(work: () => Result, problem: (reason: string) => string): Result | undefined => {
    try {
      return work();
    } catch (error) {
      problems.push(problem((error as Error).message));
      return undefined;
    }
  };
  const read = (flag: string, path: string) =>
    attempt(
      () => readFileSync(path, "utf8"),
      (reason) => `--${flag} ${path} cannot be read: ${reason}.`,
    );
  const cert = read("tls-cert", files.certificate);
  const key = read("tls-key", files.key);
  const parsedCert =
    cert === undefined
      ? undefined
      : attempt(
          () => firstOfChain(cert),
          (reason) => `--tls-cert ${files.certificate} ${reason}.`,
        );
  const parsedKey =
    key === undefined
      ? undefined
      : attempt(
          () => createPrivateKey(key),
          () => `--tls-key ${files.key} is not a private key in PEM without a passphrase.`,
        );
  if (parsedCert && parsedKey && !parsedCert.checkPrivateKey(parsedKey)) {
    problems.push(`--tls-key ${files.key} does not belong to the certificate in ${files.certificate}.`);
  }
  if (parsedKey && isTooShort(parsedKey)) {
    problems.push(
      `--tls-key ${files.key} is too short: an RSA key must have at least ${minRsaBits} bits. Make a new key and certificate.`,
    );
  }
  if (problems.length === 0) {
    attempt(
      () => createSecureContext({ cert, key }),
      (reason) => `--tls-cert ${files.certificate} and --tls-key ${files.key} cannot be used for TLS: ${reason}.`,
    );
  }
  if (cert === undefined || key === undefined || !parsedCert || problems.length > 0)
    throw new SettingsError(...problems);
  return { cert, key, expiresAt: new Date(parsedCert.validTo) };
}

function firstOfChain(text: string): X509Certificate {
  const start = "-----BEGIN CERTIFICATE-----";
  const notPem = new Error("is not a certificate in PEM");
  const parts = text.split(start).slice(1);
  const chain = parts.map((part, index) => {
    try {
      return new X509Certificate(`${start}${part}`);
    } catch {
      if (parts.length === 1) throw notPem;
      throw new Error(`is damaged: certificate ${index + 1} of ${parts.length} in it cannot be read`);
    }
  });
  if (!chain[0]) throw notPem;
  return chain[0];
}

/** The runtime accepts any key, but many clients refuse shorter ones. */
function isTooShort({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) < minRsaBits;
}

const minRsaBits = 2048;
