import { sourcesOf } from "../../../connectors/registry.ts";
import { checkColumns, connectorOf } from "../../../connectors/source.ts";
import { targetOf } from "../../config/config.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { positive } from "../positive.ts";
import { withStateThere } from "../run/mapped-rows.ts";
import { deployedOf } from "./deployed.ts";
import { planLines, planReport, type PlanReport } from "./plan-report.ts";
import { readPlan } from "./read-plan.ts";

type PlanOptions = GlobalOptions & { readonly sample?: number };

/** 5 where the service would be told something; else 3 where rows would be rejected. */
function exitCodeOf({ counts }: PlanReport): number {
  if (counts.would_send > 0) return exitCodes.held;
  return counts.rejected > 0 ? exitCodes.doneWithRejects : exitCodes.done;
}

/** `sluice plan <sync>`. */
export const registerPlan: Register = (program, context) => {
  withGlobals(program.command("plan <sync>"))
    .summary("what the next run would send, and why; sends nothing")
    .description(
      "read what the next run of a sync would read, and say what it would send, why, and what that costs; nothing " +
        "is sent or stored; exit code 5 where something would be sent",
    )
    .option("--sample <rows>", "read so many rows, not all", positive)
    .action(async (name: string, options: PlanOptions) => {
      const config = await configOf(context, options);
      const sync = syncNamed(config, name);
      const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
      const { signal } = new AbortController();
      await checkColumns(source, sync, { signal, mayName: true });
      const { sample } = options;
      const target = targetOf(config.api);
      const report = await withStateThere(config, async (state) => {
        const now = state?.now() ?? Date.now();
        const read = await readPlan({ sync, source, target, state, now, signal }, sample);
        const deployed = await deployedOf(state, { sync, target });
        return planReport(config, sync, { deployed, read, sample });
      });
      if (options.json === true) context.print(plainJson(report));
      else for (const line of planLines(report)) context.print(plainText(line));
      context.exit(exitCodeOf(report));
    });
};
