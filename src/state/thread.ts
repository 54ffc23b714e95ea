// The state store's thread: SQLite is synchronous, and a transaction must never hold up heartbeats.
import { parentPort, workerData, type MessagePort } from "node:worker_threads";

import { z } from "zod";

import { packError } from "../thread.ts";
import { openStateMethods } from "./open-methods.ts";
import type { StateReply, StateRequest } from "./port.ts";
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
  const answer = ({ id, method, input }: StateRequest): StateReply => {
    try {
      const result: unknown = Reflect.apply(methods[method], undefined, [input]);
      return { id, result, error: undefined };
    } catch (error) {
      return { id, result: undefined, error: packError(asStateError(error, file)) };
    }
  };
  parentPort?.on("message", (control: { readonly port: MessagePort } | "close") => {
    if (control === "close") {
      close();
      process.exit(0);
    }
    const { port } = control;
    port.on("message", (request: StateRequest) => port.postMessage(answer(request)));
  });
  parentPort?.postMessage({ storeId });
}
