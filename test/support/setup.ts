import { afterAll, setDefaultTimeout } from "bun:test";
import { installBundledWriter } from "./bundled-writer.ts";
import { stopSharedPostgres } from "./database.ts";
import { clearEnvironment } from "./environment.ts";
import { testLimitMs } from "./time-limit.ts";

clearEnvironment();
installBundledWriter();
setDefaultTimeout(testLimitMs);

afterAll(stopSharedPostgres);
