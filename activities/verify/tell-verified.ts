import { verifiedMessage } from "../../src/notify/verified-message.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import { receiverOf } from "../notify/post-notification.ts";
import type { VerifiedNotice } from "./inputs.ts";

/** The names of all receivers: a failed verification, like a failed run, is announced to all of them. */
export function createVerifyReceivers({
  config,
}: Pick<Dependencies, "config">): () => Promise<readonly string[]> {
  return async () => await Promise.resolve([...new Set(config.notify.map(({ target }) => target))]);
}

/** Notifies one receiver of the result of a scheduled verification. */
export function createTellVerified(
  deps: Pick<Dependencies, "config" | "notifier" | "now">,
): (input: VerifiedNotice) => Promise<void> {
  return async ({ target, ...told }) =>
    await attempt(async ({ signal }) => {
      const receiver = receiverOf(deps, target);
      await deps.notifier.post(receiver, verifiedMessage(receiver, told, deps.now()), signal);
    });
}
