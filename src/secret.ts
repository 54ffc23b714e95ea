import { inspect } from "node:util";

/** Stands for a secret wherever it might be printed. */
const hidden = "[secret]";

/** A value that is never printed: String(), JSON and inspect all give "[secret]". */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; called only where it is sent or compared. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}
