import { once } from "node:events";

import { z } from "zod";

/** Where a process that was started with `--inspect` says that it may be asked. */
const inspectorLine = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g;

const answerSchema = z.object({
  id: z.int(),
  result: z.looseObject({ usedSize: z.number().optional() }),
});

/** The address of a process's inspector, out of what it printed: a receiver starts itself anew, and says it twice. */
export function inspectorOf(stderr: string): string | undefined {
  return stderr.match(inspectorLine)?.at(-1);
}

async function failed(socket: WebSocket, address: string): Promise<never> {
  await once(socket, "error");
  throw new Error(`${address} does not answer`);
}

/** Has a process collect its garbage, and tells the bytes of its heap that are in use then. */
export async function heapBytes(address: string): Promise<number> {
  const socket = new WebSocket(address);
  try {
    await Promise.race([once(socket, "open"), failed(socket, address)]);
    let used = 0;
    // Twice: what the first finds dead may have held something by a finalizer.
    const asked = [
      "HeapProfiler.collectGarbage",
      "HeapProfiler.collectGarbage",
      "Runtime.getHeapUsage",
    ];
    for (const [id, method] of asked.entries()) {
      const answered = once(socket, "message");
      socket.send(JSON.stringify({ id, method }));
      const [event] = z.tuple([z.object({ data: z.string() })]).parse(await answered);
      used = answerSchema.parse(JSON.parse(event.data)).result.usedSize ?? used;
    }
    return used;
  } finally {
    socket.close();
  }
}
