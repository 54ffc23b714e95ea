import { expect, it, onTestFinished } from "vitest";

import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { rowsOf, startApi } from "../../../connectors/http/support.ts";
import { until } from "../../../support/process/process.ts";
import { atTerminal, interruptAtQuestion } from "../../../support/process/terminal.ts";
import { Harness, harnessHead } from "../../../support/project/harness.ts";
import { accountOf, plantedProject } from "../../../support/project/planted.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

/** Interrupts the commands of this process, as a closed terminal does; the end of the test takes their listeners. */
function interrupt(): void {
  process.emit("SIGHUP");
}

function withoutListeners(): void {
  onTestFinished(() => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  });
}

it("reads a source no further once it is interrupted, and says that nothing was looked up", async () => {
  withoutListeners();
  const server = await startApi({ pages: "number", pageRows: 5 });
  server.put(rowsOf(12));
  const api = JSON.stringify({ connector: "http", ...server.config });
  const record =
    "{ account_id: { column: id, as: string }, domain: { value: a.example }, account_properties: {} }";
  const sync = `{ from: api, stream: account, record: ${record} }`;
  const yaml = `${harnessHead}connections: { api: ${api} }\nsyncs: { accounts: ${sync} }\n`;
  const harness = await Harness.open({ yaml });
  await (await TestRun.open(harness)).transfer();
  const before = server.seen.length;
  server.onRequest = () => {
    if (server.seen.length === before + 1) interrupt();
  };
  const shown = await runVerb(registerVerify, harness, ["verify", "accounts"]);
  expect(shown).toEqual({
    out: [],
    said: ["accounts: interrupted: nothing was looked up"],
    code: 130,
  });
  expect(server.seen.slice(before).filter((path) => path.includes("page=3"))).toEqual([]);
  expect(await harness.sandbox.ledger("search")).toEqual([]);
});

it("says of records that it did not ask for that it was interrupted", async () => {
  withoutListeners();
  const all = [0, 1, 2, 3].map(accountOf);
  const harness = await plantedProject(4, all);
  harness.sandbox.order("search", { noAnswer: true }, { after: 1, times: 1 });
  const looking = runVerb(registerVerify, harness, ["verify", "accounts"]);
  await until(async () => (await harness.sandbox.ledger("search")).length === 2);
  interrupt();
  const { out, code } = await looking;
  expect(out.join("\n")).toMatch(/^ {2}not asked {5}3: interrupted$/m);
  expect(code).toBe(130);
});

it("ends as interrupted where that comes at the question whether to send again", async () => {
  atTerminal();
  const harness = await plantedProject(2, []);
  const looking = runVerb(registerVerify, harness, [
    "verify",
    "accounts",
    "--key",
    "a0",
    "--resend",
  ]);
  await interruptAtQuestion();
  const { out, code } = await looking;
  expect(out.join("\n")).toContain("missing");
  expect(code).toBe(130);
});
