import { isDeepStrictEqual } from "node:util";

import type { Written } from "../../../connectors/contract/connector.ts";
import type { Writing } from "../../case.ts";
import { mustBe } from "../../failed.ts";
import type { Subject } from "../../subject.ts";
import { mustLetThrough } from "../write.ts";
import { mustThrow } from "./rows.ts";

/** Writes twice, and checks what is left each time. @throws {CheckFailed} */
export async function tryWriting(subject: Subject, writing: Writing): Promise<void> {
  const { patches, answers = [], throws, leaves } = writing;
  const write = async (): Promise<readonly Written[]> =>
    (await subject.source.write?.({ ...subject.request(), patches })) ?? [];
  const mustLeave = async (when: string): Promise<void> => {
    const left = await writing.left?.();
    mustBe(isDeepStrictEqual(left, leaves), `what was written to be there ${when}`, "others");
  };
  const mustAnswer = async (expected: NonNullable<Writing["answers"]>, when: string) => {
    const came = (await write()).map((one, index) => {
      const isTold = expected[index] !== "rejected";
      return "done" in one ? one.done : isTold ? one : "rejected";
    });
    const isSame = isDeepStrictEqual(came, expected);
    mustBe(isSame, `${shown(expected)} of patches ${when}`, shown(came) || "nothing");
    await mustLeave(when);
  };
  await tryWriteCheck(subject, writing);
  if (throws !== undefined) {
    await mustThrow(throws, async () => void (await write()), "by a write");
    if (leaves !== undefined) await mustLeave("by a write that throws");
    return;
  }
  await mustAnswer(answers, "once");
  const twice = answers.map((answer) => (answer === "written" ? "unchanged" : answer));
  await mustAnswer(twice, "twice");
}

/** Fails unless the columns are refused before anything is written, or let through, as by the write itself. */
async function tryWriteCheck(
  subject: Subject,
  { patches, throws, checkThrows }: Writing,
): Promise<void> {
  const checkWrite = subject.source.checkWrite?.bind(subject.source);
  const [patch] = patches;
  if (checkWrite === undefined || patch === undefined) return;
  const columns = { key: Object.keys(patch.key), set: Object.keys(patch.set) };
  const look = async (): Promise<void> => await checkWrite({ ...subject.request(), columns });
  const refusal = checkThrows ?? (throws?.code === "ConfigError" ? throws : undefined);
  if (refusal === undefined) await mustLetThrough(subject, columns);
  else await mustThrow(refusal, look, "by `checkWrite`");
}

function shown(answers: NonNullable<Writing["answers"]>): string {
  return answers.map((one) => (typeof one === "string" ? one : one.rejected)).join(", ");
}
