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

/** A choice as a person can see all of it: `id ` in quotes, because of its blank. */
export function shownChoice(choice: string): string {
  return choice.trim() === choice ? plainText(choice) : plainJson(choice);
}

/** Something that must be known before a project can be made. */
export type Question<Value> = {
  readonly flag: Flag;
  /** The question, without a question mark. */
  readonly text: string;
  /** Taken if no answer is given. */
  readonly fallback?: string | undefined;
  /** The possible answers, for a person to see; undefined if there are too many to list. */
  readonly choices?: readonly string[] | undefined;
  /** What to do if nobody can be asked. @default the choices are named */
  readonly hint?: string;
  /** The value of an answer. @throws {SluiceError} it has none; the text says why. */
  readonly parse: (answer: string) => Value | Promise<Value>;
};

/** The members of a question that show whether an answer to it is missing. */
type Needed = Pick<Question<unknown>, "choices" | "fallback" | "flag" | "hint" | "text">;

/** A question for the value of a variable that is not set. */
export type SecretQuestion<Value> = Pick<Question<Value>, "text" | "parse"> & {
  readonly variable: string;
};

/** Where answers come from: a person at a terminal, or only the command line. */
export interface Answers {
  /** @throws {SluiceError} there is no answer, or a wrong one and nobody to ask again. */
  ask<Value>(question: Question<Value>): Promise<Value>;
  /** Checks several at once. @throws {SluiceError} some have no answer, and nobody can be asked; it names them all. */
  assertAnswered(questions: readonly Needed[]): void;
  /** As `ask`, for values that must not be seen. */
  askSecret<Value>(question: SecretQuestion<Value>): Promise<Value>;
  /** Whether a question was answered by its fallback. */
  isGuess(flag: Flag): boolean;
}

/** Answers from options; asks nobody. */
export class FlagAnswers implements Answers {
  readonly #given: ReadonlyMap<Flag, string>;
  readonly #asked = new Set<Flag>();

  constructor(given: ReadonlyMap<Flag, string>) {
    this.#given = given;
  }

  async ask<Value>(question: Question<Value>): Promise<Value> {
    const { flag, fallback, parse } = question;
    this.#asked.add(flag);
    this.assertAnswered([question]);
    return await parse(this.#given.get(flag) ?? fallback ?? "");
  }

  assertAnswered(questions: readonly Needed[]): void {
    const missing = questions.filter(
      ({ flag, fallback }) => (this.#given.get(flag) ?? fallback) === undefined,
    );
    const [first] = missing;
    if (first === undefined) return;
    const { choices } = first;
    const verb = missing.length === 1 ? "is" : "are";
    const flags = missing.map(({ flag }) => `--${flag}`);
    const texts = missing.map(({ text }) => text);
    throw new ConfigError(`${flags.join(", ")} ${verb} missing: ${texts.join("; ")}`, {
      field: flags[0],
      hint: first.hint ?? (choices && `one of: ${choices.map(shownChoice).join(", ")}`),
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

  /** @throws {ConfigError} an option was given that answers no question here. */
  assertAllUsed(): void {
    const unused = [...this.#given.keys()].filter((flag) => !this.#asked.has(flag));
    if (unused.length === 0) return;
    const names = unused.map((flag) => `--${flag}`).join(", ");
    throw new ConfigError(`${names}: nothing here asks for it`, { hint: "Leave it out." });
  }
}
