import type { AnswerNote } from "../../src/api/acceptance.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Warns of an answer that counts as acceptance and was not seen before: once for each service and account. */
export async function noteAnswer(
  { state }: Pick<Dependencies, "state">,
  { runId, target }: Run,
  note: AnswerNote | undefined,
): Promise<void> {
  if (note === undefined) return;
  await state.addWarnings({ runId, warnings: [note.text], once: `${target} ${note.about}` });
}
