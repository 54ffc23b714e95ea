import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";

import { SluiceError } from "../../errors.ts";
import { plainText } from "../../text/plain-text.ts";
import {
  shownChoice,
  type Answers,
  type Flag,
  type Question,
  type SecretQuestion,
} from "./answers.ts";

/** Where a person types, and where they read. */
export type Terminal = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
};

/** Writes to a terminal, except the echo of the keyboard while the input is hidden. */
class Screen extends Writable {
  isHidden = false;
  readonly #output: Terminal["output"];

  constructor(output: Terminal["output"]) {
    super();
    this.#output = output;
  }

  /** Readline reads it, to break long lines. */
  get columns(): number | undefined {
    return this.#output.columns;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    if (!this.isHidden) this.#output.write(chunk);
    done();
  }
}

/** Asks a person until an answer is valid. The interface holds the terminal until it is closed. */
export class TerminalAnswers implements Answers {
  readonly #screen: Screen;
  readonly #lines: Interface;
  readonly #ended = new AbortController();
  readonly #guessed = new Set<Flag>();

  constructor({ input, output }: Terminal) {
    this.#screen = new Screen(output);
    this.#lines = createInterface({ input, output: this.#screen, terminal: true });
    // Ctrl-C and Ctrl-D close it; without this, a question would then wait for ever.
    this.#lines.once("close", () => this.#ended.abort());
  }

  /** Aborts when the person ends the questions. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async ask<Value>(question: Question<Value>): Promise<Value> {
    const { flag, text, fallback, choices, parse } = question;
    if (choices !== undefined) this.#show(`  ${choices.map(shownChoice).join(", ")}`);
    const offer = fallback === undefined ? "" : ` [${shownChoice(fallback)}]`;
    return await this.#until(async () => {
      const typed = await this.#line(`${text}${offer}: `);
      const answer = typed === "" ? fallback : typed;
      if (answer === undefined) return undefined;
      const value = await parse(answer);
      if (typed === "") this.#guessed.add(flag);
      return { value };
    });
  }

  assertAnswered(): void {
    // A person is asked one question after the other.
  }

  async askSecret<Value>({ text, parse }: SecretQuestion<Value>): Promise<Value> {
    return await this.#until(async () => {
      const typed = await this.#line(`${text} (not shown): `, true);
      return typed === "" ? undefined : { value: await parse(typed) };
    });
  }

  isGuess(flag: Flag): boolean {
    return this.#guessed.has(flag);
  }

  /** Gives the terminal back. */
  close(): void {
    this.#lines.close();
  }

  async #until<Value>(
    attempt: () => Promise<{ readonly value: Value } | undefined>,
  ): Promise<Value> {
    for (;;) {
      try {
        const found = await attempt();
        if (found !== undefined) return found.value;
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error;
        const hint = error.hint === undefined ? "" : ` → ${error.hint}`;
        this.#show(`  ${plainText(`${error.message}${hint}`)}`);
      }
    }
  }

  async #line(prompt: string, isHidden = false): Promise<string> {
    const typed = this.#lines.question(prompt, { signal: this.#ended.signal });
    this.#screen.isHidden = isHidden;
    try {
      return (await typed).trim();
    } finally {
      this.#screen.isHidden = false;
      if (isHidden) this.#show("");
    }
  }

  #show(text: string): void {
    this.#screen.write(`${text}\n`);
  }
}
