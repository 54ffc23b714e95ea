import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";

import { stageLine } from "../../../activities/stage/stage-line.ts";
import type { StageThreads } from "../../../activities/stage/stage-threads.ts";
import { sources } from "../../../connectors/registry.ts";
import { connectorOf } from "../../../connectors/source.ts";
import { runEffect, type Effect } from "../../../src/effect.ts";
import { stateOnPort } from "../../../src/state/port.ts";
import { type HowKeysAreKept, openStateMethods } from "../../../src/state/sqlite/open-methods.ts";
import { asStateError } from "../../../src/state/sqlite/state-fault.ts";
import { answerInTurn } from "../../../src/state/sqlite/turns.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import type { ServedStore } from "../../../src/state/store-thread.ts";
import type { ThreadCall } from "../../../src/thread.ts";
import { layNewStore } from "./new-store.ts";

// A thread that runs from source strips its types each time, which takes a quarter of a second: too much for every
// test. The code is the same as in the threads, and so is the port.

/**
 * The SQLite store of a folder, in the calling thread; `effect` wraps its writes, and `kept` makes few keys behave as
 * many otherwise would.
 */
export async function openStoreInline(
  stateFolder: string,
  effect: Effect = runEffect,
  kept: HowKeysAreKept = {},
): Promise<StateStore> {
  const file = join(stateFolder, "state.db");
  layNewStore(file);
  const opened = openStateMethods(file, kept);
  const asFault = (error: unknown): unknown => asStateError(error, file);
  const answer = answerInTurn(opened.methods, asFault, opened.turns);
  return answeredHere({ ...opened, answer }, effect);
}

/** A store that is open in the calling thread, accessed over ports as in a thread of its own. */
export function answeredHere({ storeId, answer, close }: ServedStore, effect: Effect): StateStore {
  const openPort: StateStore["openPort"] = () => {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (call: ThreadCall) => {
      void answer(call).then((answered) => port1.postMessage(answered));
    });
    port1.unref();
    return port2;
  };
  const port = openPort();
  return {
    ...stateOnPort(port, effect),
    storeId,
    now: Date.now,
    openPort,
    close: async () => {
      port.close();
      await close();
    },
  };
}

/** Stages in the calling thread, on a store that already has its effect. */
export function stageInline(state: StateStore, effect: Effect = runEffect): StageThreads {
  return {
    run: async (job, { signal, progress }) => {
      const source = connectorOf({ sources }, job.connector);
      return await stageLine(job, { source, state, effect, signal, progress });
    },
    close: async () => undefined,
  };
}
