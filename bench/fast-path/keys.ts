import { join } from "node:path";

import { run } from "../child.ts";
import { say } from "../report.ts";
import { makeEmpty } from "../rounds.ts";
import { readTracked, trackKeys } from "../tracked-keys.ts";
import type { Figures, PartInput } from "./part.ts";

/** Many keys in one store, loaded and then looked up in random order. */
export async function measureKeys({ folder, rows, rounds }: PartInput): Promise<Figures> {
  const store = join(folder, "store");
  const micros: number[] = [];
  let bytes = Number.NaN;
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}: ${rows.toLocaleString("en")} keys`);
    await makeEmpty(store);
    const args = [trackKeys, "--folder", store, "--keys", `${rows}`, "--parts", "2", "--bare"];
    const { code, lastLine } = await run(args, folder);
    if (code !== 0) throw new Error(`track-keys.ts ended with ${code}`);
    const tracked = readTracked(lastLine);
    const [, unchanged] = tracked.parts;
    if (unchanged === undefined) throw new Error("track-keys.ts looked no key up");
    micros.push(unchanged.cpuUsPerKey);
    ({ bytes } = tracked);
  }
  return {
    unchangedKey: { value: Math.min(...micros), from: "all threads; 4,000 keys a call" },
    millionKeys: { value: bytes / rows, from: `${Math.round(bytes / 1e6)} MB of the store's file` },
  };
}
