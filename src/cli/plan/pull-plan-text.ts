import { counted, grouped, roughTimeText } from "../../text/quantities.ts";
import type { PullPlan } from "./pull-plan.ts";

const rounds: Readonly<Record<PullPlan["round"], string>> = {
  continued: "continues where its last run stopped",
  first: "never ran",
  new: "begins a new round",
};

/** What the next run of a pull costs, in one line. */
export function pullCostText({ calls, seconds }: PullPlan): string {
  const { at_least: least, expected, at_most: most } = calls;
  if (most === 0 || expected === 0) return "no call: there is nothing to ask for";
  const bound = `${grouped(most)} at most (calls_max)`;
  if (expected === null) {
    return `${counted(least, "call")} at least, each of which costs credits, and ${bound}; no round says how many yet`;
  }
  const time = roughTimeText(Math.max(1, seconds ?? 0));
  return `about ${counted(expected, "call")}, each of which costs credits, and ${bound}; ${time} at the rate limit`;
}

/** A plan of a pull for a person, with a line for each fact. */
export function pullPlanLines(plan: PullPlan): readonly string[] {
  const { pull, of, round, domains, passes_max: passes } = plan;
  return [
    `${pull} pulls ${of.replaceAll("_", " ")}: it ${rounds[round]}`,
    pullCostText(plan),
    ...(domains === undefined
      ? []
      : [`  for ${counted(domains, "domain")} that it asks for, each by itself`]),
    ...(domains === undefined && passes > 1
      ? [
          `  as many again for each further pass, ${passes} passes at most (passes_max), while results are missing`,
        ]
      : []),
  ];
}
