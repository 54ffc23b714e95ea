import type { Mutant } from "./mutant.ts";
import { mutantsOfBackfills } from "./table/backfills.ts";
import { mutantsOfInbox } from "./table/inbox.ts";
import { mutantsOfOurs } from "./table/ours.ts";
import { mutantsOfPulls } from "./table/pulls.ts";
import { mutantsOfRecords } from "./table/records.ts";
import { mutantsOfRequests } from "./table/requests.ts";
import { mutantsOfReviews } from "./table/reviewed.ts";
import { mutantsOfWebhooks } from "./table/webhooks.ts";

/** M12 -> 12. */
function numberOf({ id }: Mutant): number {
  return Number.parseInt(id.slice(1), 10);
}

/** Every mutant, those of faults.md first. */
export const mutants: readonly Mutant[] = [
  ...[...mutantsOfRecords, ...mutantsOfRequests, ...mutantsOfPulls, ...mutantsOfWebhooks].toSorted(
    (a, b) => numberOf(a) - numberOf(b),
  ),
  ...mutantsOfOurs,
  ...mutantsOfReviews,
  ...mutantsOfInbox,
  ...mutantsOfBackfills,
];
