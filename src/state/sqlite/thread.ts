import { parentPort, type MessagePort } from "node:worker_threads";

import { z } from "zod";

import { answerInTurn, packError, type ThreadCall } from "../../thread.ts";
import { openStateMethods } from "./open-methods.ts";
import { asStateError } from "./state-fault.ts";

const opening = z.object({ file: z.string(), onlyReads: z.boolean() });

/** The store, or undefined: then its opener has been told why, and this thread ends. */
function open({
  file,
  onlyReads,
}: z.output<typeof opening>): ReturnType<typeof openStateMethods> | undefined {
  try {
    return openStateMethods(file, { onlyReads });
  } catch (error) {
    parentPort?.postMessage({ error: packError(asStateError(error, file)) });
    return undefined;
  }
}

parentPort?.once("message", (asked: unknown) => {
  const { file, onlyReads } = opening.parse(asked);
  const store = open({ file, onlyReads });
  if (store === undefined) return;
  const { storeId, methods, close } = store;
  const answer = answerInTurn(methods, (error) => asStateError(error, file));
  parentPort?.on("message", (control: { readonly port: MessagePort } | "close") => {
    if (control === "close") {
      close();
      process.exit(0);
    }
    const { port } = control;
    port.on("message", (call: ThreadCall) => {
      void answer(call).then((answered) => port.postMessage(answered));
    });
  });
  parentPort?.postMessage({ storeId });
});
