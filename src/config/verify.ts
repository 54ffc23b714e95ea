import type { Config, SyncConfig } from "./config.ts";
import type { Mistake } from "./messages/mistakes.ts";

/** Why no look can say whether the service holds the records of a sync; undefined where one can. */
export function whyUnverifiable({
  send,
  stream,
}: Pick<SyncConfig, "send" | "stream">): string | undefined {
  if (stream !== "account" && stream !== "contact") {
    return "events cannot be verified: the service's search never shows them";
  }
  if (send !== "all") return undefined;
  return "with `send: all` nothing says what the service holds: a sync with `send: changed` can be verified";
}

/** The mistakes of `verify:` for syncs that cannot be verified: each scheduled look would fail. */
export function verifyMistakes({ syncs }: Pick<Config, "syncs">): readonly Mistake[] {
  return [...syncs.values()].flatMap((sync): readonly Mistake[] => {
    const message = sync.verify === undefined ? undefined : whyUnverifiable(sync);
    if (message === undefined) return [];
    return [{ path: ["syncs", sync.name, "verify"], on: "name", message }];
  });
}
