import type { Mutant } from "./mutant.ts";
import { mutantsOfAnswers } from "./table/answers.ts";
import { mutantsOfAudits } from "./table/audited.ts";
import { mutantsOfAuthors } from "./table/authors.ts";
import { mutantsOfBackfills } from "./table/backfills.ts";
import { mutantsOfCells } from "./table/cells.ts";
import { mutantsOfCommandLine } from "./table/command-line.ts";
import { mutantsOfCommands } from "./table/commands.ts";
import { mutantsOfConnectors } from "./table/connectors.ts";
import { mutantsOfConsent } from "./table/consent.ts";
import { mutantsOfDated } from "./table/dated.ts";
import { mutantsOfDeflate } from "./table/deflate.ts";
import { mutantsOfDeployed } from "./table/deployed.ts";
import { mutantsOfDoubts } from "./table/doubts.ts";
import { mutantsOfEngine } from "./table/engine.ts";
import { mutantsOfErased } from "./table/erased.ts";
import { mutantsOfExplained } from "./table/explained.ts";
import { mutantsOfFields } from "./table/fields.ts";
import { mutantsOfFirstLoads } from "./table/first-loads.ts";
import { mutantsOfForeignPrograms } from "./table/foreign.ts";
import { mutantsOfHolds } from "./table/holds.ts";
import { mutantsOfHosts } from "./table/hosts.ts";
import { mutantsOfIdentities } from "./table/identities.ts";
import { mutantsOfInbox } from "./table/inbox.ts";
import { mutantsOfJsonCells } from "./table/json-cells.ts";
import { mutantsOfKeptEvents } from "./table/kept-events.ts";
import { mutantsOfKeys } from "./table/keys.ts";
import { mutantsOfKnownBlocks } from "./table/known-blocks.ts";
import { mutantsOfLateRequests } from "./table/late-requests.ts";
import { mutantsOfLate } from "./table/late.ts";
import { mutantsOfLaunches } from "./table/launches.ts";
import { mutantsOfLists } from "./table/lists.ts";
import { mutantsOfMetrics } from "./table/metrics.ts";
import { mutantsOfNamedEnds } from "./table/named-ends.ts";
import { mutantsOfOpenRejects } from "./table/open-rejects.ts";
import { mutantsOfOperator, mutantsOfRestored } from "./table/operator.ts";
import { mutantsOfOtherStores } from "./table/other-stores.ts";
import { mutantsOfOurs } from "./table/ours.ts";
import { mutantsOfPageMemory } from "./table/page-memory.ts";
import { mutantsOfPages } from "./table/pages.ts";
import { mutantsOfPlainScans } from "./table/plain-scan.ts";
import { mutantsOfPlainRows } from "./table/plain.ts";
import { mutantsOfPlanTexts } from "./table/plan-texts.ts";
import { mutantsOfPlans } from "./table/plans.ts";
import { mutantsOfPostgresChanges } from "./table/postgres-changes.ts";
import { mutantsOfPostgresKeys } from "./table/postgres-keys.ts";
import { mutantsOfPostgresStore } from "./table/postgres-store.ts";
import { mutantsOfPostgresWaits } from "./table/postgres-waits.ts";
import { mutantsOfPrepared } from "./table/prepared.ts";
import { mutantsOfPullPages } from "./table/pull-pages.ts";
import { mutantsOfPulls } from "./table/pulls.ts";
import { mutantsOfRecords } from "./table/records.ts";
import { mutantsOfRepeats } from "./table/repeats.ts";
import { mutantsOfRequests } from "./table/requests.ts";
import { mutantsOfReviews } from "./table/reviewed.ts";
import { mutantsOfRunWords } from "./table/run-words.ts";
import { mutantsOfSentAgain } from "./table/sent-again.ts";
import { mutantsOfSentTwice } from "./table/sent-twice.ts";
import { mutantsOfSharedInbox } from "./table/shared-inbox.ts";
import { mutantsOfSightings } from "./table/sightings.ts";
import { mutantsOfStagedKeys } from "./table/staged-keys.ts";
import { mutantsOfStores } from "./table/stores.ts";
import { mutantsOfSyncTests } from "./table/sync-tests.ts";
import { mutantsOfTold } from "./table/told.ts";
import { mutantsOfUnnamed } from "./table/unnamed.ts";
import { mutantsOfVanished } from "./table/vanished.ts";
import { mutantsOfVerified } from "./table/verified.ts";
import { mutantsOfWebhooks } from "./table/webhooks.ts";
import { mutantsOfWorkflows } from "./table/workflows.ts";
import { mutantsOfYear } from "./table/year.ts";
import { mutantsOfZones } from "./table/zones.ts";

/** M12 -> 12. */
function numberOf({ id }: Mutant): number {
  return Number.parseInt(id.slice(1), 10);
}

/** Every mutant, those of docs/facts/faults.md#mutants first. */
export const mutants: readonly Mutant[] = [
  ...[...mutantsOfRecords, ...mutantsOfRequests, ...mutantsOfPulls, ...mutantsOfWebhooks].toSorted(
    (a, b) => numberOf(a) - numberOf(b),
  ),
  ...mutantsOfOurs,
  ...mutantsOfReviews,
  ...mutantsOfAudits,
  ...mutantsOfAuthors,
  ...mutantsOfInbox,
  ...mutantsOfBackfills,
  ...mutantsOfDoubts,
  ...mutantsOfLaunches,
  ...mutantsOfLate,
  ...mutantsOfLists,
  ...mutantsOfDeployed,
  ...mutantsOfLateRequests,
  ...mutantsOfSentAgain,
  ...mutantsOfConnectors,
  ...mutantsOfAnswers,
  ...mutantsOfCommands,
  ...mutantsOfCommandLine,
  ...mutantsOfStagedKeys,
  ...mutantsOfSentTwice,
  ...mutantsOfOpenRejects,
  ...mutantsOfPages,
  ...mutantsOfTold,
  ...mutantsOfRunWords,
  ...mutantsOfDated,
  ...mutantsOfDeflate,
  ...mutantsOfEngine,
  ...mutantsOfUnnamed,
  ...mutantsOfIdentities,
  ...mutantsOfNamedEnds,
  ...mutantsOfZones,
  ...mutantsOfFields,
  ...mutantsOfFirstLoads,
  ...mutantsOfForeignPrograms,
  ...mutantsOfRepeats,
  ...mutantsOfWorkflows,
  ...mutantsOfSightings,
  ...mutantsOfPlainRows,
  ...mutantsOfPageMemory,
  ...mutantsOfPlainScans,
  ...mutantsOfCells,
  ...mutantsOfJsonCells,
  ...mutantsOfKeys,
  ...mutantsOfKeptEvents,
  ...mutantsOfKnownBlocks,
  ...mutantsOfHosts,
  ...mutantsOfStores,
  ...mutantsOfPostgresKeys,
  ...mutantsOfOtherStores,
  ...mutantsOfPrepared,
  ...mutantsOfPullPages,
  ...mutantsOfPostgresStore,
  ...mutantsOfExplained,
  ...mutantsOfPostgresChanges,
  ...mutantsOfPostgresWaits,
  ...mutantsOfSyncTests,
  ...mutantsOfSharedInbox,
  ...mutantsOfHolds,
  ...mutantsOfOperator,
  ...mutantsOfRestored,
  ...mutantsOfConsent,
  ...mutantsOfVerified,
  ...mutantsOfVanished,
  ...mutantsOfErased,
  ...mutantsOfMetrics,
  ...mutantsOfPlans,
  ...mutantsOfPlanTexts,
  ...mutantsOfYear,
];
