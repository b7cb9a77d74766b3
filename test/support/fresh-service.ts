import { test } from "bun:test";
import { startService, type TestService } from "./service.ts";

export function testFresh(title: string, run: (service: TestService) => Promise<void>): void {
  test(title, async () => {
    await using service = await startService();
    await run(service);
  });
}
