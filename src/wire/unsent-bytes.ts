import { dlopen } from "bun:ffi";

/** Returns the number of bytes in the kernel's send buffer that the client has not acknowledged; 0 except on Linux. */
export function readUnsentBytes(socket: Bun.Socket<unknown>): number {
  if (process.platform !== "linux") return 0;
  ioctl ??= dlopen("libc.so.6", { ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" } }).symbols.ioctl;
  const bytes = new Int32Array(1);
  // Bun's types lack this property.
  const { fd } = socket as unknown as { readonly fd: number };
  return ioctl(fd, unsentBytesRequest, bytes) === 0 ? (bytes[0] ?? 0) : 0;
}

let ioctl: ((fd: number, request: number, result: Int32Array) => number) | undefined;
/** `SIOCOUTQ` of `tcp(7)`. */
const unsentBytesRequest = 0x5411;
