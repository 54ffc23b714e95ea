import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";

/** A record that the service refused, by its key and the hash of its line. */
export const refusalRow = z
  .object({
    key: z.string(),
    /** Of its line; see `hashesOf`. */
    hash: z.instanceof(Uint8Array),
    code: z.string(),
    field: z.string().nullable(),
  })
  .readonly();

/** A record that the service refused. */
export type Refusal = z.output<typeof refusalRow>;

/** What the service refused in chunks that are not committed: whoever stages one again need not find it again. */
export interface RefusalStore {
  /**
   * Those that were noted after `since` (ISO): older ones are tried again, because the fault may have been
   * the service's.
   */
  refusals(input: SyncName & { readonly since: string }): Refusal[];
  /** Has all of them tried again. */
  forgetRefusals(input: SyncName): void;
}
