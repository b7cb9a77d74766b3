/** Milliseconds since 1970; given to whatever depends on the time, so that tests can choose it. */
export type Clock = () => number;
