import * as fc from "fast-check";
import { expect, it } from "vitest";

import { answersOf, anyStep } from "./both-stores.ts";
import { keyImplementations } from "./key-implementations.ts";

it("every store gives the same answers over long histories, whichever process asks", async () => {
  const steps = fc.array(anyStep, { minLength: 20, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const answers = [];
      for (const one of keyImplementations) answers.push(await answersOf(one, all));
      const [first, ...others] = answers;
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 100, endOnFailure: true },
  );
}, 1_800_000);
