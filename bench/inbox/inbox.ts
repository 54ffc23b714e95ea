// node bench/inbox/inbox.ts [--rounds 5]: the rate of the receiver, compared with one commit per request and
// with an inbox that keeps nothing. Prints its table; `npm run prove -- --only inbox` publishes it. Exit
// code 1 if a bound is broken. Needs a build and a C compiler.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { allHold, checkedRows } from "../bounds.ts";
import { table } from "../report.ts";
import { checkReceivers } from "./bounds.ts";
import { measureReceivers, variants } from "./rounds.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const folder = await mkdtemp(join(tmpdir(), "sluice-inbox-"));
try {
  const measured = await measureReceivers({ variants, rounds: Number(values.rounds), folder });
  const checked = checkReceivers(measured);
  console.log(table(checkedRows(checked)));
  process.exitCode = allHold(checked) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
