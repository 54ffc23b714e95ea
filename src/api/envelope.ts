import { z } from "zod";

import type { RefusedRecord } from "../errors.ts";
import { foreignTextCharsMax } from "./limits.ts";

/** One issue of a 422: the place that it points to and its kind. Its text is left out, because it may quote a value. */
export type Issue = {
  /** Path from the body to the offending member. */
  readonly loc: readonly (string | number)[];
  /** The service's name for the fault: "missing". */
  readonly type: string;
};

/** The content of an error answer, whichever envelope it came in. */
export type Envelope = {
  /** The text for people; undefined when none can be read. */
  readonly message?: string | undefined;
  readonly issues: readonly Issue[];
  /** The `Code` of an object store's XML; its message is left out, because it echoes the signature. */
  readonly storageCode?: string | undefined;
};

const messageEnvelope = z.object({
  message: z.string(),
  details: z.string().optional().catch(undefined),
});
const detailEnvelope = z.object({
  detail: z.union([
    z.string(),
    z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), type: z.string() })),
  ]),
});
const storageCode = /<Code>([A-Za-z0-9]{1,64})<\/Code>/;

/**
 * Reads an error answer in either of the service's envelopes or an object store's; anything else is an empty
 * envelope.
 */
export function readEnvelope(text: string): Envelope {
  const json = parseJson(text);
  const plain = messageEnvelope.safeParse(json);
  if (plain.success) {
    const { message, details } = plain.data;
    return { message: details === undefined ? message : `${message} (${details})`, issues: [] };
  }
  const detailed = detailEnvelope.safeParse(json);
  if (detailed.success) {
    const { detail } = detailed.data;
    return typeof detail === "string" ? { message: detail, issues: [] } : { issues: detail };
  }
  return { issues: [], storageCode: storageCode.exec(text)?.[1] };
}

/** Parses JSON; returns undefined for any other text, because the error of JSON.parse would quote it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a 429 means that the credits are used up, so that waiting does not help. */
export function saysCreditsExhausted({ message = "" }: Envelope): boolean {
  return (
    /\bcredits?\b/i.test(message) &&
    /exhaust|used up|deplet|insufficient|no more|run out/i.test(message)
  );
}

/**
 * The records that a 422 names: `loc` begins with `prefix` and an index. Empty when it names none, or when any index is
 * outside the part, because then the service means something other than what was sent.
 */
export function refusedRecords(
  issues: readonly Issue[],
  prefix: readonly string[],
  records: number,
): readonly RefusedRecord[] {
  const refused = new Map<number, RefusedRecord>();
  for (const { loc } of issues) {
    const index = loc[prefix.length];
    if (!prefix.every((name, at) => loc[at] === name) || typeof index !== "number") continue;
    if (!Number.isInteger(index) || index < 0 || index >= records) return [];
    const path = loc.slice(prefix.length + 1).join(".");
    if (!refused.has(index))
      refused.set(index, { index, field: path === "" ? undefined : quoteForeign(path) });
  }
  return [...refused.values()];
}

/** Makes a foreign text fit to be shown: cuts it, and escapes characters that could control a terminal or a log. */
export function quoteForeign(text: string): string {
  const cut = text.length > foreignTextCharsMax ? `${text.slice(0, foreignTextCharsMax)}…` : text;
  return cut
    .toWellFormed()
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
}
