import type { Vanished } from "../state/contract/keys/vanished.ts";
import type { Tally } from "../state/contract/runs/tally.ts";
import { shareOf } from "../text/quantities.ts";

/** The limit of a guardrail: a share of its reference figure, from 0 to 1, or a number. */
export type Bound = { readonly share: number } | { readonly count: number };

/** Conditions that hold a run before its first byte leaves: `hold_if` of a sync. */
export type Guardrails = {
  /** Rejects, out of the rows read. */
  readonly rejectedAbove?: Bound | undefined;
  /** Changed and unknown records, out of the known records that the run met. */
  readonly changedAbove?: Bound | undefined;
  /** New records, out of the same. */
  readonly newAbove?: Bound | undefined;
  /** Known records that are no longer in the source, out of those that the reading before brought. */
  readonly vanishedAbove?: Bound | undefined;
  /** Rows read, out of those of the last run that completed. */
  readonly rowsBelow?: Bound | undefined;
  /** Changed records that differ in a field, by its path, out of the known records that the run met. */
  readonly fieldChangedAbove: Readonly<Record<string, Bound>>;
};

/** The figures of a staged run that guardrails check. */
export type Weighed = {
  readonly read: number;
  readonly rejected: number;
  readonly new: number;
  readonly changed: number;
  readonly unknown: number;
  /** Known records that the service already holds as they were read, sent again or not. */
  readonly same: number;
  /** Changed records by the path of each field in which they differ. */
  readonly fields: Readonly<Record<string, number>>;
  /** Records that the last whole reading brought and this one lacks; only if the run reads all and is not the first. */
  readonly gone: Vanished | undefined;
  /** Whether nothing of the sync was ever committed, so that there is nothing to compare changes with. */
  readonly isFirst: boolean;
  /** Rows read by the last run that completed; undefined if there is none. */
  readonly readBefore: number | undefined;
};

/** The figures of what a run has staged, or a plan has read. */
export function weighedOf(
  {
    read,
    rejected,
    unchanged,
    changes,
  }: Pick<Tally, "changes" | "read" | "rejected" | "unchanged">,
  before: Pick<Weighed, "gone" | "isFirst" | "readBefore">,
): Weighed {
  const { changed = 0, unknown = 0, again = 0, fields = {} } = changes ?? {};
  const same = unchanged + again;
  return { read, rejected, new: changes?.new ?? 0, changed, unknown, same, fields, ...before };
}

/** A guardrail that a run broke: names and numbers. */
export type Broken = {
  /** Its name in the configuration: `changed_above`, `field_changed_above.domain`. */
  readonly guardrail: string;
  readonly figure: number;
  /** The total of which the figure is a share; null if the bound is a number. */
  readonly of: number | null;
  /** As in the configuration. */
  readonly bound: Bound;
};

/** A guardrail with its figure; `of` is the total for a share. */
type Looked = {
  readonly guardrail: string;
  readonly bound: Bound | undefined;
  readonly figure: number;
  readonly of: number | undefined;
};

function limitOf(bound: Bound, of: number | undefined): number | undefined {
  if ("count" in bound) return bound.count;
  return of === undefined ? undefined : shareOf(bound.share, of);
}

function brokenOf({ guardrail, bound, figure, of }: Looked, isBelow: boolean): readonly Broken[] {
  const limit = bound === undefined ? undefined : limitOf(bound, of);
  if (bound === undefined || limit === undefined) return [];
  const isBroken = isBelow ? figure < limit : figure > limit;
  if (!isBroken) return [];
  return [{ guardrail, figure, of: "count" in bound ? null : (of ?? null), bound }];
}

/**
 * The guardrails that a run breaks, in the order of the configuration's documentation. A first run has no known
 * records to take shares of: only `rejected_above` and bounds that are numbers can hold it.
 */
export function brokenGuardrails(guardrails: Guardrails, weighed: Weighed): readonly Broken[] {
  const { read, rejected, unknown, same, fields, gone, isFirst, readBefore } = weighed;
  const changed = weighed.changed + unknown;
  const known = isFirst ? undefined : changed + same;
  const above: readonly Looked[] = [
    {
      guardrail: "rejected_above",
      bound: guardrails.rejectedAbove,
      figure: rejected,
      of: read,
    },
    {
      guardrail: "changed_above",
      bound: guardrails.changedAbove,
      figure: changed,
      of: known,
    },
    { guardrail: "new_above", bound: guardrails.newAbove, figure: weighed.new, of: known },
    {
      guardrail: "vanished_above",
      bound: guardrails.vanishedAbove,
      figure: gone?.vanished ?? 0,
      of: gone?.of,
    },
    ...Object.entries(guardrails.fieldChangedAbove).map(([field, bound]) => ({
      guardrail: `field_changed_above.${field}`,
      bound,
      figure: fields[field] ?? 0,
      of: known,
    })),
  ];
  const below = {
    guardrail: "rows_below",
    bound: guardrails.rowsBelow,
    figure: read,
    of: readBefore,
  };
  return [...above.flatMap((one) => brokenOf(one, false)), ...brokenOf(below, true)];
}
