import { inspect } from "node:util";

/** A pre-signed address that is never printed whole: String(), JSON and inspect show only its origin. */
export class SignedUrl {
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = new URL(url);
  }

  /** The address itself; called only where the file is sent. */
  reveal(): URL {
    return new URL(this.#url);
  }

  /** Host and port, fit to be shown. */
  get host(): string {
    return this.#url.host;
  }

  toString(): string {
    return `${this.#url.origin}/[signed]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
