import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pages } from "../../dist/pages.ts";
import { rawRequest } from "../support/raw.ts";
import { startService } from "../support/service.ts";

