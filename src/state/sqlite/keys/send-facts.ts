import { z } from "zod";

import { isAccepted, type SendFacts } from "../../rules/keys/judge.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";

const sendFacts = z.object({
  runId: z.string(),
  state: z.string(),
  committedAt: z.int().nullable(),
  mapping: z.string().nullable(),
});

/** Looks up sends; those in a final state are remembered, because every row asks for one. */
export function createSendFacts(db: Database): (send: number) => SendFacts | undefined {
  const select = db.prepare(
    "select run_id as runId, state, committed_at as committedAt, mapping from stagings where send = $send",
  );
  const final = new Map<number, SendFacts>();
  return (send) => {
    const remembered = final.get(send);
    if (remembered !== undefined) return remembered;
    const facts = first(sendFacts, select, { send });
    if (facts !== undefined && (isAccepted(facts) || facts.state === "dropped")) {
      if (final.size >= 10_000) final.clear();
      final.set(send, facts);
    }
    return facts;
  };
}
