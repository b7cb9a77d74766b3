import { afterAll, setDefaultTimeout } from "bun:test";
import { stopSharedPostgres } from "./database.ts";

// Only what hangs takes so long, however slow or busy the machine is.
setDefaultTimeout(300_000);

afterAll(stopSharedPostgres);
