import { describe, expect, it } from "vitest";

import {
  brokenGuardrails,
  type Guardrails,
  type Weighed,
} from "../../../src/guardrails/guardrails.ts";
import { brokenText } from "../../../src/text/hold-text.ts";

/** A full read of 1,000 rows: 900 known records, 10 of them of unknown state. */
const night: Weighed = {
  read: 1_000,
  rejected: 20,
  new: 80,
  changed: 260,
  unknown: 10,
  same: 630,
  fields: { domain: 45 },
  gone: { vanished: 40, of: 800 },
  isFirst: false,
  readBefore: 1_250,
};

/** Figures beyond a bound, and the text about them. */
type Beyond = Partial<Weighed> & { readonly text: string };

function brokenBy(
  guardrails: Partial<Guardrails>,
  weighed: Partial<Weighed> = {},
): readonly string[] {
  const all = { fieldChangedAbove: {}, ...guardrails };
  return brokenGuardrails(all, { ...night, ...weighed }).map(brokenText);
}

describe("a guardrail", () => {
  it.each<[string, Partial<Guardrails>, Beyond]>([
    [
      "rejects of the rows read",
      { rejectedAbove: { share: 0.02 } },
      { rejected: 21, text: "rejected_above 2%: 21 of 1,000 rows rejected (2.1%)" },
    ],
    [
      "changed and unknown of the known records",
      { changedAbove: { share: 0.3 } },
      {
        changed: 261,
        same: 629,
        text: "changed_above 30%: 271 of 900 known records changed (30.1%)",
      },
    ],
    [
      "new ones of the known records",
      { newAbove: { share: 0.1 } },
      { new: 91, text: "new_above 10%: 91 of 900 known records new (10.1%)" },
    ],
    [
      "changes of a field of the known records",
      { fieldChangedAbove: { domain: { share: 0.05 } } },
      {
        fields: { domain: 46 },
        text: "field_changed_above.domain 5%: 46 of 900 known records changed in it (5.1%)",
      },
    ],
    [
      "known records that are gone of those that were there before",
      { vanishedAbove: { share: 0.05 } },
      {
        gone: { vanished: 41, of: 800 },
        text: "vanished_above 5%: 41 of 800 records that were there before vanished (5.1%)",
      },
    ],
    [
      "gone records in numbers",
      { vanishedAbove: { count: 40 } },
      { gone: { vanished: 41, of: 800 }, text: "vanished_above 40: 41 vanished" },
    ],
    [
      "rows of those of the run before",
      { rowsBelow: { share: 0.8 } },
      { read: 999, text: "rows_below 80%: 999 of 1,250 rows of the run before read (79.9%)" },
    ],
    [
      "rejects in numbers",
      { rejectedAbove: { count: 20 } },
      { rejected: 21, text: "rejected_above 20: 21 rejected" },
    ],
    [
      "rows in numbers",
      { rowsBelow: { count: 1_000 } },
      { read: 999, text: "rows_below 1,000: 999 read" },
    ],
  ])("holds %s beyond its bound, and not at it", (_, guardrails, { text, ...beyond }) => {
    expect(brokenBy(guardrails)).toEqual([]);
    expect(brokenBy(guardrails, beyond)).toEqual([text]);
  });

  it("says a share below a tenth of a percent in as many digits as it needs", () => {
    const broken = brokenBy({ rejectedAbove: { share: 0.0001 } }, { read: 100_000, rejected: 25 });
    expect(broken).toEqual(["rejected_above 0.01%: 25 of 100,000 rows rejected (0.025%)"]);
  });

  it("takes a percentage for what is written, not for its nearest binary fraction", () => {
    const of100 = { changed: 57, unknown: 0, same: 43, read: 57, readBefore: 100 };
    expect(brokenBy({ changedAbove: { share: 0.57 } }, of100)).toEqual([]);
    expect(brokenBy({ changedAbove: { share: 0.5625 } }, of100)).toEqual([
      "changed_above 56.25%: 57 of 100 known records changed (57%)",
    ]);
    // 0.07 * 100 is 7.000000000000001.
    expect(brokenBy({ rowsBelow: { share: 0.07 } }, { ...of100, read: 7 })).toEqual([]);
  });

  it("holds a first run by rejects and by numbers alone", () => {
    const first = {
      isFirst: true,
      gone: undefined,
      readBefore: undefined,
      changed: 0,
      unknown: 0,
      same: 0,
      new: 980,
    };
    const share = { share: 0 };
    expect(
      brokenBy(
        {
          changedAbove: share,
          newAbove: share,
          vanishedAbove: share,
          rowsBelow: { share: 1 },
          fieldChangedAbove: { domain: share },
        },
        first,
      ),
    ).toEqual([]);
    expect(brokenBy({ newAbove: { count: 979 } }, first)).toEqual(["new_above 979: 980 new"]);
    expect(brokenBy({ rejectedAbove: share }, first)).toEqual([
      "rejected_above 0%: 20 of 1,000 rows rejected (2%)",
    ]);
  });

  it("holds new records where none of the known ones came, whatever its share", () => {
    const renamed = { changed: 0, unknown: 0, same: 0, new: 980 };
    expect(brokenBy({ newAbove: { share: 1 } }, renamed)).toEqual([
      "new_above 100%: 980 of 0 known records new",
    ]);
  });

  it("says nothing of what nothing is bound for", () => {
    expect(brokenBy({}, { rejected: 1_000, read: 0 })).toEqual([]);
  });
});
