import { UploadGoneError } from "../../src/errors.ts";
import { chunkName } from "../../src/lane-of.ts";
import { requestAttempt } from "../attempt.ts";
import { isoNow, syncOf, type Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";
import { leavingNow, noteEnd } from "./leaving.ts";
import { noteAnswer } from "./note-answer.ts";
import { assertServed, unknownOutcomesOf } from "./poison.ts";
import { withRetryBudget } from "./retry-budget.ts";

/**
 * Has the service process an uploaded part. Twice is once if the service processes a key once: the same key is
 * confirmed again, and an attempt that finds `confirming` counts the part as possibly repeated.
 */
export function createConfirmUpload(
  deps: Dependencies,
): (input: PartRef & { readonly fileKey: string }) => Promise<object> {
  const { state, api } = deps;
  return async ({ fileKey, ...ref }) =>
    await requestAttempt(deps, ref, async ({ run, signal }) => {
      const { runId, chunk, stage, part } = ref;
      const name = { runId, chunk, stage, part };
      const { stream } = syncOf(deps, run.sync);
      await assertServed(deps, ref, { stream, signal });
      const noted = await state.noteDoubts({ ...name, form: "file", stream, now: deps.clock() });
      const { request, beforeSend, mayLand } = leavingNow(deps, { form: "file", stream });
      const confirming = { ...name, form: "file", confirm: fileKey, host: deps.hostId } as const;
      const receipt = await state.beginPart({
        ...confirming,
        request: { ...request, noted },
        at: isoNow(deps),
      });
      const { attempts, request: number } = receipt;
      const isAnother = receipt.state === "confirming" && receipt.fileKey !== fileKey;
      if (receipt.state === "staged" || receipt.state === "sending" || isAnother) {
        // An earlier attempt found the upload gone, and its answer never arrived.
        throw new UploadGoneError(`part ${part} of ${chunkName(chunk)} is to be uploaded again`);
      }
      if (number === null) return {};
      const ended = () => ({ number, now: deps.clock() });
      const move = async (to: Pick<Parameters<typeof state.movePart>[0], "fileKey" | "state">) =>
        await noteEnd(
          deps,
          ended(),
          async (end) =>
            await state.movePart({ ...name, ...to, attempts, at: isoNow(deps), request: end }),
        );
      let taken: Awaited<ReturnType<typeof api.confirmUpload>>;
      try {
        signal.throwIfAborted();
        taken = await withRetryBudget(
          deps,
          { ...name, unknown: unknownOutcomesOf(name) },
          async () =>
            await api.confirmUpload({ fileKey, records: receipt.records, signal, beforeSend }),
        );
      } catch (error) {
        if (mayLand(error, signal)) {
          await noteEnd(deps, ended(), async (end) => await state.endRequest(end));
        } else if (error instanceof UploadGoneError) await move({ state: "staged", fileKey: null });
        else await move({ state: "uploaded" });
        throw error;
      }
      await move({ state: "accepted" });
      await noteAnswer(deps, run, taken.note);
      return {};
    });
}
