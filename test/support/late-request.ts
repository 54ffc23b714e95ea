import type { ApiClient } from "../../src/api/client.ts";
import { OutcomeUnknownError } from "../../src/errors.ts";
import { failureOf } from "./project/harness.ts";
import type { Staged, TestRun } from "./project/test-run.ts";

/**
 * How the attempt of a delayed request ends: with its answer, without it, or because its worker aborted it, after the
 * request arrived or before.
 */
export type LateEnd = "aborted" | "aborted before" | "answered" | "answer lost";

/** A request that has begun and is delayed on its way to the service. */
export type LateRequest = {
  /** Lets it arrive. Returns the type of failure that its attempt ends with, undefined when it succeeds. */
  arrive(): Promise<string | undefined>;
};

/** Sends a part of a staged chunk, and delays its request until `arrive`. */
export async function lateRequest(
  run: TestRun,
  staged: Pick<Staged, "chunk" | "stage">,
  how: LateEnd = "answer lost",
): Promise<LateRequest> {
  const { harness } = run;
  const { api } = harness.deps;
  const [hasLeft, wakeUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const landed = Promise.withResolvers<Awaited<ReturnType<typeof api.uploadJson>>>();
  const uploadJson: ApiClient["uploadJson"] = async (input) => {
    input.beforeSend?.();
    hasLeft.resolve();
    const { signal } = new AbortController();
    const landing = wakeUp.promise.then(
      async () => await api.uploadJson({ ...input, signal, beforeSend: undefined }),
    );
    landing.then(landed.resolve, landed.reject);
    if (how !== "aborted before") await landing;
    if (how === "answered") return await landing;
    if (how !== "answer lost") throw new DOMException("aborted", "AbortError");
    throw new OutcomeUnknownError("POST /ingestion/upload-json: no answer (ECONNRESET)");
  };
  const part = run.part(staged);
  const { uploadJson: upload } = harness.activitiesWith({ api: { ...api, uploadJson } });
  const sending = harness.perform(upload, part);
  sending.catch(() => undefined);
  await hasLeft.promise;
  if (how === "aborted before") await sending.catch(() => undefined);
  return {
    arrive: async () => {
      wakeUp.resolve();
      await landed.promise;
      const failed = await sending.then(
        () => undefined,
        async (error: unknown) => await failureOf(Promise.reject(error)).catch(() => undefined),
      );
      return failed?.type ?? undefined;
    },
  };
}
