import { afterAll, setDefaultTimeout } from "bun:test";
import { takeBundledWriter } from "./bundled-writer.ts";
import { stopSharedPostgres } from "./database.ts";
import { clearEnvironment } from "./environment.ts";
import { testLimitMs } from "./time-limit.ts";

clearEnvironment();
takeBundledWriter();
setDefaultTimeout(testLimitMs);

afterAll(stopSharedPostgres);
