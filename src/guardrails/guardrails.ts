import type { Vanished } from "../state/contract/keys/vanished.ts";

/** Where a figure breaks a guardrail: a share of what it is held against, from 0 to 1, or a number. */
export type Bound = { readonly share: number } | { readonly count: number };

/** What holds a run before its first byte leaves: `hold_if` of a sync. */
export type Guardrails = {
  /** Rejects, of the rows read. */
  readonly rejectedAbove?: Bound | undefined;
  /** Changed and unknown records, of the known records that the run met. */
  readonly changedAbove?: Bound | undefined;
  /** New records, of the same. */
  readonly newAbove?: Bound | undefined;
  /** Known records that are not in the source any more, of those that the reading before brought. */
  readonly vanishedAbove?: Bound | undefined;
  /** Rows read, of those of the last run that came to its end. */
  readonly rowsBelow?: Bound | undefined;
  /** Changed records that differ in a field, by its path, of the known records that the run met. */
  readonly fieldChangedAbove: Readonly<Record<string, Bound>>;
};

/** What a run has staged, as guardrails look at it. */
export type Weighed = {
  readonly read: number;
  readonly rejected: number;
  readonly new: number;
  readonly changed: number;
  readonly unknown: number;
  /** Known records of which the service holds what was read, sent again or not. */
  readonly same: number;
  /** Changed records by the path of each field in which they differ. */
  readonly fields: Readonly<Record<string, number>>;
  /** Of a run that reads all, and not as the first: what the whole reading before brought, and this one has not. */
  readonly gone: Vanished | undefined;
  /** Whether nothing of the sync was ever committed: there is nothing to hold changes against. */
  readonly isFirst: boolean;
  /** Rows that the last run read which came to its end; undefined where there is none. */
  readonly readBefore: number | undefined;
};

/** A guardrail that a run broke: names and numbers. */
export type Broken = {
  /** As the configuration names it: `changed_above`, `field_changed_above.domain`. */
  readonly guardrail: string;
  readonly figure: number;
  /** What the figure is a share of; null where it is held against a number. */
  readonly of: number | null;
  /** As the configuration has it. */
  readonly bound: Bound;
};

/** A guardrail with its figure; `of` is what a share of it is taken from. */
type Looked = {
  readonly guardrail: string;
  readonly bound: Bound | undefined;
  readonly figure: number;
  readonly of: number | undefined;
};

function limitOf(bound: Bound, of: number | undefined): number | undefined {
  if ("count" in bound) return bound.count;
  return of === undefined ? undefined : bound.share * of;
}

function brokenOf({ guardrail, bound, figure, of }: Looked, isBelow: boolean): readonly Broken[] {
  const limit = bound === undefined ? undefined : limitOf(bound, of);
  if (bound === undefined || limit === undefined) return [];
  const isBroken = isBelow ? figure < limit : figure > limit;
  if (!isBroken) return [];
  return [{ guardrail, figure, of: "count" in bound ? null : (of ?? null), bound }];
}

/**
 * The guardrails that a run breaks, in the order of the configuration's documentation. A first run has nothing
 * to hold shares of known records against: it is held by `rejected_above` and by numbers alone.
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
