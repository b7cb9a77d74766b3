/** A program for Node.js: reads lines with lists of HTTP messages, and prints how Node's strict parser (llhttp) parses each message. */
import { createServer, type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";
import { setImmediate as nextTick } from "node:timers/promises";

export interface NodeReading {
  readonly requests: NodeRequest[];
  error?: string;
}

export interface NodeRequest {
  readonly method: string;
  readonly target: string;
  /** The names and values of the fields, alternately. */
  readonly fields: readonly string[];
  body: string;
  isComplete: boolean;
}

interface Connection extends NodeReading {
  readonly messages: IncomingMessage[];
}

const server = createServer({ insecureHTTPParser: false, maxHeaderSize: 64 * 1024, requireHostHeader: false });
const connections = new Map<Duplex, Connection>();

for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, readRequest);
server.on("connect", (message: IncomingMessage, stream: Duplex) => {
  connections.get(stream)?.requests.push({ ...toNodeRequest(message), isComplete: true });
  stream.destroy();
});
server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
  const connection = connections.get(stream);
  if (connection) connection.error = error.code ?? error.message;
  // Destroys the stream in the next tick, because the listeners must first receive the bodies of earlier requests.
  setImmediate(() => stream.destroy());
});

function readRequest(message: IncomingMessage, response: ServerResponse): void {
  const request = toNodeRequest(message);
  connections.get(message.socket)?.requests.push(request);
  connections.get(message.socket)?.messages.push(message);
  message.setEncoding("latin1");
  message.on("data", (text: string) => {
    request.body += text;
  });
  message.on("end", () => {
    request.isComplete = true;
    response.end();
  });
}

function toNodeRequest({ method = "", url = "", rawHeaders }: IncomingMessage): NodeRequest {
  return { method, target: url, fields: [...rawHeaders], body: "", isComplete: false };
}

async function parseMessage(pieces: readonly string[]): Promise<NodeReading> {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(), final: (done) => done() });
  const closed = new Promise((resolve) => stream.on("close", resolve));
  const connection: Connection = { requests: [], messages: [] };
  connections.set(stream, connection);
  server.emit("connection", stream);
  for (const piece of pieces) {
    stream.push(Buffer.from(piece, "latin1"));
    await nextTick();
  }
  // At the end of the stream, the server drops complete requests that have no response yet.
  while (connection.messages.some(({ complete, readableEnded, destroyed }) => complete && !readableEnded && !destroyed))
    await nextTick();
  stream.push(null);
  await closed;
  connections.delete(stream);
  const { requests, error } = connection;
  return error === undefined ? { requests } : { requests, error };
}

console.log(JSON.stringify(METHODS));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await Promise.all((JSON.parse(line) as string[][]).map(parseMessage))));
}
