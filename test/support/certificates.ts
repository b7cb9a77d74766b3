import { spawnSync } from "node:child_process";

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
  openssl(args);
}

/** Has a certificate that was made so end yesterday. */
export function letExpire(cert: string, key: string): void {
  openssl(["x509", "-in", cert, "-signkey", key, "-days", "-1", "-out", cert]);
}

function openssl(args: readonly string[]): void {
  const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
}

export const quickKey = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
/** Takes a hundred times as long to make. */
export const rsaKey = ["rsa:2048"];
