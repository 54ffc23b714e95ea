import { z } from "zod";

import { timerMsMax, uploadBytesMax } from "../../limits.ts";
import { type Step, stepOf, steps } from "../steps.ts";

/** The faults that an upload address can have besides its age. */
export const unsafeUrls = ["http", "user-info", "private-address", "other-host"] as const;

/** The faults of the next cursor: the page's own, a smaller one, none, a text, one above 32 bits. */
export const badCursors = ["loop", "shrink", "none", "text", "large"] as const;

/** The members of a page's `meta`, each of which may be absent. */
export const metaMembers = ["limit", "total", "has_next_page", "next_cursor"] as const;

/** The ways in which a page can begin one item away from the end of the page before. */
const pageShifts = ["repeated", "skipped"] as const;

/** The schemas of a script's times, in ms, and of its sizes, in bytes. */
export type Units = {
  readonly duration: () => z.ZodType<number>;
  readonly size: (bytesMax: number) => z.ZodType<number>;
};

/** Where a fault happens, and when. */
export type Occasion = {
  readonly step: Step;
  /** How many requests it hits. @default 1, or unlimited with `oneIn` or `forMs` */
  readonly times?: number | undefined;
  /** How many requests of the step, counted from the order on, pass before it. @default 0 */
  readonly after?: number | undefined;
  /** Hits one in this many requests, drawn by the sandbox's seed; 1 hits all. */
  readonly oneIn?: number | undefined;
  /** How long it lasts, from the first request that it could hit. */
  readonly forMs?: number | undefined;
};

/** The members that every item of a script has. */
function orderOf({ duration }: Units, name: string, at: readonly Step[]) {
  return z.strictObject({
    do: z.literal(name),
    step: z
      .enum(steps)
      .refine((step) => at.includes(step), `"${name}" is for ${at.join(", ")} only`),
    times: z.int().min(1).optional(),
    after: z.int().min(0).optional(),
    one_in: z.int().min(1).optional(),
    for: duration().optional(),
  });
}

type Order = ReturnType<typeof orderOf>;

/** How a kind of fault is described, and how its orders are read. */
type Kind<Script, Action> = {
  /** What the fault does, for people. */
  readonly summary: string;
  /** An item of a script that orders it. */
  readonly example: string;
  /** The steps that it can happen to. @default all */
  readonly at?: readonly Step[];
  /** Adds the kind's own members to an item. */
  readonly script: (order: Order, units: Units) => Script;
  readonly action: (given: z.output<Script>) => Action;
};

/** A kind of fault; `member` is the member of its action by which `faultName` finds the kind. */
function kind<Script extends z.ZodType<z.output<Order>>, const Action extends object>(
  member: string,
  { summary, example, at = steps, script, action }: Kind<Script, Action>,
) {
  const schema = (name: string, units: Units) =>
    script(orderOf(units, name, at), units).transform(
      (given): Occasion & { readonly do: Action } => {
        const { step, times, after, one_in: oneIn, for: forMs } = given;
        return { step, times, after, oneIn, forMs, do: action(given) };
      },
    );
  return { member, summary, example, steps: at, schema };
}

/** A kind without settings. */
function plain<const Action extends object>(
  member: string,
  of: Omit<Kind<Order, Action>, "action" | "script"> & { readonly action: Action },
) {
  return kind(member, { ...of, script: (order: Order) => order, action: () => of.action });
}

function pause({ duration }: Units): z.ZodType<number> {
  return duration().refine((ms) => ms <= timerMsMax, "must be at most 24d");
}

/** A custom answer. A body that is not text is sent as JSON; without a body, it is an error in the step's envelope. */
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
type OrderedAnswer = Readonly<z.output<z.ZodObject<typeof answer>>>;

function answerOf({ status, headers, body }: OrderedAnswer): OrderedAnswer {
  return { status, headers, body };
}

const answerBytes = z.int().min(0);
const withBody = steps.filter((step) => stepOf(step).method !== "GET");
const paged = steps.filter((step) => stepOf(step).isPaged);

/** Faults of the exchange, whatever its step does. */
export const exchangeKinds = {
  answer: kind("status", {
    summary: "The answer is this one; its body is an error in the step's envelope unless given.",
    example:
      "{ step: upload-json, do: answer, status: 429, headers: { retry-after: 3 }, for: 30s }",
    script: (order) => order.extend(answer),
    action: (given) => answerOf(given),
  }),
  "answer-and-close": kind("closeAfter", {
    summary: "The same, but the body is left unread and the connection closes at once.",
    example: "{ step: put, do: answer-and-close, status: 403 }",
    at: withBody,
    script: (order) => order.extend(answer),
    action: (given) => ({ closeAfter: answerOf(given) }),
  }),
  "early-200": kind("early200", {
    summary:
      "200 before the file is read, and nothing is stored; then the connection closes, or with `leave` stays.",
    example: "{ step: put, do: early-200, connection: close }",
    at: ["put"],
    script: (order) => order.extend({ connection: z.enum(["close", "leave"]).default("close") }),
    action: ({ connection }) => ({ early200: connection }),
  }),
  delay: kind("delayMs", {
    summary: "The request waits so long before it is done.",
    example: "{ step: put, do: delay, by: 200ms }",
    script: (order, units) => order.extend({ by: pause(units) }),
    action: ({ by }) => ({ delayMs: by }),
  }),
  hold: kind("holdMs", {
    summary:
      "The request is read whole and done so long after, also when its client did not wait for the answer.",
    example: "{ step: confirm-upload, do: hold, by: 200ms }",
    script: (order, units) => order.extend({ by: pause(units) }),
    action: ({ by }) => ({ holdMs: by }),
  }),
  reset: kind("resetAt", {
    summary: "The connection is reset when so many bytes of the body were read.",
    example: "{ step: put, do: reset, at: 64KiB }",
    at: withBody,
    script: (order, { size }) => order.extend({ at: size(uploadBytesMax) }),
    action: ({ at }) => ({ resetAt: at }),
  }),
  "stop-reading": kind("stopReadingAt", {
    summary: "No more than about so many bytes of the body are read, and nothing is answered.",
    example: "{ step: put, do: stop-reading, at: 64KiB }",
    at: withBody,
    script: (order, { size }) => order.extend({ at: size(uploadBytesMax) }),
    action: ({ at }) => ({ stopReadingAt: at }),
  }),
  "drop-request": plain("dropRequest", {
    summary: "The request is read, and the connection closes before anything is applied.",
    example: "{ step: upload-json, do: drop-request, times: 2 }",
    action: { dropRequest: true },
  }),
  "drop-reply": plain("dropReply", {
    summary: "The request is done, and the connection closes before the answer.",
    example: "{ step: confirm-upload, do: drop-reply }",
    action: { dropReply: true },
  }),
  "no-answer": plain("noAnswer", {
    summary: "The request is done, and the connection stays open without an answer.",
    example: "{ step: upload-json, do: no-answer }",
    action: { noAnswer: true },
  }),
  "cut-answer": kind("cutAt", {
    summary:
      "The request is done; the answer's body ends after so many bytes, short of the length it " +
      "announced or, with `close`, without one.",
    example: "{ step: confirm-upload, do: cut-answer, at: 10, framing: close }",
    script: (order) =>
      order.extend({
        at: answerBytes.default(0),
        framing: z.enum(["length", "close"]).default("length"),
      }),
    action: ({ at, framing }) => ({ cutAt: at, framing }),
  }),
  drip: kind("dripMs", {
    summary: "The request is done; the answer's body comes byte by byte, so long apart.",
    example: "{ step: ping, do: drip, every: 20ms }",
    script: (order, units) => order.extend({ every: pause(units) }),
    action: ({ every }) => ({ dripMs: every }),
  }),
  stall: kind("stallAt", {
    summary: "The request is done; so many bytes of the answer's body come, then no more.",
    example: "{ step: confirm-upload, do: stall, at: 5 }",
    script: (order) => order.extend({ at: answerBytes.default(0) }),
    action: ({ at }) => ({ stallAt: at }),
  }),
  "wrong-json": plain("garble", {
    summary: "The request is done; the answer is JSON of another shape.",
    example: "{ step: upload-json, do: wrong-json }",
    action: { garble: "wrong-json" },
  }),
  "not-json": plain("garble", {
    summary: "The request is done; the answer says that it is JSON, and breaks off.",
    example: "{ step: confirm-upload, do: not-json }",
    action: { garble: "not-json" },
  }),
  html: plain("garble", {
    summary: "The request is done; the answer is a page of HTML.",
    example: "{ step: ping, do: html }",
    action: { garble: "html" },
  }),
};

/** Faults that the steps of an upload carry out themselves, if they have an occasion. */
export const uploadKinds = {
  "expire-url": plain("expireUrl", {
    summary: "The upload address given has expired, or a PUT finds its address expired.",
    example: "{ step: generate-upload-url, do: expire-url }",
    at: ["generate-upload-url", "put"],
    action: { expireUrl: true },
  }),
  "unsafe-url": kind("unsafeUrl", {
    summary: `The upload address given is one not to send to: ${unsafeUrls.join(", ")}.`,
    example: "{ step: generate-upload-url, do: unsafe-url, address: private-address }",
    at: ["generate-upload-url"],
    script: (order) => order.extend({ address: z.enum(unsafeUrls) }),
    action: ({ address }) => ({ unsafeUrl: address }),
  }),
  "same-key": plain("sameKey", {
    summary: "The file key given is the one that was last given for the stream, if there was one.",
    example: "{ step: generate-upload-url, do: same-key, after: 1 }",
    at: ["generate-upload-url"],
    action: { sameKey: true },
  }),
  "not-found-yet": kind("notFoundMs", {
    summary: "A confirm is answered 404 until so much time has passed since the PUT.",
    example: "{ step: confirm-upload, do: not-found-yet, within: 2s, one_in: 1 }",
    at: ["confirm-upload"],
    script: (order, { duration }) => order.extend({ within: duration() }),
    action: ({ within }) => ({ notFoundMs: within }),
  }),
};

/** Faults that the steps with pages carry out themselves, if they have an occasion. */
export const pageKinds = {
  "bad-cursor": kind("badCursor", {
    summary: `The page says that there is a next one, and its cursor is one not to follow: ${badCursors.join(", ")}.`,
    example: "{ step: search, do: bad-cursor, cursor: loop, after: 1 }",
    at: paged,
    script: (order) => order.extend({ cursor: z.enum(badCursors) }),
    action: ({ cursor }) => ({ badCursor: cursor }),
  }),
  "missing-meta": kind("missingMeta", {
    summary: "The page lacks this member of its meta, or without `member` all of its meta.",
    example: "{ step: enrich, do: missing-meta, member: has_next_page }",
    at: paged,
    script: (order) => order.extend({ member: z.enum(metaMembers).optional() }),
    action: ({ member }) => ({ missingMeta: member ?? "all" }),
  }),
  "false-total": kind("falseTotal", {
    summary: "The page's total is so much more than there are, or less.",
    example: "{ step: search, do: false-total, by: -3 }",
    at: paged,
    script: (order) => order.extend({ by: z.int().refine((by) => by !== 0, "must not be 0") }),
    action: ({ by }) => ({ falseTotal: by }),
  }),
  "empty-page": plain("emptyPage", {
    summary: "The page holds nothing; its items come with the cursor that it gives.",
    example: "{ step: search, do: empty-page, times: 3 }",
    at: paged,
    action: { emptyPage: true },
  }),
  "shift-page": kind("shiftPage", {
    summary:
      "The page begins one item away, as when items came or went meanwhile: with one repeated, or one skipped.",
    example: "{ step: search, do: shift-page, item: repeated, after: 1 }",
    at: paged,
    script: (order) => order.extend({ item: z.enum(pageShifts) }),
    action: ({ item }) => ({ shiftPage: item }),
  }),
  "poison-item": kind("poisonItem", {
    summary: "The item at this place of the page, from 0, is not of the published shape.",
    example: "{ step: search, do: poison-item, at: 2, after: 6 }",
    at: paged,
    script: (order) => order.extend({ at: answerBytes }),
    action: ({ at }) => ({ poisonItem: at }),
  }),
};
