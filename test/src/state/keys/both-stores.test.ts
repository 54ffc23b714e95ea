import * as fc from "fast-check";
import { expect, it } from "vitest";

import { answersOf, anyStep } from "./both-stores.ts";
import { keyImplementations } from "./key-implementations.ts";

/** `npm run prove` plays long histories, and many. */
const histories = 2;

it("every store gives the same answers, whichever process asks", async () => {
  const steps = fc.array(anyStep, { minLength: 10, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const answers = [];
      for (const one of keyImplementations) answers.push(await answersOf(one, all));
      const [first, ...others] = answers;
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: histories },
  );
});
