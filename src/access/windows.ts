/** Counts by name, in windows of time that each start with the first that is counted in them. */
export class Windows<Name> {
  readonly #windows = new Map<Name, Window>();

  /** Memory is bounded if `most` is given: then the oldest window is forgotten. */
  constructor(
    readonly lengthMs: number,
    readonly most = Number.POSITIVE_INFINITY,
  ) {}

  /** Counts one more, and returns the window that it is counted in. */
  count(name: Name, now: number): Window {
    let window = this.find(name, now);
    if (!window) {
      window = { end: now + this.lengthMs, used: 0 };
      this.#remember(name, window);
    }
    window.used++;
    return window;
  }

  /** The current window of the name, if anything was counted in it. */
  find(name: Name, now: number): Window | undefined {
    const window = this.#windows.get(name);
    return window && now < window.end ? window : undefined;
  }

  #remember(name: Name, window: Window): void {
    this.#windows.delete(name);
    this.#windows.set(name, window);
    if (this.#windows.size <= this.most) return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}

export interface Window {
  readonly end: number;
  used: number;
  /** The different things that were counted, where the same one counts once. */
  items?: Set<string>;
}
