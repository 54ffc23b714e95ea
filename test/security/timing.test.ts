import { createHmac, randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { compare } from "../../src/sandbox/signature.ts";

const calls = 20_000;

/** Nanoseconds of each of many comparisons, taken in turns so that both kinds meet the same noise. */
function measure(secret: string, guesses: readonly [string, string]): [number[], number[]] {
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < calls; call++) {
    guesses.forEach((guess, kind) => {
      const begun = process.hrtime.bigint();
      compare(guess, secret);
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
  it.each([
    ["a key", key],
    ["a signature", signature],
  ])("does not tell how much of %s is right", (_name, secret) => {
    const almost = secret.replace(/.$/, otherDigit);
    const nothing = secret.replaceAll(/./g, otherDigit);
    measure(secret, [almost, nothing]);
    const [rightPrefix, wrongPrefix] = measure(secret, [almost, nothing]);
    const difference = Math.abs(quantile(rightPrefix, 0.5) - quantile(wrongPrefix, 0.5));
    // The noise: how far apart the calls of one kind lie.
    const noise = quantile(wrongPrefix, 0.75) - quantile(wrongPrefix, 0.25);
    expect(difference).toBeLessThan(Math.max(noise, quantile(wrongPrefix, 0.5) * 0.1));
  });

  it("takes secrets of any length, where timingSafeEqual alone would throw", () => {
    for (const guess of ["", "a", key.slice(1), `${key}0`]) expect(compare(guess, key)).toBe(false);
    expect(compare(key, key)).toBe(true);
  });
});
