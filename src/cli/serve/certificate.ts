import { SettingsError, textSetting } from "../../config.ts";

export const certificateSetting = textSetting({
  flag: "tls-cert",
  environment: "TLS_CERT",
  placeholder: "FILE",
  help: "The TLS certificate in PEM, followed by its intermediate certificates. With it, the service speaks only HTTPS.",
  expects: "the path of a file",
});

export const privateKeySetting = textSetting({
  flag: "tls-key",
  environment: "TLS_KEY",
  placeholder: "FILE",
  help: "The private key of the certificate in PEM, without a passphrase.",
  expects: "the path of a file",
});

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Returns undefined for plain HTTP. Throws SettingsError. */
export function certificateFiles(certificate?: string, key?: string): CertificateFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  const missing = key === undefined ? "--tls-key" : "--tls-cert";
  throw new SettingsError([`--tls-cert and --tls-key must be set together; ${missing} is missing.`]);
}
