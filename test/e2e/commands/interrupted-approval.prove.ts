import { expect, it } from "vitest";

import { interruptibleRun, Laptop } from "../../support/process/laptop.ts";
import { until, watch } from "../../support/process/process.ts";

const rows = 8_000;

it("an approval that is interrupted leaves the run held, or says what continues with it", async () => {
  const files = interruptibleRun(rows);
  const yaml = files["sluice.yaml"]?.replace(
    "from: exports",
    "hold_if: { new_above: 5 }\n    from: exports",
  );
  const laptop = await Laptop.open({ ...files, "sluice.yaml": yaml ?? "" });
  const held = await laptop.run(["run", "accounts", "--json"]);
  expect(held.code).toBe(5);
  const run = /"run_id":"([^"]+)"/.exec(held.stdout)?.[1] ?? "";

  const early = laptop.start(["--verbose", "approve", run]);
  const before = watch(early);
  // Its server is still being started: the run knows nothing of it yet.
  await until(async () => before.printed().stderr !== "");
  early.kill("SIGINT");
  expect(await before.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining(
      "interrupted before the run heard of it: it is held as before\n",
    ) as unknown,
  });

  const child = laptop.start(["approve", run]);
  const { printed, ended } = watch(child);
  await until(async () => printed().stderr.includes("committed"));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining(
      "interrupted; `sluice run accounts` continues with it\n",
    ) as unknown,
  });
  const again = await laptop.run(["run", "accounts", "--json"]);
  expect(again.stderr).toMatch(/^sluice: continuing with run /);
  expect(JSON.parse(again.stdout)).toMatchObject({
    run_id: run,
    outcome: "done",
    counts: { read: rows, sent: rows },
  });
});
