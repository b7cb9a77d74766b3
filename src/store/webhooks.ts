/** How many deliveries of each webhook are kept. */
export const mostDeliveries = 100;

/** No lease is given for longer: what ends later was written by a clock that was wrong. */
export const longestLeaseMs = 60_000;
