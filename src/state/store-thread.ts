import { parentPort, receiveMessageOnPort, type MessagePort } from "node:worker_threads";

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
  const ports: MessagePort[] = [];
  const underWay = new Set<Promise<void>>();
  const take = (port: MessagePort, call: ThreadCall): void => {
    const answered = answer(call).then((said) => port.postMessage(said));
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
  };
  const end = async (): Promise<void> => {
    // The word to close comes by a way of its own, and so before calls that were made before it.
    for (const port of ports) {
      for (let left = nextOn(port); left !== undefined; left = nextOn(port)) take(port, left);
    }
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
    ports.push(port);
    port.on("message", (call: ThreadCall) => take(port, call));
    port.on("close", () => ports.splice(ports.indexOf(port), 1));
  });
  parentPort?.postMessage({ storeId } satisfies OpenedStore);
}

/** The next call that waits on a port, or undefined. */
function nextOn(port: MessagePort): ThreadCall | undefined {
  const waiting: { readonly message: ThreadCall } | undefined = receiveMessageOnPort(port);
  return waiting?.message;
}
