import { existsSync, readFileSync } from "node:fs";
import { durationBounds, type Registry } from "./registry.ts";

/** Returns a function that stops measuring. */
export function measureProcess(metrics: Registry, build: Readonly<Record<string, string>>): () => void {
  const startedAt = Date.now() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    metrics.watch("gauge", name, help, read);
  metrics.watch("gauge", "build_info", "Version of the program and of Bun, in the labels.", () => [[build, 1]]);
  gauge("process_start_time_seconds", "Start time of the process since 1970.", () => startedAt);
  metrics.watch("counter", "process_cpu_seconds_total", "User and system CPU time of the process.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  gauge("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss());
  gauge("process_virtual_memory_bytes", "Virtual memory of the process.", readVirtualMemory);
  gauge("process_heap_bytes", "Heap memory in use.", () => process.memoryUsage().heapUsed);
  return measureEventLoop(metrics);
}

function readVirtualMemory(): number | undefined {
  const statusFile = "/proc/self/status";
  if (!existsSync(statusFile)) return undefined;
  return Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync(statusFile, "utf8"))?.[1]) * 1024;
}

/** Measures how late a timer fires, because a blocked event loop delays timers and requests alike. */
function measureEventLoop(metrics: Registry): () => void {
  const help = "Lateness of a timer of the event loop that fires ten times a second.";
  const delays = metrics.histogram("event_loop_delay_seconds", help, durationBounds).with();
  const intervalMs = 100;
  let dueAt = performance.now() + intervalMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - dueAt) / 1000);
    dueAt = now + intervalMs;
  }, intervalMs);
  return () => clearInterval(timer);
}
