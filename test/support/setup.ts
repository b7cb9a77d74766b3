import { afterAll, setDefaultTimeout } from "bun:test";
import { stopSharedPostgres } from "./database.ts";
import { testLimitMs } from "./time-limit.ts";

setDefaultTimeout(testLimitMs);

afterAll(stopSharedPostgres);
