import { describe, expect, it } from "vitest";

import { recognizing } from "../../testing/checks/recognize.ts";
import { rightAbilities } from "../broken-connectors/right.ts";
import { resultOf, type Changes } from "./result-of.ts";

const { recognize } = rightAbilities;

describe("recognizing", () => {
  it.each([
    [
      "takes its source for another one at once",
      { recognize: async (ask) => ({ ...(await recognize(ask)), differs: "it is unknown" }) },
      "nothing is known to be the same for `recognize`; came another one, as `differs` says: it is unknown",
    ],
    [
      "begins anew with what it read itself",
      {
        recognize: async (ask) => {
          return { ...(await recognize(ask)), beginsAnew: ask.known !== undefined };
        },
      },
      "a source that was read to be the same for `recognize`; came `beginsAnew`",
    ],
    [
      "knows no position but none",
      {
        recognize: async (ask) => {
          const differs = ask.position === undefined ? undefined : "it was read";
          return { ...(await recognize(ask)), differs };
        },
      },
      "a source that was read to be the same",
    ],
    [
      "counts its rows",
      {
        recognize: async (ask) => {
          const { rows } = await rightAbilities.measure({ ...ask, from: undefined, to: undefined });
          const differs = rows > 10 ? "it has grown" : undefined;
          return { ...(await recognize(ask)), differs };
        },
      },
      "a source that has more rows since then to be the same",
    ],
    [
      "keeps the second it was asked in",
      {
        recognize: async ({ known: kept }) => {
          const second = Math.floor(Date.now() / 1_000);
          const differs = kept === undefined || kept === second ? undefined : "it is another time";
          return { identity: second, shown: "rows", differs };
        },
      },
      // The identity stays the same within a second, except for one that ends just between the first two questions.
      "that was read",
    ],
    [
      "keeps what JSON does not hold",
      {
        recognize: async (ask) => ({ ...(await recognize(ask)), identity: { rows: Number.NaN } }),
      },
      "an identity that JSON keeps as it is",
    ],
    [
      "calls its source nothing",
      { recognize: async (ask) => ({ ...(await recognize(ask)), shown: " " }) },
      "what a person calls the source in `shown`; came nothing",
    ],
    [
      "throws on what another version kept",
      {
        recognize: async (ask) => {
          if (Array.isArray(ask.known)) throw new TypeError("known.server is not a function");
          return await recognize(ask);
        },
      },
      "another version may have kept, here `known: []`; came known.server is not a function",
    ],
  ] satisfies [mistake: string, changes: Changes, text: string][])(
    "finds a connector that %s",
    async (_, changes, text) => {
      const { state, text: said } = await resultOf([recognizing], "A9", { changes });
      expect(said).toContain(text);
      expect(state).toBe("failed");
    },
  );
});
