import { z } from "zod";

import type { Written } from "../../../connectors/contract/connector.ts";
import { connected } from "../right-connection.ts";
import { rightAbilities, rightSource } from "../right.ts";
import type { Broken } from "./broken.ts";

function isWritten(answer: Written): boolean {
  return "done" in answer && answer.done === "written";
}

/** Mistakes in writing values back. */
export const writeMistakes: readonly Broken[] = [
  {
    name: "answers in another order",
    what: "answers with `write` first for what was written, and then for the rest",
    check: "A6",
    make: () =>
      rightSource({
        write: async (ask) => {
          const answers = await rightAbilities.write(ask);
          return [...answers.filter(isWritten), ...answers.filter((one) => !isWritten(one))];
        },
      }),
  },
  {
    name: "missing as written",
    what: "says of rows that are not there that they were written",
    check: "A6",
    make: () =>
      rightSource({
        write: async (ask) => {
          const answers = await rightAbilities.write(ask);
          return answers.map((answer) =>
            "done" in answer && answer.done === "missing" ? { done: "written" } : answer,
          );
        },
      }),
  },
  {
    name: "written again",
    what: "writes rows that have their values already",
    check: "A6",
    make: () =>
      rightSource({
        write: async (ask) => {
          const wanted = ask.patches.map(({ key, set }) => {
            return {
              id: z.string().parse(key["id"]),
              text: z.string().nullable().parse(set["text"]),
            };
          });
          const { found } = await connected(ask, (one) => one.patch("/rows", wanted));
          return found.map((isThere) => ({ done: isThere ? "written" : "missing" }));
        },
      }),
  },
  {
    name: "null written as empty",
    what: "writes an empty text where null is to stand",
    check: "A6",
    make: () =>
      rightSource({
        write: async (ask) => {
          const patches = ask.patches.map(({ key, set }) => {
            return { key, set: { text: set["text"] ?? "" } };
          });
          return await rightAbilities.write({ ...ask, patches });
        },
      }),
  },
  {
    name: "one for all",
    what: "gives every row the values of the first patch",
    check: "A6",
    make: () =>
      rightSource({
        write: async (ask) => {
          const set = ask.patches[0]?.set ?? {};
          const patches = ask.patches.map(({ key }) => ({ key, set }));
          return await rightAbilities.write({ ...ask, patches });
        },
      }),
  },
];
