import type { z } from "zod";

import { membersOf } from "../schema/members.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * The message for a value that a schema refuses, where the schema has no words of its own. Never shows the value, which
 * may come from a variable. Empty for issues that contain others, whose words are used, and for missing values.
 */
export function wordingOf(issue: z.core.$ZodRawIssue): string {
  if (isOfWrongValue(issue) && issue.input === undefined) return "";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindNamed(issue.expected)}${notOf(issue.input, issue.expected)}`;
    case "invalid_value":
      return oneOf(issue.values, issue.input);
    case "invalid_union":
      return Array.isArray(issue.options)
        ? oneOf(issue.options, membersOf(issue.input)[String(issue.discriminator)])
        : "";
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return `must be ${issue.inclusive === false ? "below" : "at most"} ${amount(issue.maximum, issue.origin)}`;
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}`;
    case "invalid_format":
      return `is not a valid ${issue.format}`;
    case "custom":
      return "is not allowed here";
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    default:
      return "";
  }
}

/** Whether a value is of the wrong kind or not one of the allowed values, as a missing value is. */
export function isOfWrongValue({ code }: Pick<z.core.$ZodRawIssue, "code">): boolean {
  return code === "invalid_type" || code === "invalid_value";
}

/** A kind of value as a person who writes YAML calls it. */
export function kindNamed(expected: string): string {
  return kinds.get(expected) ?? expected;
}

/** The kind of a value, in the same words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (typeof value === "object" && !Array.isArray(value)) return "a mapping";
  return kindNamed(Array.isArray(value) ? "array" : typeof value);
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["tuple", "a list"],
  ["object", "a mapping such as { name: value }"],
  ["record", "a mapping such as { name: value }"],
]);

/** Says what a value is instead; empty when that would only repeat what it must be. */
function notOf(input: unknown, expected: string): string {
  if (typeof input !== "number") return `, not ${kindOf(input)}`;
  if (expected === "int") return "";
  return Number.isFinite(input) ? ", not a number" : `, not ${String(input)}`;
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const listed = values.map(String).join(", ");
  const needed = `must be ${values.length === 1 ? "" : "one of "}${listed}`;
  if (!values.some((value) => typeof value === typeof input))
    return `${needed}, not ${kindOf(input)}`;
  return typeof input === "string" ? needed + didYouMean(input, values.map(String)) : needed;
}

function tooSmall(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const { minimum, origin } = issue;
  if (units.has(origin) && minimum === 1) return "must not be empty";
  return `must be ${issue.inclusive === false ? "above" : "at least"} ${amount(minimum, origin)}`;
}

const units: ReadonlyMap<string, string> = new Map([
  ["string", "character"],
  ["array", "item"],
]);

function amount(bound: number | bigint, origin: string): string {
  const unit = units.get(origin);
  if (unit === undefined) return String(bound);
  return `${String(bound)} ${unit}${bound === 1 ? "" : "s"} long`;
}
