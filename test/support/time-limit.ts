/** Of a test: only what hangs takes so long, however slow or busy the machine is. */
export const testLimitMs = 300_000;
