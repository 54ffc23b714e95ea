import type { Timeouts } from "../../../src/api/context.ts";
import type { FaultAction } from "../../../src/sandbox/faults/faults.ts";
import type { SandboxSettings } from "../../../src/sandbox/http/server.ts";

/** The columns of the table: the request that meets the fault. */
export const columns = ["generate", "put", "confirm", "json", "search"] as const;

/** One of them. */
export type Column = (typeof columns)[number];

/** The columns whose request sends records. */
export type SendColumn = Exclude<Column, "search">;

/**
 * The expected result, in the codes of docs/facts/faults.md#actions. RT, RG and AMB are tried as often as `Case.times`
 * says, then the fault is over; with x3 the third one stops the run, with x2 the second. AMB counts records as possibly
 * repeated, and a page as possibly paid twice. `wait` is a limit that is blocked for this many ms, least and greatest.
 */
export type Code =
  | "RT"
  | "RT x3"
  | "RG"
  | "RG x3"
  | "AMB"
  | "AMB x3"
  | "AMB x2"
  /** Stops, naming what was expected; `SC setting` names the setting. */
  | "SC"
  | "SC setting"
  | "SA"
  | "SQ"
  /** The part is cut in two; a page is requested with half the limit. */
  | "SP"
  /** The first record of the part is rejected, the rest is sent. */
  | "DL"
  | "OK"
  /** The same key five times within a minute, then another. */
  | "RT x5, RG"
  /** Another key at once. */
  | "RG key"
  | { readonly wait: readonly [least: number, greatest: number] }
  /** As AMB, and a limit is blocked for this many ms. */
  | { readonly doubt: number };

/** The content of a column: the expected result, why there can be none, or which other test shows it. */
export type Says = Code | { readonly none: string } | { readonly shownBy: string };

/** What the request meets: an answer or action of the sandbox, or a raw socket server. */
export type Meets = {
  readonly action?: FaultAction;
  /** Starts a server and returns its address; the request goes there while the fault lasts. */
  readonly server?: () => Promise<URL>;
  /** The timeouts of the requests that meet the fault. */
  readonly timeouts?: Partial<Timeouts>;
};

/** One fault and the expected result in each column. */
export type Case = {
  /** The number of its row in docs/facts/faults.md#actions. */
  readonly row: number;
  /** The text after the column's name: "answered 500". */
  readonly fault: string;
  readonly meets: Meets | ((column: Column) => Meets);
  readonly says: Readonly<Record<Column, Says>>;
  /** How often a fault without a limit occurs before it is over. @default 4 */
  readonly times?: number;
  /** Whether the service applies the request despite the fault. */
  readonly isApplied?: boolean;
  /** Whether the answer says that it was applied before, which here it was not. */
  readonly isBelieved?: boolean;
  /** Moves the worker's clock before the request, in ms. */
  readonly clockMs?: number;
  readonly sandbox?: Partial<SandboxSettings>;
};

/** The same in every column, except those in `but`. */
export function says(code: Says, but: Partial<Case["says"]> = {}): Case["says"] {
  return { generate: code, put: code, confirm: code, json: code, search: code, ...but };
}
