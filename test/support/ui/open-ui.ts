import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { pino } from "pino";
import { onTestFinished } from "vitest";

import { startUi, type UiSettings } from "../../../src/cli/ui/start-ui.ts";
import type { Config } from "../../../src/config/config.ts";
import { readEnvironment } from "../../../src/config/environment.ts";

/** An answer of the pages. */
export type UiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** The pages of a project, asked as a browser asks them. */
export type OpenedUi = {
  readonly address: URL;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<UiAnswer>;
  /** What was logged, a line each. */
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
  const environment = readEnvironment({
    // Nothing listens there: what Temporal would say is not what these tests are about.
    TEMPORAL_ADDRESS: "127.0.0.1:1",
    ...(token === undefined ? {} : { SLUICE_UI_TOKEN: token }),
  });
  const context = { cwd: folder, environment, print: ignore, say: ignore, exit: ignore };
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const ui = await startUi({ config, host, port: 0, showsRows, log }, context);
  onTestFinished(async () => await ui.close());
  const get: OpenedUi["get"] = async (path, headers = {}) => {
    // The path as it is given: a URL would have taken the climbing out of it.
    const asking = request({ host: "127.0.0.1", port: ui.address.port, path, headers }).end();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asking.once("response", resolve).once("error", reject);
    });
    const { statusCode: status = 0 } = answer;
    return { status, headers: answer.headers, text: await text(answer) };
  };
  return { address: ui.address, get, logged };
}
