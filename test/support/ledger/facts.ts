import type { RunReport } from "../../../src/report/report.ts";
import type { LedgerEntry } from "../../../src/sandbox/ledger.ts";
import type { Receipt } from "../../../src/state/contract/sends/receipts.ts";

/** What should become of a row; `record` is the canonical JSON (`canonicalJson`) that the service should show. */
export type Verdict =
  | { readonly kind: "accept" | "unchanged"; readonly record: string }
  | { readonly kind: "reject"; readonly code: string }
  | { readonly kind: "filtered" };

/** A row of the source, with the verdict of an observer who knows the source. */
export type OracleRow = {
  /** The record's id, by which the service knows it. */
  readonly key: string;
  /** As a reject names it: `accounts.csv:12`. */
  readonly place: string;
  readonly verdict: Verdict;
};

/** A record that the service shows, as canonical JSON, and the upload that brought it. */
export type HeldRecord = { readonly record: string; readonly fileKey: string };

/** What the sandbox shows of one run. */
export type ServiceFacts = {
  /** Requests since the run began, in order. */
  readonly ledger: readonly LedgerEntry[];
  /** Everything that is visible, by id. */
  readonly records: ReadonlyMap<string, HeldRecord>;
};

/** A part as its receipt describes it. */
export type PartFacts = Pick<
  Receipt,
  "chunk" | "fileKey" | "form" | "gzipBytes" | "jsonBytes" | "records" | "state"
>;

/** What the state store shows of one run. */
export type StoreFacts = {
  readonly rejects: readonly { readonly place: string; readonly code: string }[];
  /** The parts of stagings that were not abandoned. */
  readonly parts: readonly PartFacts[];
  /**
   * Rows of the source, counted from its first, that the run's checkpoint covers; 0 while it has saved none. For a
   * backfill: the rows that its commits cover, lane after lane.
   */
  readonly covered: number;
  /** The checkpoint's version. */
  readonly version: number;
};

/** Service and store at one moment, with nothing running: after a crash, and before anything continues. */
export type Snapshot = { readonly service: ServiceFacts; readonly store: StoreFacts };

/** A time in which no request may be made, in Unix ms: a blocked limit, the time after a run. */
export type Silence = { readonly fromMs: number; readonly toMs: number; readonly why: string };

/** Everything the check looks at. */
export type LedgerFacts = {
  /** In the order of the source. */
  readonly oracle: readonly OracleRow[];
  readonly service: ServiceFacts;
  readonly store: StoreFacts;
  readonly report: RunReport;
  /** How often the run moves its checkpoint. @default once a chunk */
  readonly moves?: number;
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[];
  /**
   * For each ambiguity (kill, reset, lost answer), the records of the parts that were under way; see `recordsUnderWay`.
   */
  readonly ambiguities: readonly number[];
  readonly silences?: readonly Silence[];
  /** Secrets, and the texts that must not hold any of them. */
  readonly canaries?: readonly string[];
  readonly texts?: readonly { readonly where: string; readonly text: string }[];
  /** Figures with a limit: memory, descriptors, files left over. */
  readonly measures?: readonly {
    readonly what: string;
    readonly value: number;
    readonly max: number;
  }[];
};

/** `JSON.stringify`'s view of a value: an object with its members sorted by name. */
function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b, "en")));
}

/** JSON with the members of every object sorted by name: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortMembers);
}

/** File keys whose records the service took. */
export function appliedKeys(ledger: readonly LedgerEntry[]): ReadonlySet<string> {
  return new Set(ledger.flatMap(({ applied, file_key: key }) => (applied && key ? [key] : [])));
}

/** Records in the requests that the service took. */
export function recordsTaken(ledger: readonly LedgerEntry[]): number {
  return ledger.reduce((sum, { applied, records }) => sum + (applied ? (records ?? 0) : 0), 0);
}

/** Records of the parts that may have been taken without the checkpoint saying so: a crash now may repeat these. */
export function recordsUnderWay({ parts }: Pick<StoreFacts, "parts">): number {
  const underWay = parts.filter(
    ({ state, form }) =>
      state === "confirming" || state === "accepted" || (state === "sending" && form === "body"),
  );
  return underWay.reduce((sum, { records }) => sum + records, 0);
}
