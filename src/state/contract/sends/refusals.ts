import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";

/** A record that the service refused, by its key and the hash of its line. */
export const refusalRow = z
  .object({
    key: z.string(),
    /** Hash of its line; see `hashOf`. */
    hash: z.instanceof(Uint8Array),
    code: z.string(),
    field: z.string().nullable(),
  })
  .readonly();

/** A record that the service refused. */
export type Refusal = z.output<typeof refusalRow>;

/** What the service refused in chunks that are not committed, so that staging one again need not rediscover it. */
export interface RefusalStore {
  /**
   * Refusals that were noted after `since` (ISO). Older ones are tried again, because the fault may have been the
   * service's.
   */
  refusals(input: SyncName & { readonly since: string }): Refusal[];
  /** Forgets all refusals of a sync, so that its records are tried again. */
  forgetRefusals(input: SyncName): void;
}
