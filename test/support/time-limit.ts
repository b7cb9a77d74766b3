/** Time limit of a test. It guards against hanging, so it is far above what a slow or busy machine needs. */
export const testLimitMs = 300_000;
