import type { Patch, Written } from "../../connectors/contract/connector.ts";
import { messageOf } from "../../src/errors.ts";
import type { Check } from "../check.ts";
import { CheckFailed, mustBe, needed } from "../failed.ts";
import { makeRows, mustBeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";

/** An id that none of the rows has. */
const absentId = "999999";

/** What is written: where a text is at home, some bytes of it are in no one-byte alphabet. */
const texts = ["written, first", 'written "second" — Zürich'];

/** A6: values that are written back. */
export const writing: Check = {
  id: "A6",
  title: "answers with `write` for each patch, and writes twice as once",
  why:
    "Answers go to patches by their places: one too few, or one for another row, marks values as written " +
    "back that never were.",
  run: async (subject) => {
    needed(subject.source.write?.bind(subject.source), "the connector has no `write`");
    const written = needed(subject.harness.written, "the harness has no `written`");
    const rows = makeRows(12);
    await subject.holds(rows);
    const [first, second, third, same, ...others] = rows.map(({ id }) => id);
    const unchanged = (await written.read(same ?? "")) ?? null;
    // Where the source cannot hold null, one more text.
    const last = subject.harness.cannotHold?.includes("null") === true ? "written third" : null;
    const patches = [
      { id: first, text: texts[0] },
      { id: absentId, text: "of no row" },
      { id: second, text: texts[1] },
      { id: same, text: unchanged },
      { id: third, text: last },
    ].map(({ id = "", text = null }) => ({ id, text }));
    const held = await subject.rows();
    await mustLetThrough(subject, { key: [written.key], set: [written.set] });
    mustBeRows(await subject.rows(), held, "after `checkWrite`, which writes nothing");
    const before = await Promise.all(others.map(async (id) => await written.read(id)));

    const once = await write(subject, patches);
    mustBeAnswers(once, ["written", "missing", "written", "unchanged", "written"], "once");
    for (const { id, text } of patches) {
      const left = await written.read(id);
      // A connector that may add rows has added the one that was not there.
      const isAsked = id === absentId && doneOf(once[1]) === "missing" ? undefined : text;
      mustBe(left === isAsked, `row ${id} to hold what was written`, "something else");
    }
    const after = await Promise.all(others.map(async (id) => await written.read(id)));
    const isKept = after.every((text, index) => text === before[index]);
    mustBe(isKept, "rows that no patch names to stay as they were", "others");

    const read = await subject.rows();
    const again = await write(subject, patches);
    mustBeAnswers(again, ["unchanged", "missing", "unchanged", "unchanged", "unchanged"], "twice");
    const reread = await subject.rows();
    mustBeRows(reread, read, "after the same was written twice");
    const changes = new Map(read.map(({ id, changed }) => [id, changed]));
    const isLeft = reread.every(({ id, changed }) => changes.get(id) === changed);
    mustBe(isLeft, "rows that have their values already to be left alone", "rows changed again");
  },
};

/** Fails unless `checkWrite` takes the columns that are written next. @throws {CheckFailed} */
export async function mustLetThrough(
  subject: Subject,
  columns: { readonly key: readonly string[]; readonly set: readonly string[] },
): Promise<void> {
  try {
    await subject.source.checkWrite?.({ ...subject.request(), columns });
  } catch (error) {
    const names = [...columns.key, ...columns.set].join(" and ");
    throw new CheckFailed(
      `\`checkWrite\` to let ${names} through, as \`write\` does`,
      messageOf(error),
    );
  }
}

async function write(
  subject: Subject,
  values: readonly { readonly id: string; readonly text: string | null }[],
): Promise<readonly Written[]> {
  const { key = "", set = "" } = subject.harness.written ?? {};
  const patches: readonly Patch[] = values.map(({ id, text }) => {
    return { key: { [key]: id }, set: { [set]: text } };
  });
  return (await subject.source.write?.({ ...subject.request(), patches })) ?? [];
}

function doneOf(answer: Written | undefined): string {
  if (answer === undefined) return "nothing";
  return "done" in answer ? answer.done : "rejected";
}

/** Fails unless these answers came; a missing row may also have been added, and have its values then. */
function mustBeAnswers(
  answers: readonly Written[],
  expected: readonly string[],
  when: "once" | "twice",
): void {
  const came = answers.map(doneOf);
  const added = when === "once" ? "written" : "unchanged";
  const isRight = expected.every(
    (done, index) => came[index] === done || (done === "missing" && came[index] === added),
  );
  mustBe(
    isRight && came.length === expected.length,
    `the answers ${expected.join(", ")} to what is written ${when}`,
    came.join(", ") || "none",
  );
}
