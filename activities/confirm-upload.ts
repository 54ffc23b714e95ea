import { mayBeApplied, UploadGoneError } from "../src/errors.ts";
import { chunkName } from "../src/lane-of.ts";
import { requestAttempt } from "./attempt.ts";
import { bearFaults } from "./borne-faults.ts";
import { isoNow, syncOf, type Dependencies } from "./dependencies.ts";
import type { PartRef } from "./inputs.ts";
import { assertServed, unknownOutcomesOf } from "./poison.ts";

/**
 * Has the service process an uploaded part. Twice is once at a service that processes a key once: the same key is
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
      const confirming = { ...name, form: "file", confirm: fileKey, host: deps.hostId } as const;
      const receipt = await state.beginPart({ ...confirming, at: isoNow(deps) });
      const { attempts } = receipt;
      const isAnother = receipt.state === "confirming" && receipt.fileKey !== fileKey;
      if (receipt.state === "staged" || receipt.state === "sending" || isAnother) {
        // An earlier attempt found the upload gone, and its answer never arrived.
        throw new UploadGoneError(`part ${part} of ${chunkName(chunk)} is to be uploaded again`);
      }
      if (receipt.state !== "confirming") return {};
      signal.throwIfAborted();
      try {
        await bearFaults(
          deps,
          { ...name, unknown: unknownOutcomesOf(name) },
          async () => await api.confirmUpload({ fileKey, records: receipt.records, signal }),
        );
      } catch (error) {
        if (error instanceof UploadGoneError) {
          await state.movePart({
            ...name,
            attempts,
            state: "staged",
            fileKey: null,
            at: isoNow(deps),
          });
        } else if (!mayBeApplied(error) && !signal.aborted) {
          await state.movePart({ ...name, attempts, state: "uploaded", at: isoNow(deps) });
        }
        throw error;
      }
      await state.movePart({ ...name, attempts, state: "accepted", at: isoNow(deps) });
      return {};
    });
}
