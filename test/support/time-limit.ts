/** Time limit of a test. Only a test that hangs reaches this limit, even on a slow or busy machine. */
export const testLimitMs = 300_000;
