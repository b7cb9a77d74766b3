import { lookup } from "node:dns/promises";
import { integerSetting, SettingsError, textSetting } from "../../config.ts";

export const portSetting = integerSetting("--port NUMBER, PORT", [0, 65535], {
  help: "The port to listen on; 0 for any free port.",
  default: "8080",
});

export const hostSetting = textSetting("--host NAME, HOST", {
  help: "The host name or address to listen on; 0.0.0.0 for all.",
  default: "127.0.0.1",
});

/** Returns the reason why a port cannot be used, without a full stop. `port` is a flag with its value, such as `--port 80`. */
export async function explainFailure(error: unknown, port: string, hostFlag: string, host: string): Promise<string> {
  const { code = "", message } = error as NodeJS.ErrnoException;
  // If the host cannot be resolved, the error of the runtime is that of an earlier, unrelated failure.
  const isKnown = await lookup(host).catch(() => undefined);
  const reason = isKnown ? (listenFailures[code] ?? message) : "there is no such host";
  return `${port} cannot be used on ${hostFlag} ${host}: ${reason}`;
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "it is already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have that address",
};

export const certificateSetting = textSetting("--tls-cert FILE, TLS_CERT", {
  help: "The TLS certificate in PEM, followed by its intermediate certificates. With it, the service speaks only HTTPS.",
});

export const privateKeySetting = textSetting("--tls-key FILE, TLS_KEY", {
  help: "The private key of the certificate in PEM, without a passphrase.",
});

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export function requireBothFiles(certificate?: string, key?: string): CertificateFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  const missing = key === undefined ? "--tls-key" : "--tls-cert";
  throw new SettingsError(`--tls-cert and --tls-key must be set together; ${missing} is missing.`);
}
