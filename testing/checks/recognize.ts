import { setTimeout as wait } from "node:timers/promises";

import { messageOf } from "../../src/errors.ts";
import type { Check } from "../check.ts";
import { CheckFailed, mustBe, needed } from "../failed.ts";
import { makeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";

/** Identities that another version of a connector may have kept. */
const othersKept: readonly unknown[] = [null, 0, "", [], {}];

/** A9: the source that was read is recognised again. */
export const recognizing: Check = {
  id: "A9",
  title: "knows the source that it read again with `recognize`",
  why:
    "It is asked before each chunk: a connector that takes its own source for another one stops runs that nothing " +
    "is wrong with, and people learn to confirm without a look.",
  run: async (subject) => {
    needed(subject.source.recognize?.bind(subject.source), "the connector has no `recognize`");
    const rows = makeRows(20);
    await subject.holds(rows.slice(0, 10));
    const first = await mustBeSame(subject, {}, "of which nothing is known");
    const position = (await subject.read()).at(-1)?.position;
    const next = await mustBeSame(subject, { known: first, position }, "that was read");
    await nextSecond();
    await mustBeSame(subject, { known: first, position }, "that was read a second ago");
    await subject.takes(rows.slice(10));
    await mustBeSame(subject, { known: next, position }, "that has more rows since then");
    for (const known of othersKept) await mustTake(subject, { known, position });
  },
};

/** Waits until a clock in an identity would have changed, even if it counts seconds. */
async function nextSecond(): Promise<void> {
  await wait(1_010 - (Date.now() % 1_000));
}

/** Fails unless it answers, even if only that the source differs. */
async function mustTake(
  subject: Subject,
  asked: { readonly known: unknown; readonly position: unknown },
): Promise<void> {
  try {
    await subject.recognized(asked);
  } catch (error) {
    if (error instanceof CheckFailed) throw error;
    const kept = JSON.stringify(asked.known);
    const expected = `an answer of \`recognize\` to what another version may have kept, here \`known: ${kept}\``;
    throw new CheckFailed(expected, messageOf(error));
  }
}

/** Fails unless it is the same source. @returns its identity */
async function mustBeSame(
  subject: Subject,
  known: Parameters<Subject["recognized"]>[0],
  which: string,
): Promise<unknown> {
  const { identity, shown, differs, beginsAnew = false } = await subject.recognized(known);
  mustBe(shown.trim() !== "", "what a person calls the source in `shown`", "nothing");
  const isSame = differs === undefined && !beginsAnew;
  const came =
    differs === undefined ? "`beginsAnew`" : `another one, as \`differs\` says: ${differs}`;
  mustBe(isSame, `a source ${which} to be the same for \`recognize\``, came);
  return identity;
}
