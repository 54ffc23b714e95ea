import { z } from "zod";

import { answerInTurn } from "../../thread.ts";
import { serveStore } from "../store-thread.ts";
import { methodsAside, openStateMethods } from "./open-methods.ts";
import { asStateError } from "./state-fault.ts";

const opening = z.object({ file: z.string(), onlyReads: z.boolean() });

serveStore(async (asked) => {
  const { file, onlyReads } = opening.parse(asked);
  const asFault = (error: unknown): unknown => asStateError(error, file);
  try {
    const { storeId, methods, close } = openStateMethods(file, { onlyReads });
    return { storeId, answer: answerInTurn(methods, asFault, methodsAside), close };
  } catch (error) {
    throw asFault(error);
  }
});
