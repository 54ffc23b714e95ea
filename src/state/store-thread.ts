import { parentPort, type MessagePort } from "node:worker_threads";

import { packError, type Answering, type PackedError, type ThreadCall } from "../thread.ts";

// What a store's thread and its opener say to each other.

/** A store that is open in its thread. */
export type ServedStore = {
  readonly storeId: string;
  readonly answer: Answering;
  readonly close: () => Promise<void> | void;
};

/** What a store's thread says first: whose it is, or why it cannot be opened. */
export type OpenedStore = { readonly storeId: string } | { readonly error: PackedError };

/** What its opener says then. */
type Control = { readonly port: MessagePort } | "close";

/** Opens a store in this thread once the opener says which, and answers over each port that it is given. */
export function serveStore(open: (asked: unknown) => Promise<ServedStore>): void {
  parentPort?.once("message", (asked: unknown) => {
    void open(asked).then(serve, (error: unknown) => {
      // Its opener has been told why, and this thread ends.
      parentPort?.postMessage({ error: packError(error) } satisfies OpenedStore);
    });
  });
}

function serve({ storeId, answer, close }: ServedStore): void {
  const underWay = new Set<Promise<void>>();
  const end = async (): Promise<void> => {
    await Promise.all(underWay);
    await close();
    process.exit(0);
  };
  parentPort?.on("message", (control: Control) => {
    if (control === "close") {
      void end();
      return;
    }
    const { port } = control;
    port.on("message", (call: ThreadCall) => {
      const answered = answer(call).then((said) => port.postMessage(said));
      underWay.add(answered);
      void answered.finally(() => underWay.delete(answered));
    });
  });
  parentPort?.postMessage({ storeId } satisfies OpenedStore);
}
