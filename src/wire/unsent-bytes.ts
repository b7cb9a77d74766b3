import { dlopen } from "bun:ffi";
import { ifPossible } from "../base/files.ts";

/** Returns the number of bytes in the kernel's send buffer that the client has not acknowledged; 0 except on Linux. */
export function readUnsentBytes(socket: Bun.Socket<unknown>): number {
  if (process.platform !== "linux") return 0;
  ioctl ??= findIoctl();
  const bytes = new Int32Array(1);
  // Bun's types lack this property.
  const { fd } = socket as unknown as { readonly fd: number };
  return ioctl(fd, unsentBytesRequest, bytes) === 0 ? (bytes[0] ?? 0) : 0;
}

type Ioctl = (fd: number, request: number, result: Int32Array) => number;

let ioctl: Ioctl | undefined;

function findIoctl(): Ioctl {
  for (const library of libraries) {
    const opened = ifPossible(() => dlopen(library, { ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" } }));
    if (opened) return opened.symbols.ioctl;
  }
  return () => -1;
}

/** The C library is glibc or musl, which is part of its own loader. */
const libraries = ["libc.so.6", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];

/** `SIOCOUTQ` of `tcp(7)`. */
const unsentBytesRequest = 0x5411;
