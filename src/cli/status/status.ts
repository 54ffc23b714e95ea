import { isRefusedKey } from "../../service/key-limits.ts";
import { plainJson } from "../../text/plain-text.ts";
import { configOf, readState, withGlobals } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";
import { doubtJson } from "./doubts.ts";
import { inboxesFacts } from "./inbox.ts";
import { leftHoldJson } from "./left-holds.ts";
import { lookAtProject, type ProjectStatus } from "./look.ts";
import { statusText } from "./text.ts";

function jsonOf(status: ProjectStatus): string {
  const { transfers, inboxes, doubts, mappings, limits, workers, hosts, idle, behind, silent } =
    status;

  return plainJson({
    transfers: transfers.map(
      ({ name, kind, last, next, schedule, waiting, openRejects: open, problem }) => ({
        name,
        kind,
        last_run: last ?? null,
        next_run: next?.toISOString() ?? null,
        time_zone: schedule?.timeZone ?? null,
        waiting: waiting ?? null,
        open_rejects: open,
        problem: problem?.text ?? null,
        hint: problem?.hint ?? null,
      }),
    ),
    inboxes: inboxesFacts(inboxes),
    doubts: doubts.map(doubtJson),
    mappings,
    rate_limits: limits.map(({ limit, blockedUntil, breaker, why }) => ({
      limit,
      until:
        blockedUntil === null || isRefusedKey(limit) ? null : new Date(blockedUntil).toISOString(),
      breaker,
      why,
    })),
    workers,
    hosts,
    idle_workers: idle,
    workers_behind: behind,
    backfills: status.backfills.map(({ report, waiting, problem }) => ({
      run_id: report.run_id,
      sync: report.sync,
      started_at: report.started_at,
      counts: report.counts,
      under_way: report.under_way ?? null,
      waiting: waiting ?? null,
      problem: problem?.text ?? null,
      hint: problem?.hint ?? null,
    })),
    held: status.holds.map(leftHoldJson),
    temporal: silent?.text ?? null,
    service: status.service,
  });
}

/** `sluice status`. */
export const registerStatus: Register = (program, context) => {
  withGlobals(program.command("status"))
    .description("the state of each sync and pull: runs, what is wrong and what to do")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const status = await readState(
        config,
        async (state) => await lookAtProject({ state, config, context }),
      );
      context.print(options.json ? jsonOf(status) : statusText(status));
    });
};
