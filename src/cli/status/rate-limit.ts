import { systemClock } from "../../clock.ts";
import { isRefusedKeyGate, keyName } from "../../service/key-limits.ts";
import { plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { configOf, table, withGlobals, withState } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";

/** `sluice budget show|reopen`. */
export const registerBudget: Register = (program, context) => {
  const budget = program.command("budget").description("the rate budget and its gates");
  withGlobals(budget.command("show"))
    .description("which gates are closed, until when and why")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const gates = await withState(
        config,
        async (state) => await state.gates({ prefix: "", ...systemClock()() }),
      );
      const rows = gates.map(({ gate, closedUntil, why, isFailing }) => {
        const closed = closedUntil !== null;
        const time = isRefusedKeyGate(gate)
          ? "the key changes"
          : new Date(closedUntil ?? 0).toISOString();
        return { gate, closed, until: closed ? time : null, failing: isFailing, why };
      });
      if (options.json) for (const row of rows) context.print(JSON.stringify(row));
      else {
        const key = keyName(config.api.apiKey);
        const lines = rows.map(({ gate, closed, until, failing, why }) => {
          const open = failing ? "failing: one probe at a time" : "open";
          return [gate, closed ? `closed until ${until}` : open, plainText(why ?? "")];
        });
        context.print(`${config.api.requestsPerSecond} requests a second; this key is ${key}`);
        if (lines.length > 0) context.print(table([["gate", "state", "why"], ...lines]));
      }
    });
  withGlobals(budget.command("reopen"))
    .description("open the gates of the configured key, whatever closed them")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const prefix = `api:${keyName(config.api.apiKey)}`;
      const reopened = await withState(
        config,
        async (state) => await state.reopenGates({ prefix, ...systemClock()() }),
      );
      context.print(
        options.json ? JSON.stringify({ reopened }) : `opened ${counted(reopened, "gate")}`,
      );
    });
};
