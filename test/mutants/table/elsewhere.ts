import type { Elsewhere } from "../mutant.ts";

const webhooks = "there is no webhook receiver yet";
const postgres = "there is no Postgres connector yet";

/** Mutants of faults.md, section 10, that can be planted in nothing yet. */
export const mutantsElsewhere: readonly Elsewhere[] = [
  { id: "M4", plants: "a position is carried as a Date", reason: postgres },
  { id: "M6", plants: "a webhook is answered 2xx before fsync", reason: webhooks },
  { id: "M7", plants: "an event's id is noted before its payload", reason: webhooks },
  { id: "M16", plants: "a pg client has no error listener", reason: postgres },
];
