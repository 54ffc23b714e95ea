import { PassThrough } from "node:stream";

import { onTestFinished } from "vitest";

import { TerminalAnswers } from "../../../src/cli/project/terminal.ts";
import { until } from "../../support/process/process.ts";

/** A person at a terminal. */
export type Person = {
  readonly answers: TerminalAnswers;
  /** Waits until a question is asked again, then types. @default the return key ends it */
  readonly type: (question: string, answer: string, end?: string) => Promise<void>;
  /** Everything on the screen so far. */
  readonly shown: () => string;
};

/** Makes a terminal, which closes with its test, and a person at it. */
export function person(): Person {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = "";
  let read = 0;
  output.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const answers = new TerminalAnswers({ input, output });
  onTestFinished(() => answers.close());
  return {
    answers,
    shown: () => screen,
    type: async (question, answer, end = "\r") => {
      await until(async () => {
        const at = screen.indexOf(question, read);
        if (at < 0) return false;
        read = at + question.length;
        return true;
      });
      input.write(`${answer}${end}`);
    },
  };
}
