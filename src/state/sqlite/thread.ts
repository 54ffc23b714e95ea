import { z } from "zod";

import { serveStore } from "../store-thread.ts";
import { openStateMethods } from "./open-methods.ts";
import { asStateError } from "./state-fault.ts";
import { answerInTurn } from "./turns.ts";

const opening = z.object({ file: z.string(), onlyReads: z.boolean() });

serveStore(async (asked) => {
  const { file, onlyReads } = opening.parse(asked);
  const asFault = (error: unknown): unknown => asStateError(error, file);
  try {
    const { storeId, methods, turns, close } = openStateMethods(file, { onlyReads });
    return { storeId, answer: answerInTurn(methods, asFault, turns), close };
  } catch (error) {
    throw asFault(error);
  }
});
