import type { Config } from "../../config/config.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { Context } from "../output/context.ts";
import type { askTemporal } from "../running/ask-temporal.ts";

/** The project that pages look at. */
export type Sight = {
  readonly config: Config;
  readonly state: StateStore;
  readonly context: Context;
  readonly whatTemporalSays: typeof askTemporal;
  /** Whether rejects are shown with the rows that they were made of. */
  readonly showsRows: boolean;
};
