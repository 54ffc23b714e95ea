import { ApiContractError, TooLargeError } from "../../src/errors.ts";
import { chunkName } from "../../src/lane-of.ts";
import { stagedFile } from "../../src/staging/folder.ts";
import type { Receipt } from "../../src/state/contract/sends/receipts.ts";
import { requestAttempt } from "../attempt.ts";
import { isoNow, syncOf, type Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";
import { prepareCommit } from "./prepare-commit.ts";
import { withRetryBudget } from "./retry-budget.ts";

/**
 * Asks for an upload address and PUTs the part's file to it, in one activity: every attempt has a fresh address, which
 * never leaves it (I4). Twice is once: an object that is not confirmed is never processed.
 */
export function createUploadFile(
  deps: Dependencies,
): (input: PartRef) => Promise<{ readonly fileKey: string }> {
  const { state, api } = deps;
  return async (ref) =>
    await requestAttempt(deps, ref, async ({ run, signal, progress }) => {
      const { runId, chunk, stage, part } = ref;
      const { stream } = syncOf(deps, run.sync);
      const name = { runId, chunk, stage, part };
      const sending = { ...name, form: "file", host: deps.hostId } as const;
      const receipt = await state.beginPart({ ...sending, at: isoNow(deps) });
      const { attempts } = receipt;
      if (receipt.state === "staged") throw tooLarge(receipt);
      if (receipt.state !== "sending" && receipt.fileKey !== null) {
        return { fileKey: receipt.fileKey };
      }
      signal.throwIfAborted();
      const prepared = prepareCommit(deps, ref);
      const fileKey = await withRetryBudget(deps, name, async () => {
        const { uploadUrl, fileKey: key } = await api.generateUploadUrl({ stream, signal });
        if (!(await state.claimKey({ ...name, attempts, fileKey: key }))) throw keyGivenTwice();
        await api.putFile({
          uploadUrl,
          path: stagedFile(deps.stagingFolder, name, part),
          bytes: receipt.gzipBytes,
          gzipSha256: receipt.gzipSha256 ?? "",
          onBytes: (sent) => progress({ chunk, part, sent, of: receipt.gzipBytes }),
          signal,
        });
        return key;
      });
      await state.movePart({ ...name, attempts, state: "uploaded", fileKey, at: isoNow(deps) });
      await prepared;
      return { fileKey };
    });
}

/** The error of a part that is not smaller than one of its run that was refused for its size. */
export function tooLarge({ chunk, part }: Pick<Receipt, "chunk" | "part">): TooLargeError {
  return new TooLargeError(
    `part ${part} of ${chunkName(chunk)} is not smaller than one that was too large before`,
  );
}

function keyGivenTwice(): ApiContractError {
  return new ApiContractError(
    "POST /ingestion/generate-upload-url: its file_key belongs to another upload, which would be overwritten",
    {
      hint: "run the sync again; if it happens again, the service gives keys out twice: tell its operator",
    },
  );
}
