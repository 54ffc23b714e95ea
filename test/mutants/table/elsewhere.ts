import type { Elsewhere } from "../mutant.ts";

const webhooks = "there is no webhook receiver yet";

/** Mutants of faults.md, section 10, that can be planted in nothing yet. */
export const mutantsElsewhere: readonly Elsewhere[] = [
  { id: "M6", plants: "a webhook is answered 2xx before fsync", reason: webhooks },
  { id: "M7", plants: "an event's id is noted before its payload", reason: webhooks },
];
