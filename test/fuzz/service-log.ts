export interface RequestLine {
  readonly requestId: string;
  readonly operation: string | undefined;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
}

export class ServiceLog {
  readonly problems: string[] = [];
  /** Number of refused requests that the log counts in shared lines. */
  refusalCount = 0;
  readonly #secretPattern: RegExp;
  #partialLine = "";

  constructor(
    secrets: readonly string[],
    readonly onRequest: (line: RequestLine) => void,
  ) {
    // A part of a key counts as a leak, and so does any text that looks like a key or a webhook secret.
    const parts = secrets.flatMap((secret) => secret.match(/.{12}/g) ?? []).filter((part) => !part.startsWith("ask_"));
    this.#secretPattern = new RegExp(
      `ask_[0-9A-Za-z]{12}|whsec_[0-9A-Za-z+/]{12}|${parts.map(RegExp.escape).join("|")}`,
    );
  }

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.#append(decoder.decode(chunk, { stream: true }));
    if (this.#partialLine !== "") this.#addProblem("ends within a line", this.#partialLine);
  }

  #append(text: string): void {
    const lines = (this.#partialLine + text).split("\n");
    this.#partialLine = lines.pop() ?? "";
    for (const line of lines) this.#checkLine(line);
  }

  #checkLine(line: string): void {
    if (this.#secretPattern.test(line)) this.#addProblem("holds a key", line);
    const entry = parseLine(line);
    if (!entry) this.#addProblem("has a line that is not JSON", line);
    else if (!["debug", "info"].includes(String(entry["level"])) && !isExpected(entry))
      this.#addProblem("has a warning or an error", line);
    if (entry?.["message"] === "more requests were refused") this.refusalCount += Number(entry["count"]);
    if (entry?.["message"] === "request") this.onRequest(entry as unknown as RequestLine);
  }

  #addProblem(problem: string, line: string): void {
    if (this.problems.length < maxProblems) this.problems.push(`The log ${problem}: ${line.slice(0, 2_000)}`);
  }
}

const maxProblems = 20;

/** True if a receiver responded with 410, or an export ended because its reader, as many in the fuzzer, had stopped reading. */
function isExpected({ message, reason, transaction }: Record<string, unknown>): boolean {
  if (message === "a webhook was disabled") return reason === "gone";
  const hasSlowReader =
    message === "a read transaction keeps the WAL from being started over" && transaction === "export";
  return hasSlowReader || message === "an export was cut off, because much was written while it was read";
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
