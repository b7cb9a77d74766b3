import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { SettingsError } from "../../config.ts";
import type { Certificate } from "../../http/server.ts";
import type { CertificateFiles } from "./listening.ts";

// This module is separate from the settings, because loading the runtime's TLS delays the start.

export interface ReadCertificate extends Certificate {
  readonly expiresAt: Date;
}

/** Reads and checks a certificate and its private key. Throws SettingsError with a line per problem. */
export function readCertificate(files: CertificateFiles): ReadCertificate {
  const [certName, keyName] = [`--tls-cert ${files.certificate}`, `--tls-key ${files.key}`];
  const problems: string[] = [];
  const attempt = <Result>(start: string, work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      problems.push(`${start} ${(error as Error).message}.`);
      return undefined;
    }
  };
  const cert = attempt(`${certName} cannot be read:`, () => readFileSync(files.certificate, "utf8"));
  const key = attempt(`${keyName} cannot be read:`, () => readFileSync(files.key, "utf8"));
  const parsedCert = cert === undefined ? undefined : attempt(certName, () => parseFirstOfChain(cert));
  const parsedKey = key === undefined ? undefined : attempt(keyName, () => parsePrivateKey(key));
  if (parsedCert && parsedKey && !parsedCert.checkPrivateKey(parsedKey)) {
    problems.push(`${keyName} does not belong to the certificate in ${files.certificate}.`);
  }
  if (parsedKey && isTooShort(parsedKey)) {
    problems.push(
      `${keyName} is too short: an RSA key must have at least ${minRsaBits} bits. Make a new key and certificate.`,
    );
  }
  if (problems.length === 0) {
    attempt(`${certName} and ${keyName} cannot be used for TLS:`, () => createSecureContext({ cert, key }));
  }
  if (cert === undefined || key === undefined || !parsedCert || problems.length > 0)
    throw new SettingsError(...problems);
  return { cert, key, expiresAt: new Date(parsedCert.validTo) };
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error("is not a private key in PEM without a passphrase");
  }
}

function parseFirstOfChain(text: string): X509Certificate {
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
