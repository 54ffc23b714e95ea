import { ConfigError } from "../../errors.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";

/** An option of `sluice init` that answers a question. */
export type Flag =
  | "connector"
  | "path"
  | "url-env"
  | "table"
  | "stream"
  | "id"
  | "domain"
  | "email"
  | "schedule"
  | "time-zone"
  | "column-zone";

/** A choice as a person can see it whole: `id ` in quotes, for the sake of its blank. */
export function shownChoice(choice: string): string {
  return choice.trim() === choice ? plainText(choice) : plainJson(choice);
}

/** Something that must be known before a project can be made. */
export type Question<Value> = {
  readonly flag: Flag;
  /** What is asked for, without a question mark. */
  readonly text: string;
  /** Taken when nothing is given. */
  readonly fallback?: string | undefined;
  /** The answers there are, for a person to see; undefined when there are too many to list. */
  readonly choices?: readonly string[] | undefined;
  /** What an answer means. @throws {SluiceError} nothing: its text says why. */
  readonly parse: (answer: string) => Value | Promise<Value>;
};

/** The value of a variable that is not set. */
export type SecretQuestion<Value> = Pick<Question<Value>, "text" | "parse"> & {
  readonly variable: string;
};

/** Whoever answers: a person at a terminal, or the command line alone. */
export interface Answers {
  /** @throws {SluiceError} there is no answer, or a wrong one and nobody to ask again. */
  ask<Value>(question: Question<Value>): Promise<Value>;
  /** As `ask`, for what must not be seen. */
  askSecret<Value>(question: SecretQuestion<Value>): Promise<Value>;
  /** Whether a question was answered by its fallback. */
  isGuess(flag: Flag): boolean;
}

/** Answers from options; nobody is asked anything. */
export class FlagAnswers implements Answers {
  readonly #given: ReadonlyMap<Flag, string>;
  readonly #asked = new Set<Flag>();

  constructor(given: ReadonlyMap<Flag, string>) {
    this.#given = given;
  }

  async ask<Value>({ flag, text, fallback, choices, parse }: Question<Value>): Promise<Value> {
    this.#asked.add(flag);
    const answer = this.#given.get(flag) ?? fallback;
    if (answer !== undefined) return await parse(answer);
    throw new ConfigError(`--${flag} is missing: ${text}`, {
      field: `--${flag}`,
      hint: choices === undefined ? undefined : `one of: ${choices.map(shownChoice).join(", ")}`,
    });
  }

  async askSecret<Value>({ variable }: SecretQuestion<Value>): Promise<Value> {
    throw new ConfigError(`variable ${variable} is not set`, {
      field: "--url-env",
      hint: "Set it in the environment, or in a file .env in this folder.",
    });
  }

  isGuess(flag: Flag): boolean {
    return !this.#given.has(flag);
  }

  /** @throws {ConfigError} an option was given that answers nothing here. */
  assertAllUsed(): void {
    const unused = [...this.#given.keys()].filter((flag) => !this.#asked.has(flag));
    if (unused.length === 0) return;
    const names = unused.map((flag) => `--${flag}`).join(", ");
    throw new ConfigError(`${names}: nothing here asks for it`, { hint: "Leave it out." });
  }
}
