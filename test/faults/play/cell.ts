import type { Timeouts } from "../../../src/api/context.ts";
import type { FaultAction } from "../../../src/sandbox/faults/faults.ts";
import type { SandboxSettings } from "../../../src/sandbox/http/server.ts";

/** The columns of the table: what the request that meets the fault asks for. */
export const columns = ["generate", "put", "confirm", "json", "search"] as const;

/** One of them. */
export type Column = (typeof columns)[number];

/** Those whose request sends records. */
export type SendColumn = Exclude<Column, "search">;

/**
 * What must follow, in the codes of docs/facts/faults.md#actions. RT, RG and AMB are tried as often as
 * `Case.times` says, then the fault is over; with x3 the third one stops the run, with x2 the second. AMB
 * counts records as possibly repeated, and a page as possibly paid twice. `wait` is a limit that is blocked
 * for so many ms, least and greatest.
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
  /** The part is cut in two; a page is asked for with half the limit. */
  | "SP"
  /** The first record of the part is rejected, the rest sent. */
  | "DL"
  | "OK"
  /** The same key five times within a minute, then another. */
  | "RT x5, RG"
  /** Another key at once. */
  | "RG key"
  | { readonly wait: readonly [least: number, greatest: number] }
  /** As AMB, and a limit is blocked for so long. */
  | { readonly doubt: number };

/** What a column says: what must follow, why nothing can, or which other test shows it. */
export type Says = Code | { readonly none: string } | { readonly shownBy: string };

/** What the request meets: an answer or deed of the sandbox, or a server that is nothing but sockets. */
export type Meets = {
  readonly action?: FaultAction;
  /** Starts a server and answers its address; the request goes there while the fault lasts. */
  readonly server?: () => Promise<URL>;
  /** Of the requests that meet the fault. */
  readonly timeouts?: Partial<Timeouts>;
};

/** One fault and what must follow in each column. */
export type Case = {
  /** The number of its row in docs/facts/faults.md#actions. */
  readonly row: number;
  /** Continues after the column's name: "answered 500". */
  readonly fault: string;
  readonly meets: Meets | ((column: Column) => Meets);
  readonly says: Readonly<Record<Column, Says>>;
  /** How often a fault without a limit comes before it is over. @default 4 */
  readonly times?: number;
  /** Whether what meets the fault is done all the same. */
  readonly isApplied?: boolean;
  /** Whether the answer says that it was done before, which here it was not. */
  readonly isBelieved?: boolean;
  /** Moves the worker's clock before the request, in ms. */
  readonly clockMs?: number;
  readonly sandbox?: Partial<SandboxSettings>;
};

/** The same in every column, but for those named. */
export function says(code: Says, but: Partial<Case["says"]> = {}): Case["says"] {
  return { generate: code, put: code, confirm: code, json: code, search: code, ...but };
}
