export interface Example {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** Returns the examples of a guide. Each `http` block contains a request and, after an empty line, possibly its response. */
export function parseExamples(markdown: string): Example[] {
  return [...markdown.matchAll(/^```http\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => {
    const [request = "", response] = block.split(/^(?=HTTP\/1\.1 )/m);
    const { firstLine, headers, body } = parseMessage(request);
    const [method = "", target = ""] = firstLine.split(" ");
    const example = { method, target, headers, body: body || undefined };
    if (response === undefined) return example;
    const { firstLine: statusLine, ...rest } = parseMessage(response);
    return { ...example, response: { status: Number(statusLine.split(" ")[1]), ...rest } };
  });
}

function parseMessage(message: string) {
  const [head = "", ...body] = message.trim().split("\n\n");
  const [firstLine = "", ...lines] = head.split("\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
  return { firstLine, headers, body: body.join("\n\n") };
}
