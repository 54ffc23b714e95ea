import { bodyEnvelope } from "../../src/pipeline/bodies.ts";
import { stagedFile } from "../../src/staging/folder.ts";
import { stagedLines } from "../../src/staging/staged-lines.ts";
import type { Ranges } from "../../src/state/ranges.ts";
import { requestAttempt } from "../attempt.ts";
import { isoNow, syncOf, type Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";
import { leavingNow, noteEnd } from "./leaving.ts";
import { noteAnswer } from "./note-answer.ts";
import { assertServed, unknownOutcomesOf } from "./poison.ts";
import { prepareCommit } from "./prepare-commit.ts";
import { withRetryBudget } from "./retry-budget.ts";
import { tooLarge } from "./upload-file.ts";

/** The request body of a part: its staged lines, joined. */
async function bodyOf(
  file: string,
  { stream, ranges }: { readonly stream: string; readonly ranges: Ranges },
): Promise<Buffer> {
  const { head, tail } = bodyEnvelope(stream);
  const pieces: Buffer[] = [Buffer.from(head)];
  for await (const { line } of stagedLines(file, ranges)) {
    if (pieces.length > 1) pieces.push(Buffer.from(","));
    pieces.push(line);
  }
  return Buffer.concat([...pieces, Buffer.from(tail)]);
}

/**
 * Sends one part in lightweight mode. Twice is at least once: the receipt says `sending` before bytes leave, and an
 * attempt that finds this counts the part as possibly repeated.
 */
export function createUploadJson(
  deps: Dependencies,
): (input: PartRef) => Promise<{ readonly fileKey: string | null }> {
  const { state, api } = deps;
  return async (ref) =>
    await requestAttempt(deps, ref, async ({ run, signal }) => {
      const { runId, chunk, stage, part } = ref;
      const { stream } = syncOf(deps, run.sync);
      const name = { runId, chunk, stage, part };
      await assertServed(deps, ref, { stream, signal });
      // Read first: only seconds may pass between the note that the part leaves and its first byte.
      const ranges = await state.rangesToSend({ ...name, form: "body" });
      const file = stagedFile(deps.stagingFolder, name);
      const body = ranges && (await bodyOf(file, { stream, ranges }));
      const noted = await state.noteDoubts({ ...name, form: "body", stream, now: deps.clock() });
      const { request, beforeSend, mayLand } = leavingNow(deps, { form: "body", stream });
      const sending = { ...name, form: "body", host: deps.hostId } as const;
      const receipt = await state.beginPart({
        ...sending,
        request: { ...request, noted },
        at: isoNow(deps),
      });
      const { attempts, request: number } = receipt;
      if (receipt.state === "staged") throw tooLarge(receipt);
      if (number === null || body === undefined) return { fileKey: receipt.fileKey };
      const ended = () => ({ number, now: deps.clock() });
      const move = async (to: { readonly state: "accepted" | "staged"; fileKey?: string }) =>
        await noteEnd(
          deps,
          ended(),
          async (end) =>
            await state.movePart({ ...name, ...to, attempts, at: isoNow(deps), request: end }),
        );
      const prepared = prepareCommit(deps, ref);
      let taken: Awaited<ReturnType<typeof api.uploadJson>>;
      try {
        signal.throwIfAborted();
        const { records } = receipt;
        taken = await withRetryBudget(
          deps,
          { ...name, unknown: unknownOutcomesOf(name) },
          async () => await api.uploadJson({ stream, body, records, signal, beforeSend }),
        );
      } catch (error) {
        // If the part was certainly not applied, the next attempt repeats nothing.
        if (mayLand(error, signal)) {
          await noteEnd(deps, ended(), async (end) => await state.endRequest(end));
        } else await move({ state: "staged" });
        throw error;
      }
      // After the catch: a part that the service took but the store could not note was perhaps accepted.
      const { fileKey, note } = taken;
      await move({ state: "accepted", fileKey });
      await noteAnswer(deps, run, note);
      await prepared;
      return { fileKey };
    });
}
