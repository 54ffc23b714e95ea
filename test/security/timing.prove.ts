import { createHmac, randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { compareSignatures as compareInSandbox } from "../../src/sandbox/upload/signature.ts";
import { compare } from "../../src/security/compare.ts";

type Compare = (given: string, expected: string) => boolean;

const calls = 20_000;

/** Nanoseconds of each of many comparisons, made in turns so that both kinds are subject to the same noise. */
function measure(
  compared: (guess: string) => boolean,
  guesses: readonly [string, string],
): [number[], number[]] {
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < calls; call++) {
    guesses.forEach((guess, kind) => {
      const begun = process.hrtime.bigint();
      compared(guess);
      times[kind]?.push(Number(process.hrtime.bigint() - begun));
    });
  }
  return times;
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

function otherDigit(digit: string): string {
  return digit === "0" ? "1" : "0";
}

const key = randomBytes(2_048).toString("hex");
const signature = createHmac("sha256", "signing key").update("PUT").digest("hex");

describe("how long a key or a signature is compared (T9)", () => {
  it.each<[string, string, Compare]>([
    ["a key in the sandbox", key, compareInSandbox],
    ["a signature in the sandbox", signature, compareInSandbox],
    ["a token of a delivery", key, compare],
    ["a signature of a delivery", signature, compare],
  ])("does not tell how much of %s is right", (_name, secret, compareThem) => {
    const compared = (guess: string): boolean => compareThem(guess, secret);
    const almost = secret.replace(/.$/, otherDigit);
    const nothing = secret.replaceAll(/./g, otherDigit);
    measure(compared, [almost, nothing]);
    const [rightPrefix, wrongPrefix] = measure(compared, [almost, nothing]);
    const difference = Math.abs(quantile(rightPrefix, 0.5) - quantile(wrongPrefix, 0.5));
    // The noise: the spread of the calls of one kind.
    const noise = quantile(wrongPrefix, 0.75) - quantile(wrongPrefix, 0.25);
    expect(difference).toBeLessThan(Math.max(noise, quantile(wrongPrefix, 0.5) * 0.1));
  });

  it.each([
    ["the sandbox", compareInSandbox],
    ["the receiver", compare],
  ])(
    "takes secrets of any length, where timingSafeEqual alone would throw: %s",
    (_, compareThem) => {
      for (const guess of ["", "a", key.slice(1), `${key}0`]) {
        expect(compareThem(guess, key)).toBe(false);
      }
      expect(compareThem(key, key)).toBe(true);
    },
  );
});
