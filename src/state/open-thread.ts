import { once } from "node:events";
import { MessageChannel, type Worker } from "node:worker_threads";

import { unpackError } from "../thread.ts";
import { stateOnPort } from "./port.ts";
import type { StateStore } from "./state-store.ts";
import type { OpenedStore } from "./store-thread.ts";

/** Has a thread open the store that `asked` names; the store's `close` ends the thread. */
export async function storeInThread(thread: Worker, asked: unknown): Promise<StateStore> {
  thread.ref();
  thread.postMessage(asked);
  const storeId = await new Promise<string>((resolve, reject) => {
    thread.once("message", (opened: OpenedStore) => {
      if ("storeId" in opened) resolve(opened.storeId);
      else reject(unpackError(opened.error));
    });
    thread.once("error", reject);
  });
  thread.unref();
  const openPort: StateStore["openPort"] = () => {
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ port: port1 }, [port1]);
    return port2;
  };
  return {
    ...stateOnPort(openPort()),
    storeId,
    now: Date.now,
    openPort,
    close: async () => {
      const ended = once(thread, "exit");
      thread.ref();
      thread.postMessage("close");
      await ended;
    },
  };
}
