import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { end, jsonLinesOf, run, start } from "../bench/child.ts";
import { type Latencies, latencies } from "../bench/latencies.ts";
import { say } from "../bench/report.ts";
import { readTracked, trackKeys, type TrackedPart } from "../bench/tracked-keys.ts";

/** The longest that a transaction of one process may keep another's waiting (issue 5). */
const waitMsMax = 100;

const smallWrites = fileURLToPath(new URL("../bench/workloads/small-writes.ts", import.meta.url));

const shown = ({ p50, p99, max }: Latencies): string =>
  [p50, p99, max].map((ms) => ms.toFixed(1)).join(" / ");

/** Many keys in the fingerprint store, while another process writes into the same store. */
export async function proveKeys(parent: string, keys: number): Promise<readonly Checked[]> {
  say(`tracking ${keys.toLocaleString("en")} keys`);
  const folder = join(parent, "keys");
  await mkdir(folder);
  const other = start([smallWrites, "--folder", folder], parent);
  const said = jsonLinesOf(other);
  try {
    await said.next();
    const args = [trackKeys, "--folder", folder, "--keys", String(keys)];
    const { code, lastLine } = await run(args, parent);
    if (code !== 0) throw new Error(`track-keys.ts ended with ${code}`);
    const { parts, bytes } = readTracked(lastLine);
    await end(other);
    const waits = latencies.parse((await said.next()).value);
    return [
      ...parts.flatMap(figuresOf),
      {
        what: "file of the store",
        bound: "",
        measured: `${Math.round(bytes / 1e6)} MB`,
        holds: true,
      },
      {
        what: "small writes of another process meanwhile, ms each (p50 / p99 / max)",
        bound: `<= ${waitMsMax} ms`,
        measured: `${shown(waits)}, of ${waits.count.toLocaleString("en")}`,
        holds: waits.count > 0 && waits.max <= waitMsMax,
      },
    ];
  } finally {
    await end(other);
  }
}

function figuresOf(part: TrackedPart): readonly Checked[] {
  const { name, keys, seconds, cpuUsPerKey, calls, commits } = part;
  const rate = Math.round(keys / seconds / 1_000);
  const figure = (what: string, measured: string): Checked => ({
    what: `${name}: ${what}`,
    bound: "",
    measured,
    holds: true,
  });
  const costs = `${rate} kkeys/s; ${cpuUsPerKey.toFixed(1)} µs of processor time a key`;
  const staged = figure("4,000 keys, ms (p50 / p99 / max)", `${shown(calls)}; ${costs}`);
  if (commits.count === 0) return [staged];
  return [staged, figure("a chunk's commit, ms (p50 / p99 / max)", shown(commits))];
}
