import { afterAll, setDefaultTimeout } from "bun:test";
import { stopSharedPostgres } from "./database.ts";
import { clearEnvironment } from "./environment.ts";
import { testLimitMs } from "./time-limit.ts";

clearEnvironment();
setDefaultTimeout(testLimitMs);

afterAll(stopSharedPostgres);
