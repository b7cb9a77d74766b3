import { afterAll } from "bun:test";
import { stopSharedPostgres } from "./database.ts";

afterAll(stopSharedPostgres);
