import { z } from "zod";

import { Secret, unpackSecrets } from "../../security/secret.ts";
import { answerAtOnce } from "../../thread.ts";
import { serveStore } from "../store-thread.ts";
import { openPostgresMethods } from "./open-methods.ts";
import { asStoreError } from "./store-error.ts";

const opening = z.object({
  server: z.object({
    url: z.instanceof(Secret),
    schema: z.string(),
    project: z.string().optional(),
  }),
  stateFolder: z.string().optional(),
});

serveStore(async (asked) => {
  const { server, stateFolder } = opening.parse(unpackSecrets(asked));
  const { storeId, methods, close } = await openPostgresMethods(server, { stateFolder });
  // Each call has a connection of its own, so none waits for another unless the pool has none left.
  const answer = answerAtOnce(methods, (error) => asStoreError(error, server, true));
  return { storeId, answer, close };
});
