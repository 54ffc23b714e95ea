import { Worker } from "node:worker_threads";

import { StateUnavailableError } from "../errors.ts";
import { threadFile, unpackError, type PackedError } from "../thread.ts";
import { inboxFileIn } from "./file.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Inbox, InboxMethods } from "./inbox.ts";

type Method = Exclude<keyof InboxMethods, "inboxId">;

/** A call as it crosses to the inbox's thread; calls are answered in their order. */
export type InboxRequest = { readonly method: Method; readonly input: readonly unknown[] };

/** Its answer; `result` is what the method returned. */
export type InboxReply = { readonly result: unknown; readonly error: PackedError | undefined };

/**
 * Opens the inbox of a state folder, for all processes of one host. Its thread ends with `close`, which waits for what is being kept.
 * @throws {ConfigError} the folder is on a network file system, or its file was made by a newer sluice.
 * @throws {StateUnavailableError} the file cannot be opened or written.
 */
export async function openInbox(stateFolder: string): Promise<Inbox> {
  const workerData = { file: inboxFileIn(stateFolder) };
  const thread = new Worker(threadFile("thread", import.meta.url), { workerData });
  const inboxId = await new Promise<string>((resolve, reject) => {
    thread.once("message", (opened: { inboxId: string } | { error: PackedError }) => {
      if ("inboxId" in opened) resolve(opened.inboxId);
      else reject(unpackError(opened.error));
    });
    thread.once("error", reject);
  });
  const ended = new Promise((resolve) => thread.once("exit", resolve));
  const call = createCalls(thread);
  const groups = createGroupCommit(call("keep"));
  return {
    inboxId,
    keep: groups.keep,
    answerBell: call("answerBell"),
    setAccepted: call("setAccepted"),
    backlogs: call("backlogs"),
    read: call("read"),
    get: call("get"),
    prune: call("prune"),
    forgetIds: call("forgetIds"),
    close: async () => {
      await groups.idle();
      thread.ref();
      thread.postMessage("close");
      await ended;
    },
  };
}

type Waiting = {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
};

/** Makes calls to the thread, which keeps the process alive only while one is under way. */
function createCalls(
  thread: Worker,
): <Name extends Method>(
  name: Name,
) => (...input: Parameters<InboxMethods[Name]>) => Promise<ReturnType<InboxMethods[Name]>> {
  let waiting: Waiting[] = [];
  let gone: StateUnavailableError | undefined;
  thread.on("message", ({ result, error }: InboxReply & { readonly result: never }) => {
    const call = waiting.shift();
    if (waiting.length === 0) thread.unref();
    if (error === undefined) call?.resolve(result);
    else call?.reject(unpackError(error));
  });
  const end = (cause?: unknown): void => {
    gone ??= new StateUnavailableError("the inbox was closed, or its thread ended", { cause });
    for (const { reject } of waiting) reject(gone);
    waiting = [];
  };
  thread.on("error", end);
  thread.on("exit", () => end());
  thread.unref();
  return (method) =>
    async (...input) =>
      await new Promise((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        // First, since it throws for what cannot cross: then no answer comes.
        thread.postMessage({ method, input } satisfies InboxRequest);
        waiting.push({ resolve, reject });
        thread.ref();
      });
}
