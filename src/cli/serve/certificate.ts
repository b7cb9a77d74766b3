import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { nonEmpty, SettingsError, setting } from "../../config.ts";
import type { Certificate } from "../../http/server.ts";

export const certificateSetting = setting(nonEmpty, {
  flag: "tls-cert",
  environment: "TLS_CERT",
  placeholder: "FILE",
  help: "The TLS certificate in PEM, followed by its intermediate certificates. With it, the service speaks only HTTPS.",
  expects: "the path of a file",
});

export const privateKeySetting = setting(nonEmpty, {
  flag: "tls-key",
  environment: "TLS_KEY",
  placeholder: "FILE",
  help: "The private key of the certificate in PEM, without a passphrase.",
  expects: "the path of a file",
});

/** What there is to read again when the certificate was renewed. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface ReadCertificate extends Certificate {
  readonly expiresAt: Date;
}

/** Undefined if the service speaks plain HTTP. Throws SettingsError. */
export function certificateFiles(certificate?: string, key?: string): CertificateFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  const missing = key === undefined ? "--tls-key" : "--tls-cert";
  throw new SettingsError([`--tls-cert and --tls-key must be set together; ${missing} is missing.`]);
}

/** Throws SettingsError, with a line for each file that cannot be used. */
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
      `--tls-key ${files.key} is too short: an RSA key must have at least ${shortestRsaBits} bits. Make a new key and certificate.`,
    );
  }
  if (problems.length === 0) {
    attempt(
      () => createSecureContext({ cert, key }),
      (reason) => `--tls-cert ${files.certificate} and --tls-key ${files.key} cannot be used for TLS: ${reason}.`,
    );
  }
  if (cert === undefined || key === undefined || !parsedCert || problems.length > 0) throw new SettingsError(problems);
  return { cert, key, expiresAt: new Date(parsedCert.validTo) };
}

/** Throws if any certificate cannot be read: a client that needs it could not connect. */
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

/** The runtime takes any key, though handshakes with a very short one fail, and many clients refuse what is shorter than this. */
function isTooShort({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) < shortestRsaBits;
}

const shortestRsaBits = 2048;
