import type { DatabaseSync } from "node:sqlite";

import { shortenAges } from "./migration-age-runs.ts";
import { figures, openRejects, partTimes } from "./migration-figures.ts";
import { firstTables } from "./migration-first.ts";
import { hashKeys } from "./migration-hashed-keys.ts";
import { adoptions, holds, openedMappings, runHosts } from "./migration-holds.ts";
import { identities } from "./migration-identities.ts";
import { knownBlocks } from "./migration-known-blocks.ts";
import { rateLimits } from "./migration-rate-limits.ts";
import { rejectKeys } from "./migration-reject-keys.ts";
import { renames } from "./migration-renames.ts";
import { pendingRequests } from "./migration-requests.ts";
import { sightings } from "./migration-sightings.ts";
import { stagedKeys } from "./migration-staged-keys.ts";
import { unsent } from "./migration-unsent.ts";
import { vanished } from "./migration-vanished.ts";
import { workerFacts } from "./migration-workers.ts";

/** A step, as SQL or as a function; it runs inside a transaction. */
export type Migration = string | ((db: DatabaseSync) => void);

/**
 * The schema as numbered steps; step n brings a store of version n-1 to n. A step that was released is never edited:
 * a change is a new step at the end.
 */
export const migrations: readonly Migration[] = [
  firstTables,
  pendingRequests + workerFacts + identities + unsent,
  rateLimits,
  sightings,
  hashKeys,
  renames,
  stagedKeys,
  holds,
  runHosts,
  figures,
  adoptions,
  rejectKeys,
  openRejects,
  partTimes,
  vanished,
  shortenAges,
  knownBlocks,
  openedMappings,
];
