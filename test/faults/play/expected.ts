import { waitInActivityRetryMsMax } from "../../../activities/limits.ts";
import type { Case, Code, Column } from "./cell.ts";
import { rows } from "./play.ts";

/** What the play of one cell must show. */
export type Expected = {
  /** Attempts that meet the fault, in order: how each one fails; empty if the fault is tolerated at once. */
  readonly fails: readonly {
    readonly type: string;
    readonly nonRetryable: boolean;
    /** Least and greatest wait before the next attempt, in ms. */
    readonly gap?: readonly [number, number];
    /** State of the part's receipt; a page has none. */
    readonly receipt?: string | undefined;
  }[];
  readonly block?: { readonly of: string; readonly least: number; readonly greatest: number };
  /** What happens next. */
  readonly next: "continues" | "is reset by hand" | "stops" | "splits" | "uploads again";
  /** Records that count as possibly repeated at the end; for `search`, pages that count as possibly paid twice. */
  readonly repeated: number;
};

/** The receipt while the request of a column is on its way, and once it was refused for good. */
const receipts = {
  generate: { begun: "sending", undone: "sending" },
  put: { begun: "sending", undone: "sending" },
  confirm: { begun: "confirming", undone: "uploaded" },
  json: { begun: "sending", undone: "staged" },
  search: { begun: undefined, undone: undefined },
} as const;

/** How much one request in doubt adds to `Expected.repeated`. */
function atStake(column: Column): number {
  return column === "search" ? 1 : rows;
}

/** Full jitter over a step that doubles, from a second to a minute. */
function gapOf(times: number): readonly [number, number] {
  return [1_000, Math.min(60_000, 1_000 * 2 ** times)];
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** `times` faults that pass; the last becomes `last` if that is given. */
function passing(
  column: Column,
  how: { readonly times: number; readonly inDoubt: boolean; readonly last?: string },
): Pick<Expected, "fails" | "repeated"> {
  const { times, inDoubt, last } = how;
  const { begun, undone } = receipts[column];
  const receipt = inDoubt ? begun : undone;
  const type = inDoubt ? "OutcomeUnknown" : "Unavailable";
  const fails = numbers(times).map((time) =>
    time === times && last !== undefined
      ? { type: last, nonRetryable: true, receipt: last === "UploadGone" ? "staged" : receipt }
      : { type, nonRetryable: false, gap: gapOf(time), receipt },
  );
  return { fails, repeated: inDoubt ? times * atStake(column) : 0 };
}

function stop(
  type: string,
  receipt: string | undefined,
): Pick<Expected, "fails" | "next" | "repeated"> {
  return { fails: [{ type, nonRetryable: true, receipt }], next: "stops", repeated: 0 };
}

/** docs/facts/faults.md#actions, in one column. */
type InColumn = (column: Column, of: Case) => Expected;

const goesOn =
  (inDoubt: boolean): InColumn =>
  (column, { times = 4 }) => ({ ...passing(column, { times, inDoubt }), next: "continues" });

const thenStops =
  (times: number, inDoubt: boolean): InColumn =>
  (column) => ({
    ...passing(column, { times, inDoubt, last: "ContractBroken" }),
    next: "stops",
  });

const anotherKey =
  (times: number): InColumn =>
  (column) => ({
    ...passing(column, { times, inDoubt: false, last: "UploadGone" }),
    next: "uploads again",
  });

/** Whether a page that stops the run at once may have been paid for: its answer was a 2xx, perhaps without an end. */
function isPaid(row: number, column: Column): boolean {
  return column === "search" && [19, 22, 35].includes(row);
}

const day = 86_400_000;

const byCode: Readonly<Record<Extract<Code, string>, InColumn>> = {
  OK: () => ({ fails: [], next: "continues", repeated: 0 }),
  RT: goesOn(false),
  RG: goesOn(false),
  AMB: goesOn(true),
  "RT x3": thenStops(3, false),
  "RG x3": thenStops(3, false),
  "AMB x2": thenStops(2, true),
  "AMB x3": thenStops(3, true),
  "RT x5, RG": anotherKey(5),
  "RG key": anotherKey(1),
  SC: (column, { row }) => {
    const { begun, undone } = receipts[column];
    const inDoubt = isPaid(row, column) || (row === 35 && ["confirm", "json"].includes(column));
    const stopped = stop("ContractBroken", inDoubt ? begun : undone);
    const blocked = { of: column === "put" ? "storage" : "key", least: day, greatest: day };
    return {
      ...stopped,
      repeated: inDoubt ? atStake(column) : 0,
      ...(row === 4 ? { block: blocked } : {}),
    };
  },
  "SC setting": (column) => stop("ConfigError", receipts[column].undone),
  SA: (column) => ({
    ...stop("AuthFailed", receipts[column].undone),
    next: "is reset by hand",
    block: { of: "key:refused", least: 1e12, greatest: Infinity },
  }),
  SQ: (column) => ({
    ...stop("CreditsExhausted", receipts[column].undone),
    next: "is reset by hand",
    block: { of: column === "search" ? "key:search" : "key:ingestion", least: day, greatest: day },
  }),
  SP: (column, { row }) => {
    const { begun, undone } = receipts[column];
    // A 200 that says it failed may have taken some.
    const inDoubt = row === 19;
    const times = isPaid(row, column) ? 1 : 0;
    return {
      ...stop(row === 17 || inDoubt ? "RecordsRejected" : "TooLarge", inDoubt ? begun : undone),
      next: "splits",
      repeated: inDoubt ? atStake(column) : times,
    };
  },
  DL: (column) => ({ ...stop("RecordsRejected", receipts[column].undone), next: "splits" }),
};

/** What the play of one cell must show, by the codes of docs/facts/faults.md#actions. */
export function expectedOf(code: Code, column: Column, of: Case): Expected {
  if (typeof code === "string") return byCode[code](column, of);
  if ("wait" in code) {
    const [least, greatest] = code.wait;
    const block = { of: column === "put" ? "storage" : "key", least, greatest };
    // The workflow makes long waits.
    const nonRetryable = least > waitInActivityRetryMsMax;
    const receipt = receipts[column].undone;
    const fail = { type: "RateLimited", nonRetryable, gap: code.wait, receipt };
    return { fails: [fail], block, next: "continues", repeated: 0 };
  }
  const block = { of: "key", least: Math.min(1_000, code.doubt), greatest: code.doubt };
  return { ...passing(column, { times: 1, inDoubt: true }), block, next: "continues" };
}
