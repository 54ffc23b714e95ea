// npm run soak -- --minutes 60: a worker and a receiver for this long, with a schedule every minute, a steady flow of
// events, and meanwhile faults of the service and kills. Its table goes into docs/proof/soak.md. Exit code 1 if a bound
// is broken.
import { parseArgs } from "node:util";

import { z } from "zod";

import { allHold, checkedRows } from "../../bench/bounds.ts";
import { conditions, publish, table } from "../../bench/report.ts";
import { soak } from "./soak.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
const minutes = z.coerce.number().int().min(3).parse(values.minutes);
const under = conditions(`npm run soak -- --minutes ${minutes}`);
const ends: (() => Promise<void>)[] = [];
try {
  const checked = await soak(minutes, (work) => ends.push(work));
  const text = `${under}\n\n${table(checkedRows(checked))}`;
  process.stdout.write(`${text}\n`);
  await publish("soak", text, "proof/soak");
  process.exitCode = allHold(checked) ? 0 : 1;
} finally {
  for (const work of ends.toReversed()) await work();
}
