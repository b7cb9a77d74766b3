/** A request and its answer, as a guide shows them. */
export interface Example {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** The examples of a guide: each block of HTTP holds a request, an empty line and its answer. */
export function examplesIn(markdown: string): Example[] {
  return [...markdown.matchAll(/^```http\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => {
    const [request = "", answer] = block.split(/^(?=HTTP\/1\.1 )/m);
    const [[first = ""], headers, body] = parts(request);
    const [method = "", target = ""] = first.split(" ");
    if (answer === undefined) return { method, target, headers, body: body || undefined };
    const [[status = ""], answerHeaders, answerBody] = parts(answer);
    return {
      method,
      target,
      headers,
      body: body || undefined,
      answer: { status: Number(status.split(" ")[1]), headers: answerHeaders, body: answerBody },
    };
  });
}

function parts(message: string): [string[], Record<string, string>, string] {
  const [head = "", ...body] = message.trim().split("\n\n");
  const [first = "", ...lines] = head.split("\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
  return [[first], headers, body.join("\n\n")];
}
