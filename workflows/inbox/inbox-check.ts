import type { InboxesChecked } from "../../activities/inbox/check-inboxes.ts";
import { checkInboxes } from "../policies.ts";

/** Checks all inboxes for events whose notifier was not heard, and for what may be removed. Started by a schedule. */
export async function inboxCheck(): Promise<InboxesChecked> {
  return await checkInboxes();
}
