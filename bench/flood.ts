#!/usr/bin/env bun
/** Floods the service with requests without a key over many connections. Prints a line once all connections are open. */
export {};

const [url = "", connectionCount = "", pipelineDepth = ""] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const request = "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n";
const batch = Buffer.from(request.repeat(Number(pipelineDepth)));
/** The length of a response. All responses have the same length. */
const responseBytes = await fetchResponseLength();
const batchBytes = responseBytes * Number(pipelineDepth);

interface Progress {
  unsent: Buffer;
  unreadBytes: number;
}

for (let openedCount = 0; openedCount < Number(connectionCount); openedCount++) await openConnection();
console.log("open");

function openConnection(): Promise<Bun.Socket<Progress>> {
  return Bun.connect<Progress>({
    hostname,
    port: Number(port),
    data: { unsent: batch, unreadBytes: batchBytes },
    socket: {
      open: send,
      drain: send,
      data(socket, { length }) {
        socket.data.unreadBytes -= length;
        if (socket.data.unreadBytes > 0) return;
        socket.data = { unsent: batch, unreadBytes: batchBytes };
        send(socket);
      },
      // Reconnects, because the service disconnects clients that occupy too much of its memory.
      close() {
        setTimeout(() => openConnection().catch(() => {}), 100);
      },
      error() {},
    },
  });
}

function send(socket: Bun.Socket<Progress>): void {
  const written = socket.write(socket.data.unsent);
  if (written > 0) socket.data.unsent = socket.data.unsent.subarray(written);
}

async function fetchResponseLength(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, { length }) => resolve(length) },
  });
  socket.write(request);
  const length = await promise;
  socket.end();
  return length;
}
