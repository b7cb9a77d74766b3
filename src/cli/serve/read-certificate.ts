import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ifPossible } from "../../base/files.ts";
import { SettingsError } from "../../config.ts";
import type { Certificate } from "../../http/server.ts";
import type { CertificateFiles } from "./listening.ts";

// This module is separate from the settings, because loading the runtime's TLS delays the start.

export interface ReadCertificate extends Certificate {
  readonly expiresAt: Date;
}

export function readCertificate(files: CertificateFiles): ReadCertificate {
  const [certName, keyName] = [`--tls-cert ${files.certificate}`, `--tls-key ${files.key}`];
  const cert = runOrRefuse(`${certName} cannot be read`, () => readFileSync(files.certificate, "utf8"));
  const key = runOrRefuse(`${keyName} cannot be read`, () => readFileSync(files.key, "utf8"));
  const [first] = ifPossible(() => parseChain(cert)) ?? [];
  if (!first) throw new SettingsError(`${certName} is not a certificate in PEM, or is damaged.`);
  const privateKey = ifPossible(() => createPrivateKey(key));
  if (!privateKey) throw new SettingsError(`${keyName} is not a private key in PEM without a passphrase.`);
  if (!first.checkPrivateKey(privateKey)) {
    throw new SettingsError(`${keyName} does not belong to the certificate in ${files.certificate}.`);
  }
  if (isTooShort(privateKey)) {
    throw new SettingsError(
      `${keyName} is too short: an RSA key must have at least ${minRsaBits} bits. Make a new key and certificate.`,
    );
  }
  runOrRefuse(`${certName} and ${keyName} cannot be used for TLS`, () => createSecureContext({ cert, key }));
  return { cert, key, expiresAt: new Date(first.validTo) };
}

function runOrRefuse<Result>(problem: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new SettingsError(`${problem}: ${(error as Error).message}.`);
  }
}

function parseChain(text: string): X509Certificate[] {
  const start = "-----BEGIN CERTIFICATE-----";
  const parts = text.split(start).slice(1);
  return parts.map((part) => new X509Certificate(`${start}${part}`));
}

/** True for an RSA key that many clients refuse, although the runtime accepts the key. */
function isTooShort({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) < minRsaBits;
}

const minRsaBits = 2048;
