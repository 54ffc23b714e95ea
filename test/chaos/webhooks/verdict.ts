import { readFile } from "node:fs/promises";

import type { RunReport } from "../../../src/report/report.ts";
import { about, differs } from "../../support/ledger/words.ts";
import { eventCanary } from "../../support/webhooks/signed-delivery.ts";
import { exitsAreRight } from "../checks.ts";
import type { AppliedEvent } from "./applied.ts";
import type { Endured } from "./ordeal.ts";
import type { WebhookPlan } from "./plan.ts";
import { secrets, type WebhookSystem } from "./system.ts";

/** What is left to check when everything has happened and every process has ended. */
export type WebhookAftermath = {
  readonly plan: WebhookPlan;
  readonly endured: Endured;
  /** The ids of the acknowledged events, one a delivery. */
  readonly ids: readonly string[];
  readonly applied: readonly AppliedEvent[];
  readonly reports: readonly RunReport[];
  readonly system: Pick<WebhookSystem, "exits" | "logFiles">;
};

/** All violations by the receiver, in words. */
export async function judgeWebhooks(after: WebhookAftermath): Promise<string[]> {
  return [
    ...eventsAreOnce(after),
    ...reportsAreRight(after),
    ...exitsAreRight(after.system.exits),
    ...(await logsAreClean(after.system)),
    ...happened(after),
  ];
}

/** Every acknowledged event was processed, and exactly once. */
function eventsAreOnce({ ids, applied }: WebhookAftermath): string[] {
  const times = new Map(ids.map((id) => [id, 0]));
  for (const { id } of applied) times.set(id, (times.get(id) ?? Number.NaN) + 1);
  const those = (is: (count: number) => boolean): string[] =>
    [...times].filter(([, count]) => is(count)).map(([id]) => id);
  return [
    ...about(
      "acknowledged and not processed",
      those((count) => count === 0),
    ),
    ...about(
      "processed more than once",
      those((count) => count > 1),
    ),
    ...about("processed and never pushed", those(Number.isNaN)),
  ];
}

function reportsAreRight({ reports, ids }: WebhookAftermath): string[] {
  const sum = (of: (report: RunReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return [
    ...reports.flatMap((report) => [
      ...differs(`the outcome of run ${report.run_id}`, report.outcome, "done"),
      ...differs(`run ${report.run_id} balances, which`, report.balanced, true),
    ]),
    ...differs(
      "what all runs sent",
      sum(({ counts }) => counts.sent),
      ids.length,
    ),
    ...differs(
      "what all runs rejected",
      sum(({ counts }) => counts.rejected),
      0,
    ),
  ];
}

async function logsAreClean({ logFiles }: WebhookAftermath["system"]): Promise<string[]> {
  const texts = await Promise.all(
    logFiles.map(async (where) => ({ where, text: await readFile(where, "utf8") })),
  );
  const holding = (what: string): string[] =>
    texts.filter(({ text }) => text.includes(what)).map(({ where }) => where);
  return [
    ...about("a secret or an event in a log", [...secrets, eventCanary].flatMap(holding)),
    ...about("a rejection that nobody handled", ["unhandled", "uncaught"].flatMap(holding)),
  ];
}

/** What the seed should have shown and did not. */
function happened({ plan, endured, system }: WebhookAftermath): string[] {
  const { counts, acknowledgedAway } = endured;
  const kills = system.exits.filter(({ sent }) => sent === "SIGKILL");
  const missing = [
    ...differs("the number of kills", kills.length, plan.kills.length),
    ...(counts.unanswered === 0 ? ["no kill left a delivery unanswered"] : []),
    ...(counts.refused === 0 ? ["the disk was full, and nobody was refused"] : []),
  ];
  if (plan.awayMs > 0 && acknowledgedAway === 0) {
    missing.push("nothing was acknowledged while Temporal was away");
  }
  return missing;
}
