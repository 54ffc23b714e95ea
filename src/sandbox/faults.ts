/** The requests that are recorded, and that a fault can be ordered for; an alias counts as the step it stands for. */
export const steps = [
  "ping",
  "upload-json",
  "generate-upload-url",
  "put",
  "confirm-upload",
  "search",
  "enrich",
] as const;

/** One kind of request of the service. */
export type Step = (typeof steps)[number];

/** What can be wrong with an upload address besides its age. */
export const unsafeUrls = ["http", "user-info", "private-address", "other-host"] as const;

/** What can be wrong with the cursor that a page gives for the next. */
export const badCursors = ["loop", "shrink", "none", "text", "large"] as const;

/** The members of a page's `meta`, each of which may be absent (published facts, Search and enrichment). */
export const metaMembers = ["limit", "total", "has_next_page", "next_cursor"] as const;

/** How a page can begin one item away from where the page before ended. */
export const pageShifts = ["repeated", "skipped"] as const;

/** What a garbled answer holds in place of the real one. */
const garbles = ["wrong-json", "not-json", "html"] as const;

/** An answer made up. A body that is not text is sent as JSON; without one, an error in the envelope of the step. */
type OrderedAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
};

/** What goes wrong. */
export type FaultAction =
  /** This answer instead of the real one; the body is read away, and nothing is applied. */
  | OrderedAnswer
  /** This answer at once; the connection then closes with the body unread, and nothing is applied. */
  | { readonly closeAfter: OrderedAnswer }
  /** A PUT is answered 200 before its file is read; nothing is stored, and the connection closes or takes the rest. */
  | { readonly early200: "close" | "leave" }
  /** The request waits so long before it is done. */
  | { readonly delayMs: number }
  /** The request is read whole and done so long after, also when its client has not waited for the answer. */
  | { readonly holdMs: number }
  /** The connection is reset once so many bytes of the body were read, or at its end; nothing is applied. */
  | { readonly resetAt: number }
  /** No more than about so many bytes of the body are read, and nothing is answered; nothing is applied. */
  | { readonly stopReadingAt: number }
  /** The request is read whole, then the connection closes; nothing is applied. */
  | { readonly dropRequest: true }
  /** The request is done, then the connection closes instead of answering. */
  | { readonly dropReply: true }
  /** The request is done, and never answered. */
  | { readonly noAnswer: true }
  /** The request is done; its answer ends after so many bytes of its body: short of the length it told, or without one. */
  | { readonly cutAt: number; readonly framing: "length" | "close" }
  /** The request is done; the body of its answer comes byte by byte, so long apart. */
  | { readonly dripMs: number }
  /** The request is done; so many bytes of the answer's body come, then no more. */
  | { readonly stallAt: number }
  /** The request is done; its answer has the right status and a body that the client cannot use. */
  | { readonly garble: (typeof garbles)[number] }
  /** generate-upload-url gives an address that has expired; a PUT finds its address expired. */
  | { readonly expireUrl: true }
  /** generate-upload-url gives an address that nobody may be sent to. */
  | { readonly unsafeUrl: (typeof unsafeUrls)[number] }
  /** generate-upload-url gives the last file key of the stream once more. */
  | { readonly sameKey: true }
  /** confirm-upload knows a file only when so much time has passed since its PUT. */
  | { readonly notFoundMs: number }
  /** A page says that there is a next one, and gives a cursor that nobody should follow: its own, a smaller one, none, a text, one above 32 bits. */
  | { readonly badCursor: (typeof badCursors)[number] }
  /** A page lacks a member of its `meta`, or all of it. */
  | { readonly missingMeta: (typeof metaMembers)[number] | "all" }
  /** A page's `total` is so much more, or with a negative number less, than there are. */
  | { readonly falseTotal: number }
  /** A page holds nothing, and its items come with the cursor that it gives. */
  | { readonly emptyPage: true }
  /** A page begins with the last item of the page before, or one item too late; those behind it follow on. */
  | { readonly shiftPage: (typeof pageShifts)[number] }
  /** The item at this place of a page, counted from 0, is not of the published shape. */
  | { readonly poisonItem: number };

/** A fault to come. */
export type Fault = {
  readonly step: Step;
  /** How many requests it hits. @default 1, or without end beside `oneIn` or `forMs` */
  readonly times?: number | undefined;
  /** How many requests of the step, counted from the order on, pass before it. @default 0 */
  readonly after?: number | undefined;
  /** Hits one in so many requests, drawn from the sandbox's seed; 1 hits every one. */
  readonly oneIn?: number | undefined;
  /** How long it lasts, from the first request that it could hit. */
  readonly forMs?: number | undefined;
  readonly do: FaultAction;
};

/** What the ledger calls an action; a script orders it by the same name. */
const names = {
  status: "answer",
  closeAfter: "answer-and-close",
  early200: "early-200",
  delayMs: "delay",
  holdMs: "hold",
  resetAt: "reset",
  stopReadingAt: "stop-reading",
  dropRequest: "drop-request",
  dropReply: "drop-reply",
  noAnswer: "no-answer",
  cutAt: "cut-answer",
  dripMs: "drip",
  stallAt: "stall",
  expireUrl: "expire-url",
  unsafeUrl: "unsafe-url",
  sameKey: "same-key",
  notFoundMs: "not-found-yet",
} as const;

const pageNames = {
  badCursor: "bad-cursor",
  missingMeta: "missing-meta",
  falseTotal: "false-total",
  emptyPage: "empty-page",
  shiftPage: "shift-page",
  poisonItem: "poison-item",
} as const;

/** The faults of pages, which search and enrichment alone have. */
export const pageFaultNames = Object.values(pageNames);

/** Every fault that can be ordered, by name. */
export const orderedFaultNames = [...Object.values(names), ...garbles, ...pageFaultNames] as const;

/** What its settings make the service do, and no order. */
const quotaFaultNames = ["credits-exhausted", "too-many-requests"] as const;

/** Every fault that a ledger can tell of. */
export const faultNames = [...orderedFaultNames, ...quotaFaultNames] as const;

/** The name of a fault. */
export type FaultName = (typeof faultNames)[number];

/** What an action is called. */
export function faultName(action: FaultAction): FaultName {
  if ("garble" in action) return action.garble;
  const [, name] =
    Object.entries({ ...names, ...pageNames }).find(([member]) => member in action) ?? [];
  if (name === undefined) throw new Error("an action without a name");
  return name;
}
