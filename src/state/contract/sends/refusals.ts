import { z } from "zod";

import type { RejectEntry } from "../rejects/rejects.ts";
import type { SyncName } from "../runs/checkpoints.ts";
import type { StageName } from "./stagings.ts";

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

/** Notes refusals, and forgets them with the commit of their chunk; both to be called inside a transaction. */
export type Refusing = {
  note(name: StageName, rejects: readonly RejectEntry[], at: string): void;
  forget(name: StageName & { readonly send: number }): void;
};
