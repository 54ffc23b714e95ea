import { stagedFile } from "../src/staging/folder.ts";
import { requestAttempt } from "./attempt.ts";
import { isoNow, runOf, syncOf, type Dependencies } from "./dependencies.ts";
import type { PartRef } from "./inputs.ts";

/**
 * Asks for an upload address and PUTs the part's file to it, in one activity: every attempt has a fresh address, which
 * never leaves it (I4). Twice is once: an object that is not confirmed is never processed.
 */
export function createUploadFile(
  deps: Dependencies,
): (input: PartRef) => Promise<{ readonly fileKey: string }> {
  const { state, api } = deps;
  return async (ref) =>
    await requestAttempt(deps, ref.runId, async ({ signal, progress }) => {
      const run = await runOf(deps, ref);
      const { runId, chunk, stage, part } = ref;
      const { stream } = syncOf(deps, run.sync);
      const name = { runId, chunk, stage, part };
      const sending = { ...name, form: "file", host: deps.hostId } as const;
      const receipt = await state.beginPart({ ...sending, at: isoNow(deps) });
      const { attempts } = receipt;
      if (receipt.state !== "sending" && receipt.fileKey !== null) {
        return { fileKey: receipt.fileKey };
      }
      signal.throwIfAborted();
      const { uploadUrl, fileKey } = await api.generateUploadUrl({ stream, signal });
      await api.putFile({
        uploadUrl,
        path: stagedFile(deps.stagingFolder, name, part),
        bytes: receipt.gzipBytes,
        gzipSha256: receipt.gzipSha256 ?? "",
        onBytes: (sent) => progress({ chunk, part, sent, of: receipt.gzipBytes }),
        signal,
      });
      await state.movePart({ ...name, attempts, state: "uploaded", fileKey, at: isoNow(deps) });
      return { fileKey };
    });
}
