// npm run demo [-- --keep]: the example as a user would run it. Starts everything with `sluice dev`, runs both syncs,
// says where to look, and stops everything again without --keep. tools/run.mjs has already set everything up.
import { main, Stop } from "./child.mjs";
import { Example, stopped } from "./dev.mjs";

/** Exit codes of `sluice run`: everything sent, or everything but the rejects, which the example has. */
const goodCodes = [0, 3];

await main(async () => {
  const keep = process.argv.includes("--keep");
  const example = new Example("csv-to-accounts");
  const codes = [];
  try {
    const addresses = await example.start();
    for (const sync of ["accounts", "accounts-small"]) {
      if (!stopped.aborted) codes.push((await example.sluice(addresses, ["run", sync])).code);
    }
    if (!stopped.aborted) showWhereToLook(example, addresses, keep);
  } finally {
    if (!keep || stopped.aborted) await example.stop();
  }
  if (stopped.aborted) throw new Stop(`stopped by ${stopped.reason}`, 130);
  return codes.every((code) => goodCodes.includes(code)) ? 0 : 1;
});

function showWhereToLook({ config, pid }, { ui, sandbox, pages }, keep) {
  const lines = [
    "",
    "Where to look:",
    `  the rejected rows     node bin/sluice.js rejects list --sync accounts ${config.join(" ")}`,
    `  the reports again     node bin/sluice.js runs list ${config.join(" ")}`,
  ];
  if (keep) {
    lines.push(
      `  everything, as pages  ${pages}`,
      `  the Temporal Web UI   ${ui}`,
      `  what has arrived      ${sandbox}/_sandbox/records?stream=account`,
      `  to stop everything    kill ${pid}`,
    );
  } else {
    lines.push(`  the Temporal Web UI   ${ui}, which stays with: npm run demo -- --keep`);
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}
