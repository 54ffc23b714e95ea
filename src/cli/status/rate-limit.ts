import { systemClock } from "../../clock.ts";
import { keyName, resetLimits, untilText } from "../../service/key-limits.ts";
import type { RateLimit } from "../../state/contract/rate-limit.ts";
import { plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { configOf, withGlobals, withState } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";
import { advisingTable } from "../output/table.ts";

/** What a limit does to requests, as a person reads it. */
export function stateText(rateLimit: RateLimit): string {
  const { blockedUntil, breaker } = rateLimit;
  if (blockedUntil !== null) return `blocked until ${untilText(rateLimit)}`;
  return breaker === "closed" ? "free" : `failing, circuit breaker ${breaker}`;
}

/** `sluice rate-limit show|reset`. */
export const registerRateLimit: Register = (program, context) => {
  const rateLimit = program
    .command("rate-limit")
    .description("how fast requests leave, and what holds them back");
  withGlobals(rateLimit.command("show"), "lines")
    .description("which limits are blocked, until when and why")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const limits = await withState(
        config,
        async (state) => await state.rateLimits(systemClock()()),
      );
      const rows = limits.map((each) => {
        const { limit, blockedUntil, breaker, why } = each;
        const until = blockedUntil === null ? null : untilText(each);
        return { limit, blocked: until !== null, until, breaker, why };
      });
      if (options.json) for (const row of rows) context.print(JSON.stringify(row));
      else {
        const { requestsPerSecond, apiKey } = config.api;
        context.print(`${requestsPerSecond} requests a second; this key is ${keyName(apiKey)}`);
        const lines = limits.map((each) => [
          each.limit,
          stateText(each),
          plainText(each.why ?? ""),
        ]);
        if (lines.length > 0) context.print(advisingTable([["limit", "state", "why"], ...lines]));
      }
    });
  withGlobals(rateLimit.command("reset"))
    .description("let requests of the configured key pass, whatever blocked them")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const prefix = `api:${keyName(config.api.apiKey)}`;
      const reset = await withState(
        config,
        async (state) => await resetLimits(state, prefix, systemClock()()),
      );
      context.print(options.json ? JSON.stringify({ reset }) : `reset ${counted(reset, "limit")}`);
    });
};
