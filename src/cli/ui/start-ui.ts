import type { Logger } from "pino";

import type { Config } from "../../config/config.ts";
import { openStateStore } from "../../state/open.ts";
import type { Context } from "../output/context.ts";
import { heldPage } from "./pages/held.ts";
import { overviewPage } from "./pages/overview.ts";
import { recordPage } from "./pages/record.ts";
import { rejectsPage } from "./pages/rejects.ts";
import { runPage, runRoute } from "./pages/run.ts";
import { runsPage } from "./pages/runs.ts";
import { startUiServer, type UiServer } from "./server.ts";
import type { Sight } from "./sight.ts";
import { watchTemporal } from "./temporal-watch.ts";

/** Where and how the pages of a project are shown. */
export type UiSettings = {
  readonly config: Config;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly showsRows: boolean;
  readonly log: Logger;
};

/**
 * Shows the pages of a project until they are closed.
 * @throws {ConfigError} it cannot listen there, or others could look without a token. @throws {StateUnavailableError}
 */
export async function startUi(
  { config, showsRows, ...at }: UiSettings,
  context: Context,
): Promise<UiServer> {
  const { uiToken: token } = context.environment;
  await using closing = new AsyncDisposableStack();
  const state = await openStateStore(config, { onlyReads: true });
  closing.defer(async () => await state.close());
  const sight: Sight = { config, state, context, whatTemporalSays: watchTemporal(), showsRows };
  const server = await startUiServer({
    ...at,
    token,
    pages: {
      "/": async (asked) => await overviewPage(sight, asked),
      "/runs": async (asked) => await runsPage(sight, asked),
      [runRoute]: async (asked) => await runPage(sight, asked),
      "/rejects": async (asked) => await rejectsPage(sight, asked),
      "/record": async (asked) => await recordPage(sight, asked),
      "/held": async () => await heldPage(sight),
    },
  });
  closing.defer(async () => await server.close());
  const open = closing.move();
  return { address: server.address, close: async () => await open.disposeAsync() };
}
