import { InvalidArgumentError } from "commander";

import {
  configOf,
  withGlobals,
  withJson,
  type GlobalOptions,
  type Register,
} from "../output/context.ts";
import { onInterrupt, untilAborted } from "../output/interrupt.ts";
import { temporalBinary, useEmbeddedTemporal } from "../running/services.ts";

/** Reads a port from the command line. @throws {InvalidArgumentError} it is not one. */
export function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("must be a port");
  return Number(text);
}

/** `sluice temporal path|start`. */
export const registerTemporal: Register = (program, context) => {
  const temporal = program.command("temporal").description("the embedded Temporal server");
  withJson(temporal.command("path"))
    .description("print where the server's program is, and get it when it is missing")
    .action(async ({ json }: GlobalOptions) => {
      const path = await temporalBinary(context);
      context.print(json ? JSON.stringify({ path }) : path);
    });
  withGlobals(temporal.command("start"))
    .description("run the server alone until it is stopped")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const interrupted = onInterrupt();
      const server = await useEmbeddedTemporal(config, context);
      const { address, uiAddress: ui } = server;
      context.print(
        options.json ? JSON.stringify({ address, ui }) : `Temporal at ${address}, Web UI at ${ui}`,
      );
      await untilAborted(interrupted.signal);
      await server.release();
    });
};
