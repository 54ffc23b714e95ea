import { z } from "zod";

import type { RefusedRecord } from "../errors.ts";
import { foreignTextCharsMax } from "./limits.ts";

/**
 * One complaint of a 422: where it points at and what kind it is. Its text is left out, because it may quote
 * a value.
 */
export type Issue = {
  /** Path from the body to the offending member. */
  readonly loc: readonly (string | number)[];
  /** The service's name of the fault: "missing". */
  readonly type: string;
};

/** What an error answer says, whichever of its envelopes it came in. */
export type Envelope = {
  /** The text for people; undefined when there is none that can be read. */
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

/** JSON.parse that gives undefined for what is not JSON; its own error would quote the text. */
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
 * The records a 422 names: `loc` begins with `prefix` and an index. Empty when it names none, or when any index lies
 * outside the part, because then the service speaks of something else than what was sent.
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

/** A foreign text fit to be shown: cut, and without a character that could steer a terminal or a log. */
export function quoteForeign(text: string): string {
  const cut = text.length > foreignTextCharsMax ? `${text.slice(0, foreignTextCharsMax)}…` : text;
  return cut
    .toWellFormed()
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
}
