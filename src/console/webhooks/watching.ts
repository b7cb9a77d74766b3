/** How often what becomes of deliveries is read again: the log of events tells nothing of them. */
export const watchMs = 3_000;
