import { durationBounds, type Registry } from "./registry.ts";

/** Registers the metrics that any process has. Returns a function that stops measuring. */
export function measureProcess(metrics: Registry, build: Readonly<Record<string, string>>): () => void {
  const startedAt = Date.now() / 1000 - process.uptime();
  metrics.watch("gauge", "build_info", "Which program this is, in its labels.", () => [[build, 1]]);
  metrics.watch("gauge", "process_start_time_seconds", "When the process was started, since 1970.", () => startedAt);
  metrics.watch("counter", "process_cpu_seconds_total", "Processor time that the process has used.", () => {
    const { user, system } = process.cpuUsage();
    return [
      [{ mode: "user" }, user / microsecondsPerSecond],
      [{ mode: "system" }, system / microsecondsPerSecond],
    ];
  });
  metrics.watch("gauge", "process_resident_memory_bytes", "Memory of the machine that the process has.", () =>
    process.memoryUsage.rss(),
  );
  metrics.watch("gauge", "process_heap_bytes", "Memory that the objects of the program take.", () => {
    return process.memoryUsage().heapUsed;
  });
  return measureEventLoop(metrics);
}

/** A timer that comes late has waited for something that held up everybody else as well. */
function measureEventLoop(metrics: Registry): () => void {
  const help = "How late a timer of the event loop came, which is asked ten times a second.";
  const delay = metrics.histogram("event_loop_delay_seconds", help, durationBounds).with();
  let due = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + sampleEveryMs;
  }, sampleEveryMs);
  return () => clearInterval(timer);
}

const sampleEveryMs = 100;
const microsecondsPerSecond = 1_000_000;
