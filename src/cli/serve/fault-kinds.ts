import { z } from "zod";

import { duration, size } from "../../config/units.ts";
import { timerMsMax, uploadBytesMax } from "../../limits.ts";
import {
  badCursors,
  type Fault,
  type FaultAction,
  type FaultName,
  metaMembers,
  pageShifts,
  type Step,
  steps,
  unsafeUrls,
} from "../../sandbox/faults.ts";

const count = z.int().min(1);
const bodyBytes = size(uploadBytesMax);
const answerBytes = z.int().min(0);
const pause = duration().refine((ms) => ms <= timerMsMax, "must be at most 24d");

const answer = {
  status: z.int().min(200).max(599),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "is not the name of a header"),
      z
        .union([z.string(), z.number()])
        .transform(String)
        .refine((value) => /^[\t\x20-\x7e]*$/.test(value), "must be printable ASCII"),
    )
    .optional(),
  body: z.unknown().optional(),
};

const paged: readonly Step[] = ["search", "enrich"];
const withBody: readonly Step[] = steps.filter((step) => step !== "ping");

/** Where a fault can happen that cannot happen everywhere. */
const places: Partial<Record<FaultName, readonly Step[]>> = {
  "answer-and-close": withBody,
  "early-200": ["put"],
  reset: withBody,
  "stop-reading": withBody,
  "expire-url": ["generate-upload-url", "put"],
  "unsafe-url": ["generate-upload-url"],
  "same-key": ["generate-upload-url"],
  "not-found-yet": ["confirm-upload"],
  "bad-cursor": paged,
  "missing-meta": paged,
  "false-total": paged,
  "empty-page": paged,
  "shift-page": paged,
  "poison-item": paged,
};

/** The steps that a fault can happen to. */
export function stepsOf(name: FaultName): readonly Step[] {
  return places[name] ?? steps;
}

/** What every fault of a script may say of itself: where it happens, and when. */
function order(name: FaultName) {
  const where = stepsOf(name);
  return z.strictObject({
    do: z.literal(name),
    step: z
      .enum(steps)
      .refine((step) => where.includes(step), `"${name}" is for ${where.join(", ")} only`),
    times: count.optional(),
    after: z.int().min(0).optional(),
    one_in: count.optional(),
    for: duration().optional(),
  });
}

function toFault(given: z.output<ReturnType<typeof order>>, action: FaultAction): Fault {
  const { step, times, after, one_in: oneIn, for: forMs } = given;
  return { step, times, after, oneIn, forMs, do: action };
}

/** Every fault that a script can order: what it is called and does, one item of `faults` that orders it, and how that is read. */
export const faultKinds = [
  {
    name: "answer",
    summary: "The answer is this one; its body is an error in the step's envelope unless given.",
    example:
      "{ step: upload-json, do: answer, status: 429, headers: { retry-after: 3 }, for: 30s }",
    schema: order("answer")
      .extend(answer)
      .transform((given) => toFault(given, answerOf(given))),
  },
  {
    name: "answer-and-close",
    summary: "The same, but the body is left unread and the connection closes at once.",
    example: "{ step: put, do: answer-and-close, status: 403 }",
    schema: order("answer-and-close")
      .extend(answer)
      .transform((given) => toFault(given, { closeAfter: answerOf(given) })),
  },
  {
    name: "early-200",
    summary:
      "200 before the file is read, and nothing is stored; then the connection closes, or with `leave` stays.",
    example: "{ step: put, do: early-200, connection: close }",
    schema: order("early-200")
      .extend({ connection: z.enum(["close", "leave"]).default("close") })
      .transform((given) => toFault(given, { early200: given.connection })),
  },
  {
    name: "delay",
    summary: "The request waits so long before it is done.",
    example: "{ step: put, do: delay, by: 200ms }",
    schema: order("delay")
      .extend({ by: pause })
      .transform((given) => toFault(given, { delayMs: given.by })),
  },
  {
    name: "hold",
    summary:
      "The request is read whole and done so long after, also when its client did not wait for the answer.",
    example: "{ step: confirm-upload, do: hold, by: 200ms }",
    schema: order("hold")
      .extend({ by: pause })
      .transform((given) => toFault(given, { holdMs: given.by })),
  },
  {
    name: "reset",
    summary: "The connection is reset when so many bytes of the body were read.",
    example: "{ step: put, do: reset, at: 64KiB }",
    schema: order("reset")
      .extend({ at: bodyBytes })
      .transform((given) => toFault(given, { resetAt: given.at })),
  },
  {
    name: "stop-reading",
    summary: "No more than about so many bytes of the body are read, and nothing is answered.",
    example: "{ step: put, do: stop-reading, at: 64KiB }",
    schema: order("stop-reading")
      .extend({ at: bodyBytes })
      .transform((given) => toFault(given, { stopReadingAt: given.at })),
  },
  {
    name: "drop-request",
    summary: "The request is read, and the connection closes before anything is applied.",
    example: "{ step: upload-json, do: drop-request, times: 2 }",
    schema: order("drop-request").transform((given) => toFault(given, { dropRequest: true })),
  },
  {
    name: "drop-reply",
    summary: "The request is done, and the connection closes before the answer.",
    example: "{ step: confirm-upload, do: drop-reply }",
    schema: order("drop-reply").transform((given) => toFault(given, { dropReply: true })),
  },
  {
    name: "no-answer",
    summary: "The request is done, and the connection stays open without an answer.",
    example: "{ step: upload-json, do: no-answer }",
    schema: order("no-answer").transform((given) => toFault(given, { noAnswer: true })),
  },
  {
    name: "cut-answer",
    summary:
      "The request is done; the answer's body ends after so many bytes, short of the length it told or, with `close`, without one.",
    example: "{ step: confirm-upload, do: cut-answer, at: 10, framing: close }",
    schema: order("cut-answer")
      .extend({
        at: answerBytes.default(0),
        framing: z.enum(["length", "close"]).default("length"),
      })
      .transform((given) => toFault(given, { cutAt: given.at, framing: given.framing })),
  },
  {
    name: "drip",
    summary: "The request is done; the answer's body comes byte by byte, so long apart.",
    example: "{ step: ping, do: drip, every: 20ms }",
    schema: order("drip")
      .extend({ every: pause })
      .transform((given) => toFault(given, { dripMs: given.every })),
  },
  {
    name: "stall",
    summary: "The request is done; so many bytes of the answer's body come, then no more.",
    example: "{ step: confirm-upload, do: stall, at: 5 }",
    schema: order("stall")
      .extend({ at: answerBytes.default(0) })
      .transform((given) => toFault(given, { stallAt: given.at })),
  },
  {
    name: "wrong-json",
    summary: "The request is done; the answer is JSON of another shape.",
    example: "{ step: upload-json, do: wrong-json }",
    schema: order("wrong-json").transform((given) => toFault(given, { garble: "wrong-json" })),
  },
  {
    name: "not-json",
    summary: "The request is done; the answer says that it is JSON, and breaks off.",
    example: "{ step: confirm-upload, do: not-json }",
    schema: order("not-json").transform((given) => toFault(given, { garble: "not-json" })),
  },
  {
    name: "html",
    summary: "The request is done; the answer is a page of HTML.",
    example: "{ step: ping, do: html }",
    schema: order("html").transform((given) => toFault(given, { garble: "html" })),
  },
  {
    name: "expire-url",
    summary: "The upload address given has expired, or a PUT finds its address expired.",
    example: "{ step: generate-upload-url, do: expire-url }",
    schema: order("expire-url").transform((given) => toFault(given, { expireUrl: true })),
  },
  {
    name: "unsafe-url",
    summary: `The upload address given is one not to send to: ${unsafeUrls.join(", ")}.`,
    example: "{ step: generate-upload-url, do: unsafe-url, address: private-address }",
    schema: order("unsafe-url")
      .extend({ address: z.enum(unsafeUrls) })
      .transform((given) => toFault(given, { unsafeUrl: given.address })),
  },
  {
    name: "same-key",
    summary: "The file key given is the one that was last given for the stream, if there was one.",
    example: "{ step: generate-upload-url, do: same-key, after: 1 }",
    schema: order("same-key").transform((given) => toFault(given, { sameKey: true })),
  },
  {
    name: "not-found-yet",
    summary: "A confirm is answered 404 until so much time has passed since the PUT.",
    example: "{ step: confirm-upload, do: not-found-yet, within: 2s, one_in: 1 }",
    schema: order("not-found-yet")
      .extend({ within: duration() })
      .transform((given) => toFault(given, { notFoundMs: given.within })),
  },
  {
    name: "bad-cursor",
    summary: `The page says that there is a next one, and its cursor is one not to follow: ${badCursors.join(", ")}.`,
    example: "{ step: search, do: bad-cursor, cursor: loop, after: 1 }",
    schema: order("bad-cursor")
      .extend({ cursor: z.enum(badCursors) })
      .transform((given) => toFault(given, { badCursor: given.cursor })),
  },
  {
    name: "missing-meta",
    summary: "The page lacks this member of its meta, or without `member` all of its meta.",
    example: "{ step: enrich, do: missing-meta, member: has_next_page }",
    schema: order("missing-meta")
      .extend({ member: z.enum(metaMembers).optional() })
      .transform((given) => toFault(given, { missingMeta: given.member ?? "all" })),
  },
  {
    name: "false-total",
    summary: "The page's total is so much more than there are, or less.",
    example: "{ step: search, do: false-total, by: -3 }",
    schema: order("false-total")
      .extend({ by: z.int().refine((by) => by !== 0, "must not be 0") })
      .transform((given) => toFault(given, { falseTotal: given.by })),
  },
  {
    name: "empty-page",
    summary: "The page holds nothing; its items come with the cursor that it gives.",
    example: "{ step: search, do: empty-page, times: 3 }",
    schema: order("empty-page").transform((given) => toFault(given, { emptyPage: true })),
  },
  {
    name: "shift-page",
    summary:
      "The page begins one item away, as when items came or went meanwhile: with one repeated, or one skipped.",
    example: "{ step: search, do: shift-page, item: repeated, after: 1 }",
    schema: order("shift-page")
      .extend({ item: z.enum(pageShifts) })
      .transform((given) => toFault(given, { shiftPage: given.item })),
  },
  {
    name: "poison-item",
    summary: "The item at this place of the page, from 0, is not of the published shape.",
    example: "{ step: search, do: poison-item, at: 2, after: 6 }",
    schema: order("poison-item")
      .extend({ at: z.int().min(0) })
      .transform((given) => toFault(given, { poisonItem: given.at })),
  },
] as const;

function answerOf({ status, headers, body }: z.output<z.ZodObject<typeof answer>>) {
  return { status, headers, body };
}
