import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import type { HarnessRow } from "../harness.ts";
import { idsOf, microsOf, timeOf } from "../rows.ts";

/** Rows of a page: some pages are in an overlap, some before it, and one at its edge. */
const pageRowsMax = 3;

/** A10: no row that comes again is on a page that says that none of its rows does. */
export const comingAgain: Check = {
  id: "A10",
  title: "says `mayComeAgain: false` only of pages that no run goes back over",
  why:
    "With `send: all`, rows of such pages are not followed: those that come again all the same are sent a " +
    "second time.",
  run: async (subject) => {
    needed(subject.source.rewind?.bind(subject.source), "the connector has no `rewind`");
    if (subject.source.restart?.(subject.config()) === "each-run") {
      throw new NotShown("with the harness's config, each run reads everything");
    }
    await subject.holds(rowsOfAllAges());
    const { to } = (await subject.source.readLimit?.(subject.request())) ?? {};
    const span = { to: to === undefined ? undefined : subject.kept(to) };
    const pages = await subject.read({ ...span, pageRowsMax });
    if (pages.every(({ raw }) => raw.mayComeAgain !== false)) {
      throw new NotShown("no page says `mayComeAgain: false`");
    }
    // This holds for a read that comes to its end; after one that does not, some rows may be sent once more.
    const position = pages.at(-1)?.position;
    const again = await subject.rows({ ...span, from: await subject.rewound({ position }) });
    const unfollowed = pages.filter(({ raw }) => raw.mayComeAgain === false);
    const ids = new Set(unfollowed.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const came = again.map(({ id }) => id).filter((id) => ids.has(id));
    mustBe(
      came.length === 0,
      "rows of pages with `mayComeAgain: false` not to be read again by the next run after `rewind`",
      `${came.length} of them again (${idsOf(came)})`,
    );
  },
};

/** Rows that changed a second ago, two, four, and so on for years: whatever the overlap, some are within it. */
function rowsOfAllAges(): readonly HarnessRow[] {
  const now = microsOf(new Date());
  return Array.from({ length: 28 }, (_, age) => {
    const changed = timeOf(now - 1_000_000n * 2n ** BigInt(age));
    return { id: String(age + 1), text: `text ${age + 1}`, changed };
  });
}
