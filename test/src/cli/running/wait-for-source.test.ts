import { expect, it } from "vitest";

import type { Register } from "../../../../src/cli/output/context.ts";
import { registerPlan } from "../../../../src/cli/plan/plan.ts";
import { registerExplain } from "../../../../src/cli/run/explain.ts";
import { registerPreview } from "../../../../src/cli/run/preview.ts";
import { RetryLater } from "../../../../src/errors.ts";
import type { ApiServer } from "../../../connectors/http/api-server.ts";
import { rowsOf, startApi } from "../../../connectors/http/support.ts";
import { Harness, harnessHead } from "../../../support/project/harness.ts";
import { runVerb } from "../../../support/project/run-verb.ts";

/** A project whose API has three pages of rows. */
async function projectOfApi(): Promise<{
  readonly server: ApiServer;
  readonly harness: Harness;
}> {
  const server = await startApi({ pages: "number", pageRows: 5 });
  server.put(rowsOf(12));
  const api = JSON.stringify({ connector: "http", ...server.config });
  const record =
    "{ account_id: { column: id, as: string }, domain: { value: a.example }, account_properties: {} }";
  const sync = `{ from: api, stream: account, record: ${record} }`;
  const yaml = `${harnessHead}connections: { api: ${api} }\nsyncs: { accounts: ${sync} }\n`;
  return { server, harness: await Harness.open({ yaml }) };
}

/** Has the API answer its second request with 429. */
function refuseSecond(server: ApiServer, retryAfter: string): void {
  server.onRequest = () => {
    if (server.seen.length !== 1) return;
    server.answers.push((response) => {
      response.writeHead(429, { "retry-after": retryAfter });
      response.end("{}");
    });
  };
}

// Each row once: a second one of its key would be rejected.
it.each<readonly [string, Register, readonly string[], (out: string) => unknown, unknown]>([
  ["plan", registerPlan, ["accounts"], (out) => /new +12/.test(out), true],
  ["preview", registerPreview, ["accounts", "-n", "12"], (out) => out.split("\n").length, 12],
  [
    "explain --scan",
    registerExplain,
    ["accounts", "7", "--scan"],
    (out) => out.includes("/companies:7"),
    true,
  ],
])("%s waits as long as the source asks, says so, and gives no row twice", async (...of) => {
  const [verb, register, args, tell, told] = of;
  const { server, harness } = await projectOfApi();
  refuseSecond(server, "1");
  const { out, said } = await runVerb(register, harness, [verb.split(" ")[0] ?? verb, ...args]);
  expect(tell(out.join("\n"))).toBe(told);
  const what = `GET ${server.origin}/v1/companies: 429`;
  expect(said).toContain(`${what}: waiting for 1.0 s, as the source asks`);
  const pages = server.seen.map((path) => path.split("page=").at(-1));
  // The page that holds the last row is asked for again, as a run does.
  expect(pages.slice(0, 5)).toEqual(["1", "2", "1", "2", "3"]);
});

it.each([
  ["600", /^the source asks to wait for 10 min 0 s: try again after 2\d{3}-.*Z$/],
  ["9".repeat(30), /^the source asks to wait for more than a year$/],
])("says when to try again where the source asks for %s seconds", async (seconds, hint) => {
  const { server, harness } = await projectOfApi();
  refuseSecond(server, seconds);
  const planned = runVerb(registerPlan, harness, ["plan", "accounts"]);
  const error: unknown = await planned.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RetryLater);
  expect(error).toHaveProperty("message", `GET ${server.origin}/v1/companies: 429`);
  expect(error).toHaveProperty("hint", expect.stringMatching(hint));
  expect(server.seen).toHaveLength(2);
});
