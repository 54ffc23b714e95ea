import type { Swept } from "../../activities/inbox/sweep-inboxes.ts";
import { sweepInboxes } from "../policies.ts";

/** Looks through all inboxes for events whose doorbell was not heard, and for what may go. Started by a schedule. */
export async function inboxSweep(): Promise<Swept> {
  return await sweepInboxes();
}
