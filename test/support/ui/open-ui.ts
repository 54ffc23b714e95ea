import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { pino } from "pino";
import { onTestFinished, vi } from "vitest";

import { startUi, type UiSettings } from "../../../src/cli/ui/start-ui.ts";
import type { Config } from "../../../src/config/config.ts";
import { readEnvironment } from "../../../src/config/environment.ts";

/** A response of the pages. */
export type UiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** The pages of a project, requested as a browser does. */
export type OpenedUi = {
  readonly address: URL;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<UiAnswer>;
  /** The log, one entry a line. */
  readonly logged: readonly string[];
};

function ignore(): void {}

/** Shows the pages of a project on a free port, until the test is over. */
export async function openUi(
  {
    deps: { config },
    folder,
  }: { readonly deps: { readonly config: Config }; readonly folder: string },
  settings: Partial<Pick<UiSettings, "host" | "showsRows">> & { readonly token?: string } = {},
): Promise<OpenedUi> {
  const { token, host = "127.0.0.1", showsRows = false } = settings;
  // Nothing listens there: these tests are not about Temporal's answers. Temporal's library reads it from the process.
  vi.stubEnv("TEMPORAL_ADDRESS", "127.0.0.1:1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const environment = readEnvironment({
    TEMPORAL_ADDRESS: "127.0.0.1:1",
    ...(token === undefined ? {} : { SLUICE_UI_TOKEN: token }),
  });
  const context = { cwd: folder, environment, print: ignore, say: ignore, exit: ignore };
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const ui = await startUi({ config, host, port: 0, showsRows, log }, context);
  onTestFinished(async () => await ui.close());
  const get: OpenedUi["get"] = async (path, headers = {}) => {
    // Passes the path unchanged: a URL would have removed the `..` segments.
    const asking = request({ host: "127.0.0.1", port: ui.address.port, path, headers }).end();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asking.once("response", resolve).once("error", reject);
    });
    const { statusCode: status = 0 } = answer;
    return { status, headers: answer.headers, text: await text(answer) };
  };
  return { address: ui.address, get, logged };
}
