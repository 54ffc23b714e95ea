import { parentPort, receiveMessageOnPort, type MessagePort } from "node:worker_threads";

import { packError, type Answering, type PackedError, type ThreadCall } from "../thread.ts";

// The messages between a store's thread and its opener.

/** A store that is open in its thread. */
export type ServedStore = {
  readonly storeId: string;
  readonly answer: Answering;
  readonly close: () => Promise<void> | void;
};

/** The first message of a store's thread: the store's id, or why it cannot be opened. */
export type OpenedStore = { readonly storeId: string } | { readonly error: PackedError };

/** The later messages of its opener. */
type Control = { readonly port: MessagePort } | "close";

/** Opens a store in this thread once the opener says which, and answers the calls on each port that it receives. */
export function serveStore(open: (asked: unknown) => Promise<ServedStore>): void {
  parentPort?.once("message", (asked: unknown) => {
    void open(asked).then(serve, (error: unknown) => {
      // The opener learns why, and this thread ends.
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
    // `close` arrives on a channel of its own, and so may overtake calls that were made before it.
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
