import { z } from "zod";

import { durationMsMax } from "../limits.ts";

const durationUnits: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 24 * 3_600_000],
]);

const sizeUnits: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ["kb", 1_000],
  ["mb", 1_000_000],
  ["gb", 1_000_000_000],
  ["kib", 1024],
  ["mib", 1024 ** 2],
  ["gib", 1024 ** 3],
]);

/** A setting for a time, `500ms`, `30s`, `5m`, `12h` or `30d`, read as whole milliseconds from 1. */
export function duration(): z.ZodType<number, string> {
  const expected = "must be a duration such as 500ms, 30s, 5m, 12h or 30d";
  return z.string({ error: expected }).transform((text, context) => {
    const ms = parseQuantity(text, durationUnits);
    if (ms === undefined) context.addIssue(expected);
    else if (ms < 1 || ms > durationMsMax) context.addIssue("must be between 1ms and 3650d");
    else return ms;
    return z.NEVER;
  });
}

/** A setting for a number of bytes from 1 to `bytesMax`: `64MiB`, `1MB` (a million) or a plain number. */
export function size(bytesMax: number): z.ZodType<number, string | number> {
  const expected = "must be a size such as 64MiB, 1MB or 2000000";
  return z
    .union([z.string(), z.number()], { error: expected })
    .transform((value, context): number => {
      const bytes = parseQuantity(String(value), sizeUnits);
      if (bytes === undefined) context.addIssue(expected);
      else if (bytes < 1 || bytes > bytesMax) {
        context.addIssue(`must be between 1 and ${String(bytesMax)} bytes`);
      } else return bytes;
      return z.NEVER;
    });
}

/** A setting for a share from 0 to 1: `5%` or `0.05`. */
export function share(): z.ZodType<number, string | number> {
  const expected = "must be a share such as 5% or 0.05";
  return z
    .union([z.string(), z.number()], { error: expected })
    .transform((value, context): number => {
      const percent = /^(\d+(?:\.\d+)?) ?%$/.exec(String(value))?.[1];
      const part = percent === undefined ? value : Number(percent) / 100;
      if (typeof part !== "number") context.addIssue(expected);
      else if (part < 0 || part > 1) context.addIssue("must be between 0 and 1, or 0% and 100%");
      else return part;
      return z.NEVER;
    });
}

/** A number with its unit as a whole number of the smallest unit, or undefined when the text is not one. */
function parseQuantity(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = units.get(unit.toLowerCase());
  if (digits === "" || factor === undefined) return undefined;
  // 1.1s is 1100.0000000000002 before rounding: a nearly whole number is meant to be whole.
  const quantity = Number(digits) * factor;
  const whole = Math.round(quantity);
  return Math.abs(quantity - whole) < 1e-6 ? whole : undefined;
}
