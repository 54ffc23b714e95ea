import { once } from "node:events";

import { z } from "zod";

/** The line in which a process started with `--inspect` prints the address of its inspector. */
const inspectorLine = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g;

const answerSchema = z.object({
  id: z.int(),
  result: z.looseObject({ usedSize: z.number().optional() }),
});

/** The address of a process's inspector, from its output: a receiver restarts itself, and prints it twice. */
export function inspectorOf(stderr: string): string | undefined {
  return stderr.match(inspectorLine)?.at(-1);
}

async function failed(socket: WebSocket, address: string): Promise<never> {
  await once(socket, "error");
  throw new Error(`${address} does not answer`);
}

/** Makes a process collect its garbage, and returns the bytes of its heap that are then in use. */
export async function heapBytes(address: string): Promise<number> {
  const socket = new WebSocket(address);
  try {
    await Promise.race([once(socket, "open"), failed(socket, address)]);
    let used = 0;
    // Twice: a finalizer may have kept alive what the first one finds dead.
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
