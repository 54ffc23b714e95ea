import { parentPort, workerData, type MessagePort } from "node:worker_threads";

import { z } from "zod";

import { answerCall, packError, type ThreadCall } from "../../thread.ts";
import { openStateMethods } from "./open-methods.ts";
import { asStateError } from "./state-fault.ts";

const { file, onlyReads } = z
  .object({ file: z.string(), onlyReads: z.boolean() })
  .parse(workerData);

/** The store, or undefined: then its opener has been told why, and this thread ends. */
function open(): ReturnType<typeof openStateMethods> | undefined {
  try {
    return openStateMethods(file, { onlyReads });
  } catch (error) {
    parentPort?.postMessage({ error: packError(asStateError(error, file)) });
    return undefined;
  }
}

const store = open();

if (store !== undefined) {
  const { storeId, methods, close } = store;
  const asFault = (error: unknown): unknown => asStateError(error, file);
  parentPort?.on("message", (control: { readonly port: MessagePort } | "close") => {
    if (control === "close") {
      close();
      process.exit(0);
    }
    const { port } = control;
    port.on("message", (call: ThreadCall) => port.postMessage(answerCall(call, methods, asFault)));
  });
  parentPort?.postMessage({ storeId });
}
