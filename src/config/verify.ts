import type { Config } from "./config.ts";
import type { Mistake } from "./messages/mistakes.ts";

/** `verify:` of syncs of which no look could say anything: each scheduled one would fail. */
export function verifyMistakes({ syncs }: Pick<Config, "syncs">): readonly Mistake[] {
  return [...syncs.values()].flatMap(({ name, verify, stream, send }): readonly Mistake[] => {
    if (verify === undefined) return [];
    const path = ["syncs", name, "verify"];
    if (stream !== "account" && stream !== "contact") {
      const message = "events cannot be verified: the service's search never shows them";
      return [{ path, on: "name", message }];
    }
    if (send !== "all") return [];
    const message =
      "with `send: all` nothing says what the service holds: a sync with `send: changed` can be verified";
    return [{ path, on: "name", message }];
  });
}
