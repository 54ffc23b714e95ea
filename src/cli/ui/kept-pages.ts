/** How long a page that was looked up is shown to others who ask for the same, in ms: no page is older than that. */
const keptMs = 1_000;

/** How many different pages are looked up at once: the pages must not slow a worker beside them. */
const looksMax = 2;

/** How many different pages wait for that; whoever asks for more has to come again. */
const waitingMax = 64;

/** A page that is being looked up, or was a moment ago. */
type Kept<Page> = { readonly page: Promise<Page>; readonly untilMs: number };

/**
 * Looks up a page once for all who ask for it at the same time, and only a few pages at once: a thousand requests cost
 * hardly more than one.
 */
export class KeptPages<Page> {
  readonly #kept = new Map<string, Kept<Page>>();
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  #looks = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The page of a name; undefined if too many others wait. */
  get(name: string, look: () => Promise<Page>): Promise<Page> | undefined {
    for (const [old, { untilMs }] of this.#kept) if (untilMs <= this.#now()) this.#kept.delete(old);
    const known = this.#kept.get(name);
    if (known !== undefined) return known.page;
    if (this.#waiting.length >= waitingMax) return undefined;
    const page = this.#inTurn(look);
    // Kept until it is there, however long that takes.
    this.#kept.set(name, { page, untilMs: Infinity });
    const settle = (ms: number) => (): void => {
      this.#kept.set(name, { page, untilMs: this.#now() + ms });
    };
    page.then(settle(keptMs), settle(0));
    return page;
  }

  async #inTurn(look: () => Promise<Page>): Promise<Page> {
    if (this.#looks >= looksMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#looks += 1;
    try {
      return await look();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#looks -= 1;
      else next();
    }
  }
}
